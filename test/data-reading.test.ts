// Reads of version 1 over HTTP: bodies, names, fields, paths, methods, and what there is before the first value.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  alarmFields,
  Collection,
  commandFields,
  LiveAlarm,
  LiveCommand,
  LiveMeasurement,
  measurementFields,
  Simulation,
} from '@telltale/schema';
import type { TObject } from 'typebox';
import { livePlant, oddNames } from './live-plant.ts';
import { LiveServer } from './live-server.ts';

const live = new LiveServer();
const { data } = live;

type Objects = Record<string, Record<string, unknown>>;
interface Family {
  readonly schema: TObject;
  readonly fields: readonly string[];
  readonly methods: string;
}

const families: Record<string, Family> = {
  measurements: { schema: LiveMeasurement, fields: measurementFields, methods: 'GET, PUT, DELETE, HEAD' },
  commands: { schema: LiveCommand, fields: commandFields, methods: 'GET, PUT, HEAD' },
  alarms: { schema: LiveAlarm, fields: alarmFields, methods: 'GET, HEAD' },
};

const configured = (family: string) =>
  livePlant.filter((each) => each.family === family && each.name !== 'hidden').map(({ name }) => name);

/** What does not change between two reads. */
const still = ({ vtq, ...rest }: Record<string, unknown>) => rest;

for (const [family, { schema, fields, methods }] of Object.entries(families)) {
  const all = () => live.read<Objects>(`/${family}/`, Collection(schema));

  describe(family, () => {
    test('are an object from name to object, of all that are configured and enabled, however they are called', async () => {
      const collection = await all();
      assert.deepEqual(Object.keys(collection).sort(), configured(family).sort());
      for (const [name, object] of Object.entries(collection)) assert.equal(object.name, name);
    });

    test('can be read one by one, each as in the collection', async () => {
      for (const [name, object] of Object.entries(await all())) {
        const one = await live.read<Record<string, unknown>>(`/${family}/${name}`, schema);
        assert.deepEqual(still(one), still(object));
      }
    });

    test('can be listed by names, each once; unknown names are left out', async () => {
      const [first = '', second = ''] = configured(family);
      for (const [names, expected] of [
        [`${first},nobody,${second},${first}`, [first, second]],
        [oddNames.join(), oddNames],
        ['nobody,valueOf,hidden', []],
        ['', []],
      ] as const) {
        const found = await live.read<Objects>(`/${family}/?names=${names}`, Collection(schema));
        assert.deepEqual(Object.keys(found).sort(), [...expected].sort());
      }
    });

    test('have the fields that are asked for, and no others', async () => {
      for (const field of fields) {
        for (const object of Object.values(await data.read<Objects>(`/${family}/?fields=${field}`))) {
          assert.deepEqual(Object.keys(object), [field]);
        }
      }
      const [first = ''] = configured(family);
      const found = await data.read<Objects>(`/${family}/?names=${first}&fields=${fields.join()}`);
      assert.deepEqual(Object.keys(found[first] ?? {}).sort(), [...fields].sort());
      assert.deepEqual((await data.read<Objects>(`/${family}?fields=&names=${first}`))[first], {});
    });

    test('refuse an unknown word in fields, an impossible name in names, and an unknown parameter', async () => {
      for (const query of [
        'fields=name,value',
        'fields=__proto__',
        'fields=name,,',
        'fields=Name',
        'names=a-b',
        'names=a,,b',
        'nmaes=a',
        'fields=name&fields=name',
      ]) {
        const where = await data.faulty('invalid-query', 'GET', `/${family}/?${query}`);
        assert.ok(where.length > 0, query);
      }
      const names = Array.from({ length: 30_000 }, (_, at) => `n${at}`);
      assert.deepEqual(await data.read(`/${family}/?names=${names.join()}`), {});
    });

    test('are found with and without a slash at the end, and with more slashes than needed', async () => {
      const [first = ''] = configured(family);
      const wanted = Object.keys(await all());
      for (const path of [`/${family}`, `/${family}/`, `//${family}//`, `/${family}///`]) {
        assert.deepEqual(Object.keys(await data.read<Objects>(path)), wanted, path);
      }
      for (const path of [`/${family}/${first}/`, `//${family}///${first}//`]) {
        assert.equal((await data.read<Record<string, unknown>>(path)).name, first);
      }
    });

    test('that do not exist, are not enabled, or are called impossibly, are not found', async () => {
      const impossible = ['a-b', 'a%20b', '%00', '..%2F..', 'x'.repeat(65), '%C3%A4', '%F0%9F%92%A7', 'a.b'];
      for (const name of ['nobody', 'hidden', 'valueOf', 'names', '0', 'x'.repeat(64), ...impossible]) {
        const { detail } = await data.refused('unknown-object', 'GET', `/${family}/${name}`);
        assert.ok(detail.length < 300);
      }
    });

    test('refuse methods that do not apply, and say which do', async () => {
      const [first = ''] = configured(family);
      const expected: [string, string][] = [
        [`/${family}/`, 'GET, HEAD'],
        [`/${family}/${first}`, methods],
      ];
      for (const [path, allow] of expected) {
        for (const method of ['POST', 'PATCH', 'OPTIONS', 'PUT', 'DELETE']) {
          if (allow.includes(method)) continue;
          const answer = await data.ask(method, path);
          assert.deepEqual(
            [answer.status, answer.headers.get('allow')?.split(', ').sort()],
            [405, allow.split(', ').sort()],
            `${method} ${path}`,
          );
        }
      }
    });

    test('answer HEAD as GET, without the body', async () => {
      const [first = ''] = configured(family);
      for (const path of [`/${family}/`, `/${family}/${first}`]) {
        const { status, headers, text } = await data.ask('HEAD', path);
        assert.deepEqual([status, text], [200, '']);
        assert.ok(Number(headers.get('content-length')) > 0);
      }
      assert.equal((await data.ask('HEAD', `/${family}/nobody`)).status, 404);
    });
  });
}

describe('before its first value', () => {
  const zeros = { b: 'b0', q: 'q0', i: 'i0', l: 'l0', f: 'f0', d: 'd0', s: 's' };

  test('a measurement is zero at the beginning of time, not connected', async () => {
    for (const [datatype, zero] of Object.entries(zeros)) {
      const { vtq } = await data.read<LiveMeasurement>(`/measurements/zero_${datatype}`);
      assert.deepEqual(vtq, [zero, [0, 0], 0x08]);
    }
  });

  test('a command is its initial value at the start, else zero at the beginning of time', async () => {
    for (const [datatype, zero] of Object.entries(zeros)) {
      assert.deepEqual((await data.read<LiveCommand>(`/commands/own_${datatype}`)).vt, [zero, [0, 0]]);
    }
    const [value, [seconds]] = (await data.read<LiveCommand>('/commands/initial')).vt;
    assert.equal(value, 'd5.5');
    assert.ok(Math.abs(seconds - Date.now() / 1000) < 600);
  });

  test('an alarm is inactive and acknowledged', async () => {
    const { t, authority, ...rest } = await data.read<LiveAlarm>('/alarms/manual');
    assert.deepEqual(rest, { name: 'manual', severity: 3, state: 'INACT_ACK', description: 'By hand' });
  });
});

describe('an object', () => {
  test('has its ranges, its address and its datatypes as configured, and what is not set as decided', async () => {
    const { vtq, ...level } = await data.read<LiveMeasurement>('/measurements/level');
    assert.deepEqual(level, {
      name: 'level',
      address: '',
      datatype: 'd',
      'raw-datatype': 'd',
      'eu-range': ['d0', 'd80.5'],
      'raw-range': [null, null],
      description: 'Füllstand "1" \u2028',
    });
    const { vt, ...command } = await data.read<LiveCommand>('/commands/set_scaled');
    assert.deepEqual(command, {
      name: 'set_scaled',
      address: 'echo(scaled)',
      datatype: 'd',
      'raw-datatype': 'i',
      'eu-range': ['d0', 'd100'],
      'raw-range': ['i0', 'i10000'],
    });
    const narrow = await data.read<LiveCommand>('/commands/set_narrow');
    assert.deepEqual(
      [narrow['raw-range'], narrow['eu-range']],
      [
        [null, 'i7'],
        [null, 'd9'],
      ],
    );
  });

  test('has a description where one is configured, and an empty one where it is asked for', async () => {
    assert.equal('description' in (await data.read<object>('/measurements/counter')), false);
    const described = await data.read<Objects>('/measurements/?fields=description');
    assert.deepEqual(
      [described.level, described.counter],
      [{ description: 'Füllstand "1" \u2028' }, { description: '' }],
    );
    const commands = await data.read<Objects>('/commands/?fields=description,name&names=local,initial');
    assert.deepEqual(commands.initial, { name: 'initial', description: '' });
    assert.equal((await data.read<LiveAlarm>('/alarms/automatic')).description, '');
  });
});

test('a command can be read under the singular, and only read', async () => {
  const one = await live.read('/command/local', LiveCommand);
  assert.deepEqual(one, await data.read('/commands/local'));
  await data.refused('unknown-object', 'GET', '/command/nobody');
  await data.refused('method-not-allowed', 'PUT', '/command/local?value=d1');
  await data.refused('unknown-path', 'GET', '/command/');
});

test('simulations are none in the beginning, and are only read', async () => {
  assert.deepEqual(await live.read('/simulations', Collection(Simulation)), {});
  assert.deepEqual(await live.read('/simulations/', Collection(Simulation)), {});
  await data.refused('method-not-allowed', 'DELETE', '/simulations');
  await data.refused('invalid-query', 'GET', '/simulations?names=level');
});

test('what is no path of the interface is not found', async () => {
  for (const path of ['', '/', '/nothing', '/measurement/level', '/alarms/manual/activate/now', '/__proto__']) {
    await data.refused('unknown-path', 'GET', path);
  }
});

test('everything that was answered here is in the reference', async () => {
  assert.deepEqual(await data.undocumented(), []);
});
