// Promises of the reader of JSON: it reads what JSON.parse reads, in pieces of any length, and refuses what is too much or
// there twice before it has read on.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { maxJsonItems, maxJsonKeys, maxJsonTextBytes, maxJsonValues, readJson, strangersJson } from './json.ts';
import { JsonReader, readAll } from './json-reader.ts';
import { ProblemError } from './problem.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const limits = { depth: 8, keys: 1000, items: 1000, values: 10_000, textBytes: 1000 };
const read = (text: string, pieceBytes: number) => readAll(new JsonReader(bytes(text), { limits, pieceBytes }));
const pieceLengths = [0, 1, 2, 10, 50, 16 << 10];

/** Why it was refused, and after how many pieces. */
function refusal(reader: JsonReader): { error: ProblemError; pieces: number } {
  let pieces = 0;
  try {
    for (const _ of reader.read()) pieces++;
  } catch (error) {
    if (error instanceof ProblemError) return { error, pieces };
    throw error;
  }
  return assert.fail('it was read');
}

const key = fc.oneof(
  fc.constantFrom('', '__proto__', 'constructor', 'a', '10', '9', '"', '\\', '\n', 'a:b', '{', ']', ',', 'é', '\u2028'),
  fc.string({ unit: 'binary' }),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.oneof(key, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }).map(Object.fromEntries),
  ),
}));

describe('in pieces of any length', () => {
  const indent = fc.constantFrom('', ' ', '\t', '\r\n  ');

  test('JSON is read as it was written', () => {
    const property = fc.property(value, indent, fc.constantFrom(...pieceLengths), (wanted, space, pieceBytes) => {
      const text = `${space}${JSON.stringify(wanted, undefined, space)}${space}`;
      assert.equal(JSON.stringify(read(text, pieceBytes)), JSON.stringify(wanted));
    });
    fc.assert(property, { numRuns: 3000 });
  });

  test('what JSON.parse refuses is refused, and nothing else', () => {
    const isJson = (text: string) => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const mark = fc.constantFrom('[', ']', '{', '}', ',', ':', '"', '\\', ' ', '1', '-', 'null', 'x', '\u0001', '');
    const spoilt = fc.tuple(value, indent, fc.nat(), fc.nat(3), mark).map(([wanted, space, at, cut, more]) => {
      const text = JSON.stringify(wanted, undefined, space);
      const from = at % (text.length + 1);
      return text.slice(0, from) + more + text.slice(from + cut);
    });
    const property = fc.property(spoilt, fc.constantFrom(...pieceLengths), (text, pieceBytes) => {
      const body = bytes(text);
      if (isJson(new TextDecoder().decode(body))) {
        readAll(new JsonReader(body, { pieceBytes }));
        return;
      }
      const { error } = refusal(new JsonReader(body, { limits: { ...limits, depth: Infinity }, pieceBytes }));
      assert.ok(['malformed-json', 'duplicate-key'].includes(error.problem));
    });
    fc.assert(property, { numRuns: 5000 });
  });

  test('a mark of the byte order counts at the beginning alone', () => {
    for (const pieceBytes of pieceLengths) {
      assert.deepEqual(read('\ufeff[1]', pieceBytes), [1]);
      assert.throws(() => read('[1,\ufeff2]', pieceBytes), ProblemError);
    }
  });
});

describe('a key that is there twice', () => {
  const cases: Record<string, string> = {
    '{"a":1,"a":1}': '/a',
    '{"a":{"b":[1,{"c":1,"d":2,"c":3}]}}': '/a/b/1/c',
    '[[0,{"x/y":1,"x/y":1}]]': '/0/1/x~1y',
    '{"a":1,"\\u0061":2}': '/a',
    '{"__proto__":1,"b":2,"__proto__":3}': '/__proto__',
    '{"constructor":1, "constructor" : 2}': '/constructor',
    '[{"a":1},{"a":1,"b":2,"b":2}]': '/1/b',
    '{"operations":[{"name":"x","name":"x"}]}': '/operations/0/name',
  };

  for (const [text, path] of Object.entries(cases)) {
    test(`${text} is refused at ${path}`, () => {
      for (const pieceBytes of pieceLengths) {
        const { error } = refusal(new JsonReader(bytes(text), { limits, pieceBytes }));
        assert.deepEqual([error.problem, error.errors], ['duplicate-key', [{ path, message: 'is there twice' }]]);
      }
    });
  }

  test('is refused wherever it is', () => {
    const property = fc.property(value, fc.nat(), fc.constantFrom(...pieceLengths), (wanted, at, pieceBytes) => {
      const doubled = doubleAKey(wanted, at);
      if (doubled === undefined) return;
      const { error } = refusal(new JsonReader(bytes(doubled), { limits, pieceBytes }));
      assert.equal(error.problem, 'duplicate-key', doubled);
    });
    fc.assert(property, { numRuns: 2000 });
  });

  test('is reported in few words, however long it is', () => {
    const long = 'k'.repeat(100_000);
    const { error } = refusal(strangersJson(bytes(`{"${long}":1,"${long}":2}`)));
    assert.equal(error.problem, 'duplicate-key');
    assert.ok(JSON.stringify(error).length < 600);
  });

  test('counts last where the text is not of a stranger', () => {
    assert.deepEqual(readAll(new JsonReader(bytes('{"a":1,"a":2}'), { pieceBytes: 0 })), { a: 2 });
  });
});

/** The text with a key of one of its objects repeated; undefined where there is no object with a key. */
function doubleAKey(json: unknown, at: number): string | undefined {
  const places: string[] = [];
  const walk = (each: unknown): string => {
    if (Array.isArray(each)) return `[${each.map(walk).join(',')}]`;
    if (typeof each !== 'object' || each === null) return JSON.stringify(each);
    const members = Object.entries(each).map(([name, part]) => `${JSON.stringify(name)}:${walk(part)}`);
    if (members.length === 0) return '{}';
    const [first] = Object.keys(each);
    places.push(`,${JSON.stringify(first)}:0`);
    return `{${members.join(',')}\u0000${places.length - 1}\u0000}`;
  };
  const text = walk(json);
  if (places.length === 0) return undefined;
  const chosen = at % places.length;
  return text.replaceAll(/\u0000(\d+)\u0000/g, (_, place) => (Number(place) === chosen ? (places[chosen] ?? '') : ''));
}

describe('of what is too large', () => {
  test('an object is read up to its greatest number of keys, and not one further', () => {
    const withKeys = (count: number) => `{${Array.from({ length: count }, (_, at) => `"key${at}":${at}`).join()}}`;
    assert.equal(Object.keys(readJson(bytes(withKeys(maxJsonKeys))) as object).length, maxJsonKeys);
    const { error, pieces } = refusal(strangersJson(bytes(`[${withKeys(600_000)}]`)));
    assert.deepEqual(
      [error.problem, error.errors],
      ['json-too-large', [{ path: '/0', message: `has more than ${maxJsonKeys} keys` }]],
    );
    assert.ok(pieces <= maxJsonKeys + 1, `${pieces} pieces were read`);
  });

  test('a list is read up to its greatest number of items, and a piece further', () => {
    const withItems = (count: number) => `{"names":[${Array(count).fill('"n"').join()}]}`;
    assert.equal((readJson(bytes(withItems(maxJsonItems))) as { names: unknown[] }).names.length, maxJsonItems);
    const { error, pieces } = refusal(strangersJson(bytes(withItems(2_000_000))));
    assert.deepEqual(
      [error.problem, error.errors],
      ['json-too-large', [{ path: '/names', message: `has more than ${maxJsonItems} items` }]],
    );
    assert.ok(pieces <= 2 + (4 * maxJsonItems) / (16 << 10), `${pieces} pieces were read`);
  });

  test('a text is read up to its greatest length', () => {
    const ofLength = (length: number) => 'x'.repeat(length - 2);
    assert.equal(readJson(bytes(`"${ofLength(maxJsonTextBytes)}"`)), ofLength(maxJsonTextBytes));
    for (const text of [`["${ofLength(9 << 20)}"]`, `{"a":{"${ofLength(9 << 20)}":1}}`]) {
      const { error, pieces } = refusal(strangersJson(bytes(text)));
      assert.deepEqual([error.problem, pieces], ['json-too-large', 0]);
    }
  });

  test('all lists and objects together are read up to the greatest number of values', () => {
    const lists = `[${Array(2_000)
      .fill(`[${Array(1_000).fill('[]').join()}]`)
      .join()}]`;
    const { error, pieces } = refusal(strangersJson(bytes(lists)));
    assert.deepEqual(
      [error.problem, error.errors?.[0]?.message],
      ['json-too-large', `has more than ${maxJsonValues} values`],
    );
    assert.ok(pieces <= 2 + (4 * maxJsonValues) / (8 << 10), `${pieces} pieces were read`);
  });
});

describe('a list that is handed on', () => {
  const operations = Array.from({ length: 5000 }, (_, number) => ({ number, text: 'x'.repeat(number % 90) }));
  const body = bytes(JSON.stringify({ before: 1, operations, after: [1] }));

  test('comes whole and in order, and is not kept', () => {
    const taken: unknown[] = [];
    const handOn = { member: 'operations', take: (items: readonly unknown[]) => taken.push(...items) };
    assert.deepEqual(readJson(body, handOn), { before: 1, operations: [], after: [1] });
    assert.deepEqual(taken, operations);
  });

  test('may have more values than a text that is kept', () => {
    let taken = 0;
    const row = `[${Array(100).fill(0).join()}]`;
    const handOn = { member: 'operations', take: (items: readonly unknown[]) => (taken += items.length) };
    readJson(
      bytes(
        `{"operations":[${Array(maxJsonValues / 50)
          .fill(row)
          .join()}]}`,
      ),
      handOn,
    );
    assert.equal(taken, maxJsonValues / 50);
  });

  test('is read no further when it is refused', () => {
    let taken = 0;
    const take = (items: readonly unknown[]) => {
      taken += items.length;
      throw new ProblemError('invalid-body', 'That is enough.');
    };
    assert.throws(() => readJson(body, { member: 'operations', take }), /enough/);
    assert.ok(taken < 1000, `${taken} items were read`);
  });
});
