// Promises of lists in a query: faults are reported briefly, whatever the list is.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { maxFaults, ProblemError } from '@telltale/schema';
import fc from 'fast-check';
import { readItems, readNames, readWords } from './read-list.ts';

const known = ['name', 'vtq', 'address', 'datatype'] as const;
const longest = 256 << 10;
const readFields = (text: string, fields: readonly string[]) => readWords('fields', text, fields);

function refusalOf(read: () => unknown): ProblemError {
  try {
    read();
  } catch (error) {
    if (error instanceof ProblemError) return error;
  }
  throw new Error('nothing was refused');
}

const shortEnough = (problem: ProblemError) => JSON.stringify(problem).length < 4096;

describe('a list of fields', () => {
  test('may name each of them, in any order, or none', () => {
    assert.deepEqual(readFields('', known), []);
    assert.deepEqual(readFields('vtq', known), ['vtq']);
    assert.deepEqual(readFields([...known].reverse().join(), known), [...known].reverse());
  });

  test('that has more items than there are fields is refused at the first too many', () => {
    const problem = refusalOf(() => readFields('name,'.repeat(longest / 5), known));
    assert.deepEqual([problem.problem, problem.message], ['invalid-query', 'fields lists more than 4 fields.']);
  });

  test('of nothing but commas is refused in few words', () => {
    for (const text of [',', ',,', ','.repeat(250_000), `name${','.repeat(250_000)}`]) {
      assert.ok(shortEnough(refusalOf(() => readFields(text, known))));
    }
  });

  test('of one endless word is refused in few words', () => {
    assert.ok(shortEnough(refusalOf(() => readFields('\u0000'.repeat(longest), known))));
  });
});

describe('a list of names', () => {
  test('may have as many as fit', () => {
    const names = Array.from({ length: longest / 8 }, (_, index) => `n${index}`);
    assert.deepEqual(readNames(names.join()), names);
  });

  test('reports the first 20 that are no names, and reads no further', () => {
    const problem = refusalOf(() => readNames('-,'.repeat(longest / 2)));
    assert.deepEqual([problem.problem, problem.errors?.length], ['invalid-query', maxFaults]);
    assert.ok(shortEnough(problem));
  });

  test('is what splitting it at the commas gives, where that is all names', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^\w{1,64}$/), { minLength: 1, maxLength: 50 }), (names) => {
        assert.deepEqual(readNames(names.join()), names);
      }),
    );
  });
});

test('a list of words of a selector says which there are, and of what', () => {
  assert.deepEqual(readItems('quality', 'bad,uncertain', { enum: ['good', 'uncertain', 'bad'] }), ['bad', 'uncertain']);
  const { message } = refusalOf(() => readItems('quality', 'worse', { enum: ['good', 'bad'] }));
  assert.equal(message, '"worse" is not a quality; known are good, bad.');
});

test('a list of names takes patterns where it is one of live objects, and nowhere else', () => {
  assert.deepEqual(readItems('names', 'a,pump*,*', { pattern: '*' }), ['a', 'pump*', '*']);
  const wrong = refusalOf(() => readItems('names', 'pump?', { pattern: '*' }));
  assert.equal(wrong.message, '"pump?" is neither a name nor a pattern such as pump*.');
  assert.equal(refusalOf(() => readItems('connector', 'plc*', {})).message, '"plc*" is not a name.');
});
