// Promises of how objects lie in SQLite and in a rendering: nothing is lost on the way there and back.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import {
  checker,
  type Family,
  type FamilyObject,
  families,
  familyNames,
  ProblemError,
  parseJson,
} from '@telltale/schema';
import fc from 'fast-check';
import { anyContent, anyObject, sameJson } from '../../test/any-object.ts';
import {
  type Content,
  Differences,
  describeChange,
  emptyContent,
  packContent,
  readContent,
  unpack,
} from './content.ts';
import { packRendering, readRendering, wholeRendering } from './rendering.ts';
import {
  type ColumnValue,
  canonicalMap,
  createTable,
  maxObjectText,
  nameIn,
  refuseUnstorable,
  tables,
  toColumns,
  toText,
} from './tables.ts';

const textOf = (family: Family, object: Record<string, unknown>) =>
  toText(tables[family], toColumns(family, object as FamilyObject[Family]));

describe('an object', () => {
  for (const family of familyNames) {
    test(`of ${family} comes back from SQLite as it was, whatever is in its fields`, () => {
      const table = tables[family];
      const sqlite = new DatabaseSync(':memory:');
      sqlite.exec(createTable(table));
      const fields = table.columns.map(({ field }) => field).join(', ');
      const insert = sqlite.prepare(`INSERT INTO ${table.name} VALUES (${'?, '.repeat(table.columns.length)}0, 'me')`);
      const select = sqlite.prepare(`SELECT ${fields} FROM ${table.name}`);
      select.setReturnArrays(true);
      const { faults } = checker(families[family]);
      fc.assert(
        fc.property(anyObject(family), (object) => {
          assert.deepEqual(faults(object), []);
          const columns = toColumns(family, object as FamilyObject[Family]);
          const text = toText(table, columns);
          refuseUnstorable(object, text, '');
          sqlite.exec(`DELETE FROM ${table.name}`);
          insert.run(...columns);
          const [row] = select.all() as unknown as ColumnValue[][];
          assert.deepEqual(row, columns);
          assert.equal(toText(table, row ?? []), text);
          assert.ok(sameJson(parseJson(text), object), text);
          assert.equal(nameIn(text), object.name);
          assert.deepEqual(faults(parseJson(text)), []);
        }),
        { numRuns: 300 },
      );
    });

    test(`of ${family} has one canonical text, however its fields and keys are ordered and nulls are sent`, () => {
      const shuffled = anyObject(family).chain((object) =>
        fc.tuple(fc.constant(object), shuffledObject(object), fc.subarray(Object.keys(families[family].properties))),
      );
      fc.assert(
        fc.property(shuffled, ([object, other, fields]) => {
          const nulls = Object.fromEntries(fields.filter((field) => !(field in object)).map((field) => [field, null]));
          assert.equal(textOf(family, { ...nulls, ...other }), textOf(family, object));
        }),
        { numRuns: 200 },
      );
    });

    test(`of ${family} has another text than any other object`, () => {
      fc.assert(
        fc.property(anyObject(family), anyObject(family), (one, other) => {
          assert.equal(textOf(family, one) === textOf(family, other), sameJson(one, other));
        }),
        { numRuns: 200 },
      );
    });
  }
});

/** Its keys. */
function reversed(object: object): object {
  return Object.fromEntries(Object.entries(object).reverse());
}

function shuffledObject(object: Record<string, unknown>): fc.Arbitrary<Record<string, unknown>> {
  const keys = Object.keys(object);
  return fc.shuffledSubarray(keys, { minLength: keys.length }).map((order) =>
    Object.fromEntries(
      order.map((key) => {
        const value = object[key];
        const isMap = typeof value === 'object' && value !== null;
        if (Array.isArray(value)) return [key, value.map(reversed)];
        return [key, isMap ? reversed(value) : value];
      }),
    ),
  );
}

test('the keys of a map are sorted, and none of them is special', () => {
  const map = JSON.parse('{"b":"1","__proto__":"2","10":"3","9":"4","constructor":"5","\\"":"6"}');
  assert.equal(canonicalMap(map), '{"\\"":"6","10":"3","9":"4","__proto__":"2","b":"1","constructor":"5"}');
  assert.equal(canonicalMap({}), '{}');
});

describe('what could not come back from the disk is refused', () => {
  const refusal = (object: Record<string, unknown>): ProblemError => {
    try {
      refuseUnstorable(object, textOf('alarms', object), '/operations/3/object');
    } catch (error) {
      if (error instanceof ProblemError) return error;
      throw error;
    }
    return assert.fail('it was taken');
  };

  test('a text with U+0000 or half of a surrogate pair, with the field where it is', () => {
    for (const bad of ['\u0000', 'a\u0000b', '\ud800', '\udc00', '\ud800a', '\udc00\ud800']) {
      for (const [field, value] of [
        ['description', bad],
        ['properties', { [bad]: 'x' }],
        ['properties', { x: bad }],
      ] as const) {
        const { problem, errors } = refusal({ name: 'a', severity: 1, groupName: 'fine', [field]: value });
        assert.equal(problem, 'invalid-body');
        assert.deepEqual(
          errors?.map(({ path }) => path),
          [`/operations/3/object/${field}`],
        );
      }
    }
  });

  test('an object of more than 1 MiB', () => {
    const sized = (length: number) => ({ name: 'a', severity: 1, description: 'x'.repeat(length) });
    const frame = textOf('alarms', sized(0)).length;
    assert.equal(maxObjectText, 1 << 20);
    assert.equal(refusal(sized(maxObjectText - frame + 1)).problem, 'object-too-large');
    refuseUnstorable(sized(maxObjectText - frame), textOf('alarms', sized(maxObjectText - frame)), '');
  });

  test('and nothing else: escapes and pairs are kept', () => {
    for (const description of ['\u0001', '\\u0000', '\ud83d\ude00', '\u2028', '\uffff']) {
      const object = { name: 'a', severity: 1, description };
      refuseUnstorable(object, textOf('alarms', object), '');
    }
  });
});

test('a table refuses what the schema refuses: a missing required field, a boolean that is neither 0 nor 1', () => {
  const sqlite = new DatabaseSync(':memory:');
  for (const family of familyNames) {
    sqlite.exec(createTable(tables[family]));
    const required = families[family].required;
    const kinds = new Map(tables[family].columns.map(({ field, kind }) => [field, kind]));
    const row = new Map<string, ColumnValue>([
      ['changedAt', 0],
      ['changedBy', 'me'],
    ]);
    for (const field of required) row.set(field, kinds.get(field) === 'text' ? 'a' : 1);
    const insert = (values: Map<string, ColumnValue>) =>
      sqlite
        .prepare(`INSERT INTO ${tables[family].name} (${[...values.keys()]}) VALUES (${[...values].map(() => '?')})`)
        .run(...values.values());
    for (const field of required) {
      assert.throws(() => insert(new Map([...row].filter(([name]) => name !== field))), /NOT NULL/);
    }
    for (const [field, kind] of kinds) {
      if (kind === 'boolean') assert.throws(() => insert(new Map([...row, [field, 2]])), /CHECK/);
      if (kind === 'integer') assert.throws(() => insert(new Map([...row, [field, 'many']])), /cannot store TEXT/);
    }
    insert(row);
    assert.throws(() => insert(row), /UNIQUE/);
  }
});

describe('a configuration', () => {
  const inOrder = (changes: Iterable<object | undefined>) =>
    [...changes].flatMap((change) => (change === undefined ? [] : [JSON.stringify(change)])).sort();
  const plain = (content: Content) => familyNames.map((family) => [family, [...content[family]]]);

  test('comes back from its packed form as it was', () => {
    fc.assert(
      fc.property(anyContent(), (content) => {
        assert.deepEqual(plain(readContent(unpack(packContent(content)).toString())), plain(content));
      }),
      { numRuns: 200 },
    );
  });

  test('runs from its packed form as it runs from its objects', () => {
    fc.assert(
      fc.property(anyContent(), (content) => {
        const fromObjects = packRendering(emptyContent(), content);
        assert.deepEqual(Buffer.from(wholeRendering(unpack(packContent(content)))), Buffer.from(fromObjects));
      }),
      { numRuns: 200 },
    );
  });

  test('takes the place of another by exactly the objects that went, changed or came', () => {
    fc.assert(
      fc.property(anyContent(), anyContent(), (before, after) => {
        const expected = [...Differences.between(before, after)].map(({ family, name }) => {
          const parsed = (text: string | undefined) => (text === undefined ? undefined : parseJson(text));
          return { family, before: parsed(before[family].get(name)), after: parsed(after[family].get(name)) };
        });
        assert.deepEqual(inOrder(readRendering(packRendering(before, after))), inOrder(expected));
      }),
      { numRuns: 200 },
    );
  });

  test('differs from another exactly in the objects whose texts differ', () => {
    fc.assert(
      fc.property(anyContent(), anyContent(), (before, after) => {
        const expected = familyNames.flatMap((family) =>
          [...new Set([...before[family].keys(), ...after[family].keys()])]
            .sort()
            .filter((name) => before[family].get(name) !== after[family].get(name))
            .map((name) => ({ family, name })),
        );
        const differences = Differences.between(before, after);
        assert.deepEqual([...differences], expected);
        assert.equal(differences.size, expected.length);
        assert.equal(Differences.between(after, after).size, 0);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a change', () => {
  test('of two objects names the fields that differ, and applied to the old one gives the new one', () => {
    const pair = fc
      .constantFrom(...familyNames)
      .chain((family) => fc.tuple(fc.constant(family), anyObject(family), anyObject(family)));
    fc.assert(
      fc.property(pair, ([family, before, after]) => {
        const { change, fields } = describeChange(textOf(family, before), textOf(family, after));
        assert.equal(change, 'changed');
        const result = new Map(Object.entries(before));
        for (const part of fields ?? []) {
          assert.equal('before' in part, part.field in before);
          assert.equal('after' in part, part.field in after);
          assert.ok(sameJson(part.before, before[part.field]) && sameJson(part.after, after[part.field]));
          assert.ok(!sameJson(part.before, part.after), part.field);
          if ('after' in part) result.set(part.field, part.after);
          else result.delete(part.field);
        }
        assert.ok(sameJson(Object.fromEntries(result), after));
      }),
      { numRuns: 500 },
    );
  });

  test('of an object that was not there, or is not there any more, has no fields', () => {
    assert.deepEqual(describeChange(undefined, '{"name":"a"}'), { change: 'added' });
    assert.deepEqual(describeChange('{"name":"a"}', undefined), { change: 'removed' });
  });
});
