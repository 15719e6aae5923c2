import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { JsonListReader } from './json-list.ts';
import { ProblemError, type ProblemName } from './problem.ts';

function read(text: string, pieceBytes = 1 << 16): { items: unknown[]; key: string | undefined } {
  const items: unknown[] = [];
  const reader = new JsonListReader((item) => items.push(item));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.feed(bytes.subarray(at, at + pieceBytes));
  reader.end();
  return { items, key: reader.key };
}

const isProblem = (name: ProblemName) => (error: unknown) => error instanceof ProblemError && error.problem === name;

describe('a long JSON list', () => {
  test('gives the items that JSON.parse gives, however it is cut into pieces', () => {
    const item = fc.jsonValue({ maxDepth: 3 });
    const indent = fc.constantFrom(0, 2);
    fc.assert(
      fc.property(fc.array(item), fc.integer({ min: 1, max: 9 }), indent, (items, pieceBytes, spaces) => {
        const text = JSON.stringify(items, null, spaces);
        assert.deepEqual(read(text, pieceBytes), { items: JSON.parse(text), key: undefined });
      }),
    );
  });

  test('may be the one member of an object, whatever its name', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 5 }), (key, pieceBytes) => {
        const text = ` { ${JSON.stringify(key)} : [ 1 , [2, "]"] ] } `;
        assert.deepEqual(read(text, pieceBytes), { items: [1, [2, ']']], key });
      }),
    );
  });

  for (const text of [
    '',
    '1',
    '{}',
    '{"a":1}',
    '[',
    '[1',
    '[1,',
    '[1,]',
    '[,1]',
    '[1] 2',
    '{"a":[1]',
    '{"a":[1],"b":[]}',
    '[1}',
    '["a]',
    '["\\x"]',
  ]) {
    test(`that is ${JSON.stringify(text)} is refused`, () => {
      assert.throws(() => read(text), isProblem('malformed-json'));
      assert.throws(() => read(text, 1), isProblem('malformed-json'));
    });
  }

  test('hands on what stands before the fault', () => {
    const items: unknown[] = [];
    const reader = new JsonListReader((item) => items.push(item));
    assert.throws(() => reader.feed(Buffer.from('[1,2,x,4]')), /Item 3/);
    assert.deepEqual(items, [1, 2]);
  });

  test('that is deep, or has an item without an end, is refused before it fills the memory', () => {
    assert.throws(() => read('['.repeat(20)), isProblem('json-too-deep'));
    const reader = new JsonListReader(() => undefined);
    reader.feed(Buffer.from('["'));
    const piece = Buffer.alloc(1 << 16, 'a');
    assert.throws(() => {
      for (let at = 0; at < 1000; at++) reader.feed(piece);
    }, isProblem('malformed-json'));
  });

  test('takes items of so many parts, and none of more', () => {
    const list = (parts: number) => `[[${Array(parts).fill('0').join()}]]`;
    assert.equal((read(list(1001)).items[0] as unknown[]).length, 1001);
    assert.throws(() => read(list(1002)), isProblem('json-too-large'));
  });
});
