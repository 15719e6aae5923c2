import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type AddressSyntax,
  type ConnectorModule,
  defineStack,
  documentStack,
  isStack,
  type ProviderModule,
  type RoleDeclaration,
  Type,
} from './index.ts';
import { findSlowAddress } from './testing/find-slow-address.ts';

const coil: AddressSyntax = {
  regex: '^coil [0-9]{1,5}$',
  doc: 'A coil by its number.\n\nNumbers begin at 1.',
  examples: [{ address: 'coil 7', meaning: 'the coil 7' }],
  check: (address, { datatype }) =>
    datatype === 'b' ? undefined : `${address} is a coil and wants datatype b, not ${datatype}`,
};

const variables = Type.Object({
  host: Type.String({ title: 'Host' }),
  port: Type.Integer({ title: 'Port', default: 502, minimum: 1, maximum: 65535 }),
  factor: Type.Number({ title: 'Factor', default: 0.0000001 }),
  swap: Type.Boolean({ title: 'Swap words', default: false }),
  parity: Type.Enum(['none', 'even', 'odd'], { title: 'Parity', default: 'even' }),
  unit: Type.Optional(Type.Integer({ title: 'Unit', description: 'Left out: broadcast', minimum: 0 })),
  label: Type.String({ title: 'Label', default: 'a|b', pattern: '^[a-z|]+$', form: 'small letters and |' }),
});

const module: ConnectorModule<unknown> & ProviderModule<unknown> = {
  createConnector: () => assert.fail(),
  createProvider: () => assert.fail(),
};
const load = async () => module;
const connector = { variables, measurement: coil, command: undefined, load };
const naming = { name: 'probe', title: 'Probe', description: 'For tests.' };
const stack = defineStack({ ...naming, connector });
const role = stack.connector ?? assert.fail();
const texts = (record: Record<string, string>) => role.readVariables({ host: 'plc', ...record });
const faultsOf = (record: Record<string, string>) =>
  texts(record).faults.map(({ field, message }) => `${field} ${message}`);

describe('variables', () => {
  test('texts are read into typed values, and defaults fill what is left out', () => {
    const { values } = texts({ port: '1502', swap: '1', factor: '-.5', unit: '0' });
    const host: string | undefined = values?.host;
    assert.equal(host, 'plc');
    const own = { host, port: 1502, swap: true, factor: -0.5, parity: 'even', unit: 0, label: 'a|b' };
    assert.deepEqual(values, { ...own, reconnectMaxMs: 5000 });
    const given = ['factor', 'host', 'label', 'parity', 'port', 'reconnectMaxMs', 'swap'];
    assert.deepEqual(Object.keys(texts({}).values ?? {}).sort(), given);
  });

  for (const port of ['1e3', ' 5', '5 ', '5.0', '0x10', '', 'five', '٣', '9007199254740993', '1'.repeat(5000)]) {
    test(`${JSON.stringify(port.slice(0, 20))} is not taken for an integer`, () => {
      const { values, faults } = texts({ port });
      assert.equal(values, undefined);
      assert.deepEqual(
        faults.map(({ field }) => field),
        ['port'],
      );
    });
  }

  test('each thing that is wrong is named: unknown, missing, of the wrong form, out of range, not of the words', () => {
    const { faults } = role.readVariables({ port: '65536', swap: 'yes', parity: 'Even', label: 'A', speed: '1' });
    assert.deepEqual(
      faults.map(({ field, message }) => `${field} ${message}`),
      [
        'speed is unknown: one of host, port, factor, swap, parity, unit, label, reconnectMaxMs',
        'host is required',
        'port must be at most 65535, not 65536',
        'swap must be true, on or 1, or false, off or 0, not "yes"',
        'parity must be one of none, even, odd, not "Even"',
        'label must be small letters and |, not "A"',
      ],
    );
    assert.deepEqual(faultsOf({ port: '0' }), ['port must be at least 1, not 0']);
  });

  test('an integer that a double cannot hold exactly is refused', () => {
    assert.equal(texts({ unit: '9007199254740991' }).values?.unit, 9007199254740991);
    assert.match(faultsOf({ unit: '9007199254740992' }).join(), /^unit must be between/);
  });

  test('a number of milliseconds or seconds is given as a duration, too, and a boolean as on or off', () => {
    const spans = defineStack({
      ...naming,
      connector: {
        ...connector,
        variables: Type.Object({
          timeoutMs: Type.Integer({ title: 'Timeout', default: 10, maximum: 60_000, unit: 'ms' }),
          idle: Type.Integer({ title: 'Idle', default: 10, unit: 's' }),
          isOn: Type.Boolean({ title: 'On', default: false }),
        }),
      },
    });
    const read = (record: Record<string, string>) => spans.connector?.readVariables(record);
    assert.deepEqual(read({ timeoutMs: '1m', idle: '1h30m', isOn: 'on' })?.values, {
      timeoutMs: 60_000,
      idle: 5400,
      isOn: true,
      reconnectMaxMs: 5000,
    });
    const messages = read({ timeoutMs: '2m', idle: '1500ms' })?.faults.map(({ message }) => message);
    assert.deepEqual(messages, ['must be at most 60000, not 120000', 'must be whole s, not "1500ms"']);
    assert.equal(spans.connector?.describe().description.parameters.timeoutMs?.unit, 'ms');
  });

  test('a text longer than 1,024 characters never meets a pattern', () => {
    assert.deepEqual(faultsOf({ label: 'a'.repeat(1024) }), []);
    assert.deepEqual(faultsOf({ label: 'a'.repeat(1025) }), ['label must have at most 1024 characters']);
  });

  test('names that objects inherit are unknown variables like any other, and give no values', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const vars = JSON.parse(`{"host": "plc", "${name}": "x"}`);
      assert.deepEqual(
        role.readVariables(vars).faults.map(({ field }) => field),
        [name],
      );
    }
    const inherited = Object.create({ host: 'plc' });
    assert.deepEqual(role.readVariables(inherited).faults, [{ field: 'host', message: 'is required' }]);
  });
});

describe('addresses', () => {
  test('a good address passes; a bad one is answered with what is wrong and an example', () => {
    assert.equal(role.checkAddress('measurement', 'coil 12', { datatype: 'b' }), undefined);
    assert.match(
      role.checkAddress('measurement', 'register 1', { datatype: 'b' }) ?? '',
      /not an address.*as in coil 7/,
    );
    assert.match(
      role.checkAddress('measurement', 'coil 1', { datatype: 'd' }) ?? '',
      /wants datatype b.*example coil 7/,
    );
    assert.match(role.checkAddress('measurement', '', { datatype: 'b' }) ?? '', /required, for example coil 7/);
  });

  test('the example that is shown is the one most like the address', () => {
    const examples = ['coil 7', 'coil 42', 'coil 700'].map((address) => ({ address, meaning: '' }));
    const { connector: role } = defineStack({
      ...naming,
      connector: { ...connector, measurement: { ...coil, examples } },
    });
    assert.match(role?.checkAddress('measurement', 'coil 4x', { datatype: 'b' }) ?? '', /as in coil 42$/);
    assert.match(role?.checkAddress('measurement', 'spool', { datatype: 'b' }) ?? '', /as in coil 7$/);
  });

  test('a kind of point that the stack does not have is refused', () => {
    assert.match(role.checkAddress('command', 'coil 1', { datatype: 'b' }) ?? '', /probe connector has no commands/);
    const wrong = role.checkAddress('alarm', 'coil 1', { datatype: 'b' });
    assert.equal(wrong, 'a probe connector has no alarms: leave connectorName and address out');
  });

  test('alarms of devices have a syntax of their own, which providers do not have', () => {
    const { connector: role, provider } = defineStack({
      ...naming,
      connector: {
        ...connector,
        alarm: { ...coil, regex: '^bell [0-9]$', examples: [{ address: 'bell 1', meaning: '' }] },
      },
      provider: connector,
    });
    assert.equal(role?.checkAddress('alarm', 'bell 2', { datatype: 'b' }), undefined);
    assert.match(
      role?.checkAddress('alarm', 'coil 7', { datatype: 'b' }) ?? '',
      /probe connector alarms.*as in bell 1/,
    );
    assert.deepEqual(role?.describe().description.alarm?.regex, '^bell [0-9]$');
    assert.equal(provider?.describe().description.alarm, undefined);
  });

  test('an address longer than 1,024 characters never meets the regex', () => {
    const slow = { ...coil, regex: '^(?:(?:c|.)+)+$', examples: [{ address: 'c', meaning: '' }] };
    const { connector: role } = defineStack({ ...naming, connector: { ...connector, measurement: slow } });
    const wrong = role?.checkAddress('measurement', `${'c'.repeat(5000)}\n`, { datatype: 'b' });
    assert.match(wrong ?? '', /has 5001 characters: at most 1024/);
  });

  test('a check that throws makes a fault of that address', () => {
    const check = (address: string) => (address === 'coil 7' ? undefined : assert.fail('oops'));
    const { connector: role } = defineStack({
      ...naming,
      connector: { ...connector, measurement: { ...coil, check } },
    });
    assert.match(
      role?.checkAddress('measurement', 'coil 1', { datatype: 'b' }) ?? '',
      /failed to check "coil 1": oops/,
    );
  });

  test('a regex that backtracks is found out, and an ordinary one is not', () => {
    const examples = [{ address: 'ab,cd', meaning: '' }];
    assert.equal(findSlowAddress({ ...coil, examples, regex: '^[a-z]+(?:,[a-z]+)*$' }), undefined);
    assert.match(findSlowAddress({ ...coil, examples, regex: '^(?:[a-z]+,?)*$' }, 100) ?? '', /^a/);
  });
});

describe('a declaration that contradicts itself is refused', () => {
  const variable = (schema: Parameters<typeof Type.Object>[0]) => ({ ...connector, variables: Type.Object(schema) });
  const syntax = (change: Partial<AddressSyntax>) => ({ ...connector, measurement: { ...coil, ...change } });
  const cases: [string, RoleDeclaration<ReturnType<typeof Type.Object>>, RegExp][] = [
    [
      'a default out of its range',
      variable({ a: Type.Integer({ title: 'A', default: 5, maximum: 4 }) }),
      /variable a.*at most 4/,
    ],
    ['a default of another type', variable({ a: Type.Integer({ title: 'A', default: '5' }) }), /not of type integer/],
    [
      'a broken default of an integer',
      variable({ a: Type.Integer({ title: 'A', default: 0.5 }) }),
      /not a whole number/,
    ],
    ['a default not of the words', variable({ a: Type.Enum(['x'], { title: 'A', default: 'y' }) }), /one of x/],
    [
      'a default off its pattern',
      variable({ a: Type.String({ title: 'A', default: 'y', pattern: '^x$' }) }),
      /must be what its title says, A, not "y"/,
    ],
    ['a variable without a title', variable({ a: Type.Integer() }), /title/],
    [
      'a variable that is a list',
      variable({ a: Type.Array(Type.Integer(), { title: 'A' }) }),
      /items is not supported/,
    ],
    ['a keyword that would not be checked', variable({ a: Type.Integer({ title: 'A', multipleOf: 2 }) }), /multipleOf/],
    ['a pattern that is none', variable({ a: Type.String({ title: 'A', pattern: '(' }) }), /regular expression/i],
    ['a regex that is none', syntax({ regex: '^(' }), /regular expression/i],
    ['a regex without a beginning', syntax({ regex: 'coil [0-9]+$' }), /anchored/],
    ['a regex without an end', syntax({ regex: '^coil [0-9]+' }), /anchored/],
    ['a regex that ends in a dollar sign', syntax({ regex: '^coil [0-9]+\\$' }), /anchored/],
    ['a regex that is anchored in its halves alone', syntax({ regex: '^coil [0-9]+|x$' }), /anchored/],
    ['an example off the regex', syntax({ examples: [{ address: 'reg 1', meaning: '' }] }), /reg 1 is invalid/],
    ['an example off the check', syntax({ check: () => 'never' }), /coil 7 is invalid: never/],
    ['no example', syntax({ examples: [] }), /at least one example/],
  ];
  for (const [title, role, message] of cases) {
    test(title, () => {
      assert.throws(() => defineStack({ ...naming, connector: { ...role, load } }), { message });
      assert.throws(() => defineStack({ ...naming, provider: { ...role, load } }), {
        message: /^stack probe: provider /,
      });
    });
  }

  test('a name that is no identifier, no title, no role', () => {
    for (const name of ['', 'a-b', 'a'.repeat(65)]) {
      assert.throws(() => defineStack({ ...naming, name, connector }), { message: /name/ });
    }
    assert.throws(() => defineStack({ ...naming, title: '', connector }), { message: /title/ });
    assert.throws(() => defineStack(naming), { message: /a connector or a provider/ });
  });

  test('a role without a function that loads it', () => {
    for (const load of [undefined, './connector.ts', Promise.resolve(module)]) {
      const role = { ...connector, load } as unknown as typeof connector;
      const message = /^stack probe: connector load must be a function, such as .*connector\.ts/;
      assert.throws(() => defineStack({ ...naming, connector: role }), { message });
      assert.throws(() => defineStack({ ...naming, provider: role }), { message: /^stack probe: provider load/ });
    }
  });

  test('an alternative inside a group or a class does not spoil the anchors', () => {
    assert.ok(defineStack({ ...naming, connector: syntax({ regex: '^(?:coil|[(|] \\|) [0-9]+$' }) }));
  });
});

describe('a stack', () => {
  test('describes itself as the wire has it, defaults as texts without an exponent', () => {
    const { name, description, defaults } = role.describe();
    assert.equal(name, 'probe');
    const own = { port: '502', factor: '0.0000001', swap: 'false', parity: 'even', label: 'a|b' };
    assert.deepEqual(defaults, { ...own, reconnectMaxMs: '5000' });
    assert.deepEqual(Object.keys(description), [
      'title',
      'description',
      'parameters',
      'measurement',
      'command',
      'alarm',
    ]);
    assert.deepEqual(description.parameters.host, { title: 'Host', type: 'string', required: true });
    const port = { title: 'Port', type: 'integer', required: false, range: [1, 65535], default: 502 };
    assert.deepEqual(description.parameters.port, port);
    assert.deepEqual(description.parameters.unit?.range, [0, null]);
    assert.deepEqual(description.parameters.parity?.enum, ['none', 'even', 'odd']);
    assert.equal(description.parameters.label?.regex, '^[a-z|]+$');
    assert.equal(description.parameters.label?.form, 'small letters and |');
    const { regex, doc, examples } = coil;
    assert.deepEqual(description.measurement, { enabled: true, regex, doc: doc.split('\n\n'), examples });
    for (const syntax of [description.command, description.alarm]) {
      assert.deepEqual(syntax, { enabled: false, regex: null, doc: [], examples: [] });
    }
    assert.deepEqual(role.readVariables({ ...defaults, host: 'x' }).faults, []);
  });

  test('loads the module that runs a role when it is asked for, not before', async () => {
    const loaded: string[] = [];
    const noting = (role: string) => async () => {
      loaded.push(role);
      return module;
    };
    const both = defineStack({
      ...naming,
      connector: { ...connector, load: noting('connector') },
      provider: { ...connector, load: noting('provider') },
    });
    both.connector?.describe();
    assert.deepEqual(loaded, []);
    assert.equal(await both.provider?.load(), module);
    assert.equal(await both.connector?.load(), module);
    assert.deepEqual(loaded, ['provider', 'connector']);
  });

  test('is distinguished from everything else, though another copy of the kit made it', async () => {
    const copy = new URL('./define-stack.ts?copy', import.meta.url).href;
    const { defineStack: define } = (await import(copy)) as { defineStack: typeof defineStack };
    assert.notEqual(define, defineStack);
    assert.ok(isStack(stack) && isStack(define({ ...naming, connector })));
    for (const other of [undefined, null, 'probe', {}, { ...naming, connector: role }, Object.create(stack)]) {
      assert.equal(isStack(other), false);
    }
  });

  test('is documented in tables, with the bars in cells escaped', () => {
    const text = documentStack(stack);
    const rows = text.split('\n').map((line) => line.replaceAll(/ +/g, ' '));
    assert.deepEqual(rows.slice(0, 3), ['### Connector', '', '| Variable | Meaning | Type | Default | Allowed |']);
    assert.ok(rows.includes('| `host` | Host | string | required | |'));
    assert.ok(rows.includes('| `port` | Port | integer | `502` | 1 to 65535 |'));
    assert.ok(rows.includes('| `unit` | Unit. Left out: broadcast | integer | | at least 0 |'));
    assert.ok(rows.includes('| `label` | Label | string | `a\\|b` | small letters and \\| |'));
    assert.ok(rows.includes('A coil by its number.') && rows.includes('| `coil 7` | the coil 7 |'));
    assert.match(text, /#### Command addresses of a connector\n\nNone\.$/);
  });
});

describe('variables of the host', () => {
  test('are there in every role, within their bounds, beside those of the stack', () => {
    const { reconnectMaxMs } = role.describe().description.parameters;
    assert.deepEqual(
      [reconnectMaxMs?.default, reconnectMaxMs?.range, reconnectMaxMs?.unit],
      [5000, [500, 600_000], 'ms'],
    );
    assert.equal(texts({ reconnectMaxMs: '1m' }).values?.reconnectMaxMs, 60_000);
    assert.deepEqual(faultsOf({ reconnectMaxMs: '499' }), ['reconnectMaxMs must be at least 500, not 499']);
  });

  test('cannot be declared by a stack', () => {
    const own = Type.Object({ reconnectMaxMs: Type.Integer({ title: 'Pause', default: 1 }) });
    assert.throws(() => defineStack({ ...naming, connector: { ...connector, variables: own } }), /the host has one/);
  });
});
