import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { documentWith, followPointer, formatPointer, parsePointer } from './json-pointer.ts';

/** Of RFC 6901. */
const document = JSON.parse(
  '{"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\\\j": 5, "k\\"l": 6, " ": 7, "m~n": 8}',
);

function at(pointer: string, of: unknown = document): unknown {
  const steps = parsePointer(pointer);
  assert.ok(typeof steps !== 'string', String(steps));
  return followPointer(of, steps);
}

describe('a JSON pointer', () => {
  test('leads where the RFC says', () => {
    const cases: [string, unknown][] = [
      ['', document],
      ['/foo', ['bar', 'baz']],
      ['/foo/0', 'bar'],
      ['/', 0],
      ['/a~1b', 1],
      ['/c%d', 2],
      ['/e^f', 3],
      ['/g|h', 4],
      ['/i\\j', 5],
      ['/k"l', 6],
      ['/ ', 7],
      ['/m~0n', 8],
    ];
    for (const [pointer, expected] of cases) assert.deepEqual(at(pointer), expected, pointer);
  });

  test('leads nowhere where the document itself has nothing', () => {
    for (const pointer of ['/foo/2', '/foo/-', '/foo/00', '/foo/length', '/foo/0/0', '/bar', '/foo/0x0']) {
      assert.equal(at(pointer), undefined, pointer);
    }
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      assert.equal(at(`/${name}`), undefined);
      assert.equal(at(`/${name}`, JSON.parse(`{"${name}": 5}`)), 5);
    }
  });

  test('that is wrong says so', () => {
    for (const pointer of ['foo', '/~', '/~2', '/a~']) assert.equal(typeof parsePointer(pointer), 'string', pointer);
  });

  test('is what it was after it was taken apart', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.jsonValue(), (steps, value) => {
        assert.deepEqual(parsePointer(formatPointer(steps)), steps);
        const made: unknown = JSON.parse(documentWith(steps, JSON.stringify(value)));
        assert.deepEqual(followPointer(made, steps), JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
