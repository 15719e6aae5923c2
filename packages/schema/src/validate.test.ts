// Promises of the validator: what fits, what is said of what does not, and where.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import Type, { type TSchema } from 'typebox';
import { families, withNulls } from './configuration.ts';
import { familyNames } from './families.ts';
import { pointerPart } from './pointer.ts';
import { Revision } from './revision.ts';
import { OperationEnvelope, Transaction } from './transaction.ts';
import { checker } from './validate.ts';
import { Problem } from './wire-schemas.ts';

const Thing = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z]+$' }),
    count: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
    share: Type.Optional(Type.Number({ minimum: -1 })),
    flag: Type.Optional(Type.Boolean()),
    colour: Type.Optional(Type.Enum(['red', 'blue'], { type: 'string' })),
    kind: Type.Optional(Type.Literal('thing')),
    map: Type.Optional(
      Type.Record(Type.String({ pattern: '^[\\s\\S]+$' }), Type.String(), { additionalProperties: false }),
    ),
    inner: Type.Optional(Type.Object({ deep: Type.Array(Type.Integer()) }, { additionalProperties: false })),
    either: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  { additionalProperties: false },
);
const thing = checker(Thing);
const known = 'name, count, share, flag, colour, kind, map, inner, either';

/** `path message` of each fault. */
const reported = (data: unknown, ...rest: [at?: string, most?: number]) =>
  thing.faults(data, ...rest).map(({ path, message }) => `${path} ${message}`);

describe('what is wrong is said in words, with a JSON pointer to it', () => {
  const cases: [string, unknown, string[]][] = [
    ['a missing field', {}, ['/name is required']],
    ['an unknown field', { name: 'a', size: 1 }, [`/size is unknown; known are ${known}`]],
    ['several', { name: 'a', size: 1, x: 2 }, [`/size is unknown; known are ${known}`, '/x is unknown']],
    ['a text that is expected', { name: 5 }, ['/name must be a string']],
    ['a pattern', { name: 'A' }, ['/name has a wrong form']],
    ['a whole number', { name: 'a', count: 1.5 }, ['/count must be an integer']],
    ['a number', { name: 'a', share: '1' }, ['/share must be a number: write 1, without quotes']],
    ['a least value', { name: 'a', count: -1, share: -1.5 }, ['/count must be >= 0', '/share must be >= -1']],
    ['a greatest value', { name: 'a', count: 11 }, ['/count must be <= 10']],
    ['a boolean', { name: 'a', flag: 1 }, ['/flag must be a boolean: write true']],
    ['a choice', { name: 'a', colour: 'green' }, ['/colour must be one of red, blue']],
    ['a constant', { name: 'a', kind: 'other' }, ['/kind must be thing']],
    ['an object', { name: 'a', inner: [] }, ['/inner must be an object']],
    ['a field of an inner object', { name: 'a', inner: {} }, ['/inner/deep is required']],
    ['an unknown inner field', { name: 'a', inner: { deep: [], x: 1 } }, ['/inner/x is not allowed here']],
    [
      'an item',
      { name: 'a', inner: { deep: [1, 'x', 2.5] } },
      ['/inner/deep/1 must be an integer', '/inner/deep/2 must be an integer'],
    ],
    [
      'a value of a map',
      { name: 'a', map: { x: 1, 'a/b': 2, '~': 3 } },
      [
        '/map/x must be a string: write "1"',
        '/map/a~1b must be a string: write "2"',
        '/map/~0 must be a string: write "3"',
      ],
    ],
    ['an empty key of a map', { name: 'a', map: { '': 'x' } }, ['/map/ is not allowed here']],
    ['one of several types', { name: 'a', either: 1 }, ['/either must be a string: write "1"', '/either must be null']],
    ['a field beside one that fits one of several types', { name: 5, either: null }, ['/name must be a string']],
    ['no object at all', null, [' must be an object']],
    ['an array', [], [' must be an object']],
  ];
  for (const [what, data, expected] of cases) {
    test(what, () => {
      assert.deepEqual(reported(data), expected);
      assert.equal(thing.fits(data), false);
    });
  }

  test('everything at once', () => {
    assert.deepEqual(reported({ 'x/y': 1, count: -1, flag: 'no', map: { '': '' } }).sort(), [
      '/count must be >= 0',
      '/flag must be a boolean',
      '/map/ is not allowed here',
      '/name is required',
      `/x~1y is unknown; known are ${known}`,
    ]);
  });

  test('names that mean something to JavaScript', () => {
    const data = JSON.parse('{"name":"a","__proto__":1,"constructor":2,"map":{"__proto__":3,"toString":"x"}}');
    assert.deepEqual(
      reported(data).map((fault) => fault.split(' ')[0]),
      ['/__proto__', '/constructor', '/map/__proto__'],
    );
    assert.deepEqual(reported(JSON.parse('{"__proto__":{"name":"a"}}')).sort(), [
      `/__proto__ is unknown; known are ${known}`,
      '/name is required',
    ]);
  });

  test('behind the place where the data stands', () => {
    assert.deepEqual(reported({ name: 5 }, '/operations/3/object'), ['/operations/3/object/name must be a string']);
    assert.deepEqual(reported(5, '/operations/3'), ['/operations/3 must be an object']);
  });
});

test('what fits has no faults', () => {
  const data = { name: 'a', count: 0, flag: false, map: { x: '' }, inner: { deep: [] }, either: null };
  assert.equal(thing.fits(data), true);
  assert.deepEqual(thing.faults(data), []);
});

test('however many fields are unknown, each is reported, up to 20', () => {
  for (const count of [1, 7, 8, 9, 19, 20, 5000]) {
    const fields = Array.from({ length: count }, (_, at) => `field${at}`);
    const data = { name: 'a', ...Object.fromEntries(fields.map((field) => [field, 1])) };
    const paths = thing.faults(data).map(({ path }) => path);
    assert.deepEqual(
      paths,
      fields.slice(0, 20).map((field) => `/${field}`),
    );
    const map = Object.fromEntries(fields.map((field) => [field, 1]));
    assert.equal(thing.faults({ name: 'a', map }).length, Math.min(count, 20));
    assert.equal(thing.faults(data, '', 3).length, Math.min(count, 3));
  }
});

describe('however much was sent', () => {
  /** The list or object, and how many of its parts were looked at. */
  function counted<T extends object>(data: T): { data: T; reads: () => number } {
    const seen = new Set<string | symbol>();
    const get = (target: T, key: string | symbol): unknown => {
      if (Object.hasOwn(target, key) && key !== 'length') seen.add(key);
      return Reflect.get(target, key);
    };
    return { data: new Proxy(data, { get }), reads: () => seen.size };
  }
  const many = 100_000;

  test('of a list of wrong items no more are looked at than are reported', () => {
    const { data: deep, reads } = counted(Array(many).fill('x'));
    assert.equal(thing.faults({ name: 'a', inner: { deep } }).length, 20);
    assert.ok(reads() <= 21, `${reads()} items were looked at`);
  });

  test('of an object of unknown keys no value is looked at', () => {
    const { data, reads } = counted(Object.fromEntries(Array.from({ length: many }, (_, at) => [`k${at}`, {}])));
    const faults = thing.faults(data);
    assert.deepEqual([faults.length, faults[19]?.path], [20, '/k19']);
    assert.ok(reads() <= 1, `${reads()} values were looked at`);
  });

  test('a list or a map that is too long is reported as that, and nothing in it is looked at', () => {
    const short = checker(
      Type.Object({
        list: Type.Array(Type.Object({ a: Type.String() }), { maxItems: 3 }),
        map: Type.Record(Type.String(), Type.Object({ a: Type.String() }), { maxProperties: 3 }),
      }),
    );
    const list = counted(Array(many).fill(0));
    const map = counted(Object.fromEntries(Array.from({ length: many }, (_, at) => [`k${at}`, 0])));
    assert.deepEqual(short.faults({ list: list.data, map: map.data }), [
      { path: '/list', message: 'must have at most 3 items' },
      { path: '/map', message: 'must have at most 3 keys' },
    ]);
    assert.ok(list.reads() + map.reads() <= 2);
  });

  test('the one wrong item among very many is found', () => {
    const items = Array(many)
      .fill(1)
      .with(many - 1, 'x');
    assert.deepEqual(reported({ name: 'a', inner: { deep: items } }), [`/inner/deep/${many - 1} must be an integer`]);
  });

  test('what is reported is a few KiB, and keys of any length are cut', () => {
    for (const key of [(at: number) => `k${at}`, (at: number) => `${at}${'é'.repeat(10_000)}`]) {
      const data = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [key(at), 1]));
      const text = JSON.stringify(thing.faults(data));
      assert.ok(Buffer.byteLength(text) < 6 << 10, `${Buffer.byteLength(text)} bytes`);
      assert.ok(Buffer.byteLength(JSON.stringify(thing.faults({ name: 'a', map: data }))) < 6 << 10);
    }
    assert.deepEqual(thing.faults({ name: 'a', ['\u{1f600}'.repeat(50)]: 1 }), [
      { path: `/${'\u{1f600}'.repeat(40)}…`, message: `is unknown; known are ${known}` },
    ]);
  });
});

test('what does not fit has a fault, however few are asked for', () => {
  assert.equal(thing.faults({}, '', 0).length, 1);
});

/** Objects near the schema: its fields and a few others, with values that fit somewhere. */
const nearly = (schema: TSchema): fc.Arbitrary<unknown> => {
  const fields = Object.keys((schema as { properties?: object }).properties ?? {});
  const value = fc.oneof(
    fc.constantFrom('', 'a', 'd', 'put', 'alarms', 'change', 0, 1, -1, 1.5, true, null, [], {}, { a: 'b' }, { a: 1 }),
    fc.jsonValue(),
  );
  const field = fc.constantFrom(...fields, '__proto__', 'constructor', 'x', '');
  const entries = fc.array(fc.tuple(field, value), { maxLength: fields.length + 12 });
  return fc.oneof({ weight: 9, arbitrary: entries.map(Object.fromEntries) }, fc.jsonValue());
};

test('data fits exactly where there is no fault, for every schema that requests are held against', () => {
  const schemas: TSchema[] = [
    ...familyNames.flatMap((family) => [families[family], withNulls(families[family])]),
    ...[OperationEnvelope, Transaction, Problem, Revision, Thing],
  ];
  for (const schema of schemas) {
    const { fits, faults } = checker(schema);
    fc.assert(
      fc.property(nearly(schema), (data) => {
        assert.equal(faults(data).length === 0, fits(data));
      }),
      { numRuns: 300 },
    );
  }
});

test('a pointer is made as RFC 6901 says', () => {
  assert.deepEqual(['a', 'a/b', '~', '~1', '/~', ''].map(pointerPart), ['a', 'a~1b', '~0', '~01', '~1~0', '']);
});

describe('texts of a query are read', () => {
  const coerced = (field: string, text: string) => (thing.coerce({ [field]: text }) as Record<string, unknown>)[field];

  test('as booleans where they are 0, 1, false, true, off or on', () => {
    assert.deepEqual(
      ['0', '1', 'false', 'true', 'off', 'on'].map((text) => coerced('flag', text)),
      [false, true, false, true, false, true],
    );
    for (const text of ['', '2', '01', ' 1', 'yes', 'TRUE', 'null']) assert.equal(coerced('flag', text), text);
  });

  test('as whole numbers where they are digits', () => {
    assert.deepEqual(
      ['0', '10', '-3', '+7', '007', '9'.repeat(30), '9'.repeat(400)].map((text) => coerced('count', text)),
      [0, 10, -3, 7, 7, 1e30, Number.MAX_VALUE],
    );
    for (const text of ['', ' 1', '1.5', '1e3', '0x10', 'true', '1_0', '٣']) {
      assert.equal(coerced('count', text), text);
    }
  });

  test('as decimal numbers, with an exponent or without', () => {
    assert.deepEqual(
      ['1.5', '-.5', '2', '3.', '1e3', '-.5E-1'].map((text) => coerced('share', text)),
      [1.5, -0.5, 2, 3, 1000, -0.05],
    );
    for (const text of ['', '.', '1e', 'Infinity', 'NaN', '0x1']) assert.equal(coerced('share', text), text);
  });

  test('and stay as they are where the schema wants texts, or knows nothing', () => {
    const given = { name: '5', colour: '1', map: ['1'], other: '1', constructor: '1' };
    assert.deepEqual(thing.coerce(given), given);
    const own = thing.coerce(JSON.parse('{"__proto__":"1"}')) as object;
    assert.deepEqual(Object.keys(own), ['__proto__']);
  });

  test('into data that is new: what was given is not changed', () => {
    const given = Object.freeze({ count: '1', flag: '0' });
    assert.deepEqual(thing.coerce(given), { count: 1, flag: false });
    assert.deepEqual(given, { count: '1', flag: '0' });
  });
});
