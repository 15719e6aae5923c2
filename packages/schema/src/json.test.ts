// Promises of the reader of JSON that strangers send.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { maxJsonDepth, readJson } from './json.ts';
import { ProblemError, type ProblemName } from './problem.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readJson(bytes(text));

function refusal(body: Uint8Array): ProblemError {
  try {
    readJson(body);
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
  return assert.fail(`${new TextDecoder().decode(body).slice(0, 100)} was read`);
}

const refused = (body: string | Uint8Array): ProblemName =>
  refusal(typeof body === 'string' ? bytes(body) : body).problem;

/** How deep a value is nested, told without a look at its text. */
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

describe('the depth', () => {
  test('of 8 levels is read, and the ninth is refused, of arrays and objects alike', () => {
    assert.equal(maxJsonDepth, 8);
    assert.equal(depthOf(read('['.repeat(8) + ']'.repeat(8))), 8);
    assert.equal(depthOf(read(`${'{"a":'.repeat(7)}{}${'}'.repeat(7)}`)), 8);
    assert.equal(depthOf(read(`${'[{"a":'.repeat(4)}1${'}]'.repeat(4)}`)), 8);
    assert.equal(refused('['.repeat(9) + ']'.repeat(9)), 'json-too-deep');
    assert.equal(refused(`${'{"a":'.repeat(8)}{}${'}'.repeat(8)}`), 'json-too-deep');
    assert.equal(refused(`${'[{"a":'.repeat(4)}[]${'}]'.repeat(4)}`), 'json-too-deep');
  });

  test('is of what is open at once, not of what there is', () => {
    assert.deepEqual(read(`[${'[[[]]],'.repeat(100)}0]`), [...Array(100).fill([[[]]]), 0]);
  });

  test('does not count brackets in texts, whatever is escaped in them', () => {
    for (const text of [
      '[[[[[[[[[[',
      '{{{{{{{{{{{',
      '"[[[[[[[[[[',
      '\\"[[[[[[[[[',
      '\\',
      '\\\\"[[[[[[[[[[{{{',
      '"',
      '\n[',
    ]) {
      assert.equal(read(JSON.stringify(text)), text);
      assert.deepEqual(read(JSON.stringify({ [text]: [text] })), { [text]: [text] });
    }
    assert.equal(read('"\\u0022[[[[[[[[[["'), '"[[[[[[[[[[');
    assert.equal(refused(`["\\\\",${'['.repeat(8)}${']'.repeat(8)}]`), 'json-too-deep');
  });

  test('is refused at the byte where it is passed, before anything is built', () => {
    assert.match(refusal(bytes(`["ü",${'['.repeat(1_000_000)}`)).message, /^At byte 13 /);
    assert.equal(refused('[{"a":'.repeat(200_000)), 'json-too-deep');
  });

  test('decides alone whether well-formed JSON is read, and it is read as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 12, depthSize: 'max' }), fc.integer({ min: 0, max: 2 }), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        if (depthOf(JSON.parse(text)) > 8) assert.equal(refused(text), 'json-too-deep');
        else assert.deepEqual(read(text), JSON.parse(text));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the encoding', () => {
  test('is UTF-8, exactly', () => {
    assert.equal(read('"grüße ∆ \u{1f600}"'), 'grüße ∆ \u{1f600}');
    for (const bad of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc3, 0x22],
      [0x22, 0xc0, 0xaf, 0x22], // a slash in two bytes
      [0x22, 0xed, 0xa0, 0x80, 0x22], // half of a surrogate pair
      [0x22, 0xf5, 0x80, 0x80, 0x80, 0x22],
      [0x22, 0xe2, 0x82],
      [0x80],
    ]) {
      assert.equal(refusal(Uint8Array.from(bad)).message, 'The body is not UTF-8.');
    }
    assert.equal(refused(new Uint8Array(Buffer.from('{"a":1}', 'utf16le'))), 'malformed-json');
  });

  test('may begin with a byte order mark, which is not part of the text', () => {
    assert.deepEqual(read('\ufeff{"a":"\ufeff"}'), { a: '\ufeff' });
    assert.equal(refused('\ufeff\ufeff{}'), 'malformed-json');
    assert.equal(refused('{}\ufeff'), 'malformed-json');
  });
});

test('what is not JSON is refused, with where it breaks', () => {
  for (const text of [
    '{',
    '[1,]',
    '{"a":1,}',
    "{'a':1}",
    'NaN',
    'undefined',
    '01',
    '1.',
    '"\n"',
    '{} {}',
    '// x',
    ']',
    '"',
  ]) {
    assert.equal(refused(text), 'malformed-json', text);
  }
  assert.match(refusal(bytes('{"a":1,\n"b":2 "c":3}')).message, /position 14\b.*line 2.*\.$/s);
  assert.match(refusal(bytes(`{"a":"${' '.repeat(1000)}",\n"b":x}`)).message, /'x', .*"b":x\}.*\.$/s);
});

test('a body without anything is reported to be empty', () => {
  for (const text of ['', ' ', '\r\n\t', '\ufeff']) assert.equal(refusal(bytes(text)).message, 'The body is empty.');
});

test('a key such as __proto__ is an ordinary one', () => {
  const value = read('{"__proto__":{"a":1},"constructor":2}') as object;
  assert.deepEqual(Object.keys(value), ['__proto__', 'constructor']);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.equal((value as { a?: number }).a, undefined);
});

test('whatever bytes come, they are read or refused by a 400, and nothing else happens', () => {
  const json = fc.json().map(bytes);
  const damaged = fc.tuple(json, fc.nat(), fc.integer({ min: 0, max: 255 })).map(([body, at, byte]) => {
    if (body.length > 0) body[at % body.length] = byte;
    return body;
  });
  fc.assert(
    fc.property(fc.oneof(damaged, fc.uint8Array({ maxLength: 40 })), (body) => {
      try {
        readJson(body);
      } catch (error) {
        assert.ok(error instanceof ProblemError);
        assert.equal(error.status, 400);
        assert.notEqual(error.message, '');
      }
    }),
    { numRuns: 3000 },
  );
});
