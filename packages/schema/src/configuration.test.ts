// Holds every resource of the configuration interface against the field tables of its document and its extensions (`area`, the
// connector and address of an alarm, pictures and trends), written down here a second time: names, types, which are required.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { TObject } from 'typebox';
import { Collection, ExecutableStat, families, Names, RenderStatus, withNulls } from './configuration.ts';
import { type Family, familyNames } from './families.ts';
import { isIdentifier, reservedName } from './identifier.ts';
import { Stack } from './stack-description.ts';
import { Transaction } from './transaction.ts';
import { checker } from './validate.ts';

/** A table of the document: a field and its type a line; `!` marks what is required. */
const tables: Record<Family, string> = {
  alarms: `
    name            identifier!
    description     string
    severity        severity!
    archMode        none|change
    ackMode         manual|auto
    enabled         boolean
    trgMeasurement  string
    trgOperator     lt|gt|le|ge|eq|ne
    trgRefValue     string
    trgHysteresis   string
    groupName       string
    connectorName   string
    address         string
    area            area
    properties      map`,
  measurements: `
    ${communication()}
    deadband        string`,
  commands: `
    ${communication()}
    initialValue    string`,
  'function-modules': `
    name            identifier!
    description     string
    executable      path
    debug           boolean
    respawn         boolean
    enabled         boolean
    termToKill      integer!
    queryTimeout    integer!
    runMode         string
    properties      map
    env             map`,
  connectors: stackInstance(),
  providers: stackInstance(),
  pictures: `
    name            identifier!
    description     string
    svg             string!
    parameters      map
    area            area
    properties      map`,
  trends: `
    name            identifier!
    description     string
    pens            pens!
    axes            axes
    span            seconds
    area            area
    properties      map`,
};

function communication(): string {
  return `
    name               identifier!
    address            string
    description        string
    datatype           b|q|i|l|f|d|s!
    rawDatatype        b|q|i|l|f|d|s
    connectorName      string
    rawRangeLo         string
    rawRangeHi         string
    euRangeLo          string
    euRangeHi          string
    providerAddresses  map
    archMode           none|change
    archPeriod         integer
    archValueDeadband  string
    archTimeDeadband   integer
    leader             string
    stackUmask         integer
    eu                 string
    area               area
    enabled            boolean
    properties         map`;
}

function stackInstance(): string {
  return `
    name            identifier!
    stackName       string
    wdtMeasurement  string
    vars            map
    properties      map`;
}

/** Values that a field of a type takes, and values that it does not. */
const values: Record<string, { good: unknown[]; bad: unknown[] }> = {
  identifier: {
    good: ['a', '_', '0', 'A'.repeat(64), '__proto__', 'constructor'],
    bad: ['', 'a-b', 'a b', 'ü', 'a\n', 'A'.repeat(65), 'a.b', 5, true, {}],
  },
  string: { good: ['', 'text', '\n', 'x'.repeat(70_000), '80.5', '1%'], bad: [5, true, {}, ['a'], 0] },
  severity: { good: [0, 1, 1000, 2 ** 40], bad: [-1, 1.5, '1', true, {}, Number.NaN] },
  integer: { good: [0, 1, 86_400_000, Number.MAX_SAFE_INTEGER], bad: [0.5, '1', true, {}, 2 ** 60] },
  boolean: { good: [true, false], bad: [0, 1, 'true', '', {}] },
  map: {
    good: [{}, { a: '' }, { 'any key /~': 'x', '\n': 'y' }, JSON.parse('{"__proto__":"a","constructor":"b"}')],
    bad: [{ '': 'x' }, { a: 1 }, { a: null }, { a: {} }, [], 'a', 5, JSON.parse('{"__proto__":1}')],
  },
  pens: {
    good: [
      [],
      [{ kind: 'alarms', name: '__proto__' }],
      [{ kind: 'measurements', name: 'a', axis: 'm', colour: 16, style: 'step', visible: false }],
      Array(32).fill({ kind: 'commands', name: 'a' }),
    ],
    bad: [
      {},
      'a',
      [{}],
      [{ kind: 'alarms' }],
      [{ kind: 'connectors', name: 'a' }],
      [{ kind: 'alarms', name: 'a-b' }],
      [{ kind: 'alarms', name: 'a', colour: 17 }],
      [{ kind: 'alarms', name: 'a', width: 1 }],
      Array(33).fill({ kind: 'commands', name: 'a' }),
    ],
  },
  axes: {
    good: [[], [{ name: 'm³/h', title: '', lo: -0.5, hi: 1e300 }]],
    bad: [{}, [{}], [{ name: '' }], [{ name: 'm', lo: '1' }], Array(33).fill({ name: 'm' })],
  },
  seconds: { good: [1, 3600, 86_400 * 366], bad: [0, -1, 1.5, '3600', 2 ** 40] },
  area: {
    good: ['', 'works', 'works.dosing.line-2_b', Array(16).fill('a'.repeat(64)).join('.'), '__proto__.constructor'],
    bad: ['.', 'a.', '.a', 'a..b', 'a b', 'a/b', 'ä', 'a\n', 'a'.repeat(65), Array(17).fill('a').join('.'), 5, {}],
  },
  path: {
    good: ['loop', 'bin/loop.py', 'a/b/c/d/e/f/g/h', 'a-b_c.d', '.a', 'a/.b', ' a b/..c ', '...'],
    bad: ['', '/bin/sh', '../x', 'a/../b', './a', 'a//b', 'a/', '.', 'a/..', 'a\\b', 'a\u0000', 5, {}],
  },
};

const valuesOf = (type: string) =>
  values[type] ?? { good: type.split('|'), bad: ['', 'nothing', type, type.toUpperCase(), 5, true, {}] };

interface Line {
  readonly field: string;
  readonly type: string;
  readonly required: boolean;
}

function linesOf(family: Family): Line[] {
  const lines = tables[family].split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [field = '', type = ''] = line.trim().split(/\s+/);
    return { field, type: type.replace('!', ''), required: type.endsWith('!') };
  });
}

function smallest(family: Family): Record<string, unknown> {
  const required = linesOf(family).filter((line) => line.required);
  return Object.fromEntries(required.map(({ field, type }) => [field, valuesOf(type).good[0]]));
}

test('there are the six families of the document, and behind them those of ours', () => {
  const ofDocument = ['alarms', 'commands', 'measurements', 'connectors', 'providers', 'function-modules'];
  assert.deepEqual(familyNames, [...ofDocument, 'pictures', 'trends']);
});

for (const family of familyNames) {
  describe(family, () => {
    const schema: TObject = families[family];
    const { fits, faults } = checker(schema);

    test('has the fields of the document and no other', () => {
      assert.deepEqual(
        Object.keys(schema.properties).sort(),
        linesOf(family)
          .map(({ field }) => field)
          .sort(),
      );
    });

    test('requires what the document requires and nothing else', () => {
      const required = linesOf(family).flatMap(({ field, required }) => (required ? [field] : []));
      assert.deepEqual([...(schema.required ?? [])].sort(), required.sort());
      assert.deepEqual(faults(smallest(family)), []);
      assert.deepEqual(
        faults({})
          .map(({ path }) => path)
          .sort(),
        required.map((field) => `/${field}`).sort(),
      );
    });

    test('takes in each field the values of its type, and refuses all others with the path of the field', () => {
      for (const { field, type } of linesOf(family)) {
        for (const good of valuesOf(type).good) {
          assert.deepEqual(faults({ ...smallest(family), [field]: good }), [], `${field}: ${JSON.stringify(good)}`);
        }
        for (const bad of valuesOf(type).bad) {
          const found = faults({ ...smallest(family), [field]: bad });
          assert.ok(found.length > 0, `${field} took ${JSON.stringify(bad)}`);
          for (const { path } of found) assert.match(path, new RegExp(`^/${field}(?:/|$)`));
        }
      }
    });

    test('refuses a field that the document does not have', () => {
      for (const field of ['Name', 'type', '__proto__', 'constructor', '']) {
        const object = JSON.parse(`{${JSON.stringify(field)}:"a",${JSON.stringify(smallest(family)).slice(1)}`);
        assert.equal(fits(object), false, field);
      }
    });

    test('may have null as a request body in every field that is not required', () => {
      const body = checker(withNulls(schema));
      for (const { field, type, required } of linesOf(family)) {
        assert.equal(body.fits({ ...smallest(family), [field]: null }), !required, field);
        for (const good of valuesOf(type).good) assert.ok(body.fits({ ...smallest(family), [field]: good }));
        for (const bad of valuesOf(type).bad) assert.ok(!body.fits({ ...smallest(family), [field]: bad }), field);
      }
      assert.equal(body.fits({ ...smallest(family), other: null }), false);
    });

    test('has a collection that maps names to objects', () => {
      const collection = checker(Collection(schema));
      const object = smallest(family);
      for (const good of [{}, { a: object, b1_: object }, JSON.parse(`{"__proto__":${JSON.stringify(object)}}`)]) {
        assert.deepEqual(collection.faults(good), []);
      }
      for (const bad of [[], null, { 'a-b': object }, { '': object }, { a: {} }, { a: null }, { a: [object] }]) {
        assert.equal(collection.fits(bad), false, JSON.stringify(bad));
      }
    });

    test('can be put and deleted by a transaction, as the reference documents it', () => {
      const transaction = checker(Transaction);
      const put = { operation: 'put', family, name: 'a', object: smallest(family) };
      const deletion = { operation: 'delete', family, name: 'a' };
      assert.ok(transaction.fits({ operations: [put, deletion] }));
      assert.ok(!transaction.fits({ operations: [{ ...put, object: {} }] }));
      assert.ok(!transaction.fits({ operations: [{ ...deletion, object: {} }] }));
      assert.ok(!transaction.fits({ operations: [{ ...put, family: 'others' }] }));
    });
  });
}

test('an identifier is 1 to 64 characters of 0-9, a-z, A-Z and _', () => {
  const allowed = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_';
  const good = fc.string({ unit: fc.constantFrom(...allowed), maxLength: 70 });
  fc.assert(
    fc.property(fc.oneof(good, fc.string({ unit: 'binary', maxLength: 5 })), (text) => {
      const expected = text.length >= 1 && text.length <= 64 && [...text].every((letter) => allowed.includes(letter));
      assert.equal(isIdentifier(text), expected);
    }),
  );
  assert.ok(isIdentifier(reservedName));
});

test('a stack has a name, and may have a description and defaults', () => {
  const { fits } = checker(Stack);
  assert.ok(fits({ name: 'simulator' }));
  const none = { enabled: false, regex: null, doc: [], examples: [] };
  const host = { title: 'Host', type: 'string', required: true, later: [{}] };
  const description = { title: 'x', description: 'y', parameters: { host }, measurement: none, command: none };
  assert.ok(fits({ name: 'simulator', description, defaults: { a: '1' } }));
  assert.ok(!fits({ name: 'simulator', description: { ...description, parameters: { host: {} } } }));
  for (const bad of [
    {},
    { name: 'a-b' },
    { name: 'a', description: 'x' },
    { name: 'a', defaults: [] },
    { name: 'a', x: 1 },
  ]) {
    assert.equal(fits(bad), false, JSON.stringify(bad));
  }
});

test('an executable stat has seven whole numbers, none of them required', () => {
  const { fits } = checker(ExecutableStat);
  const fields = ['mode', 'uid', 'gid', 'size', 'atime', 'mtime', 'ctime'];
  assert.deepEqual(Object.keys(ExecutableStat.properties), fields);
  assert.ok(fits({}));
  assert.ok(fits(Object.fromEntries(fields.map((field) => [field, 5]))));
  for (const field of fields) for (const bad of ['5', 1.5, null]) assert.ok(!fits({ [field]: bad }), field);
  assert.ok(!fits({ birthtime: 5 }));
});

test('a render status has the boolean up_to_date, which is not required', () => {
  const { fits } = checker(RenderStatus);
  for (const good of [{}, { up_to_date: true }, { up_to_date: false }]) assert.ok(fits(good));
  for (const bad of [{ up_to_date: 1 }, { up_to_date: null }, { upToDate: true }, []]) assert.ok(!fits(bad));
});

test('names are an array of identifiers', () => {
  const { fits } = checker(Names);
  assert.ok(fits([]) && fits(['a', '__proto__']));
  for (const bad of [{}, ['a-b'], [5], [''], 'a']) assert.ok(!fits(bad));
});
