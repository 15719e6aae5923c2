// Promises of the query of a request: it is what the framework's own parser makes of it, or refused in few words.
import assert from 'node:assert/strict';
import { parse } from 'node:querystring';
import { describe, test } from 'node:test';
import { ProblemError } from '@telltale/schema';
import fc from 'fast-check';
import Type from 'typebox';
import { queryReader } from './read-query.ts';

const closed = { additionalProperties: false } as const;
const text = Type.Optional(Type.String());
const read = queryReader(Type.Object({ value: text, quality: Type.Optional(Type.Integer()), names: text }, closed));
const readNothing = queryReader(Type.Object({}, closed));
const readRequired = queryReader(Type.Object({ value: Type.String() }, closed));

function refusalOf(query: string, reader = read): ProblemError {
  try {
    reader(query);
  } catch (error) {
    if (error instanceof ProblemError) return error;
  }
  throw new Error('nothing was refused');
}

describe('a query', () => {
  test('is read as it is, a plus sign too, with numbers where numbers are wanted', () => {
    assert.deepEqual(
      { ...read('value=a+b%2Bc%C3%A9&quality=-5&names') },
      {
        value: 'a+b+cé',
        quality: -5,
        names: '',
      },
    );
    assert.deepEqual({ ...read('') }, {});
    assert.deepEqual({ ...read('&value=1&&') }, { value: '1' });
  });

  test('has the values that node:querystring reads from any encoding of them', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (value, names) => {
        const query = `value=${encodeURIComponent(value)}&names=${encodeURIComponent(names)}`;
        assert.deepEqual({ ...read(query) }, { ...parse(query) });
      }),
    );
  });

  test('that is not encoded as UTF-8 is refused, and says where', () => {
    const message = 'is not percent-encoded UTF-8; write % as %25';
    for (const value of ['s%FF%41', 's%ED%A0%80', 's%C3%28', 's%zz', 's100%']) {
      const { problem, errors } = refusalOf(`quality=1&value=${value}`);
      assert.deepEqual([problem, errors], ['invalid-query', [{ path: 'value', message }]], value);
    }
    assert.deepEqual(refusalOf('val%C3=1').errors, [{ path: 'val%C3', message }]);
  });

  test('that lacks what is required is refused', () => {
    assert.deepEqual(refusalOf('', readRequired).errors, [{ path: 'value', message: 'is required' }]);
  });

  test('that gives a parameter twice is refused, and says which', () => {
    const { problem, errors } = refusalOf('value=1&quality=2&value=1');
    assert.deepEqual([problem, errors], ['invalid-query', [{ path: 'value', message: 'is given more than once' }]]);
  });

  test('with an unknown parameter is refused, and says which and what there is', () => {
    const { errors } = refusalOf('colour=red&constructor=1');
    const message = 'is unknown; known are value, quality, names';
    assert.deepEqual(
      errors,
      ['colour', 'constructor'].map((path) => ({ path, message })),
    );
  });

  test('passes over parameters that begin with _', () => {
    assert.deepEqual({ ...read('_=17&value=1&_t=2&_&%5F=3') }, { value: '1' });
  });

  test('has numbers of any length, with exponents', () => {
    const readNumber = queryReader(Type.Object({ seconds: Type.Number() }, closed));
    for (const [digits, seconds] of [
      ['1e3', 1000],
      ['1.5E-3', 0.0015],
      ['-.5e+1', -5],
      [`0.${'3'.repeat(1000)}`, 1 / 3],
      ['9'.repeat(400), Number.MAX_VALUE],
      ['-1e999', -Number.MAX_VALUE],
    ] as const) {
      assert.deepEqual({ ...readNumber(`seconds=${digits}`) }, { seconds });
    }
    for (const digits of ['1e', 'e3', '1e3.5', '0x10', 'NaN', 'Infinity', ''])
      refusalOf(`seconds=${digits}`, readNumber);
  });

  test('of 40,000 unknown parameters is refused at the 20th, in few words', () => {
    const many = Array.from({ length: 40_000 }, (_, index) => `p${index}=`).join('&');
    for (const reader of [read, readNothing]) {
      const problem = refusalOf(many, reader);
      assert.equal(problem.errors?.length, 20);
      assert.ok(JSON.stringify(problem).length < 4096);
    }
  });

  test('of the same one again and again, of one endless name, and of nothing but & is refused in few words', () => {
    for (const query of ['value=&'.repeat(40_000), 'x'.repeat(250_000), '&'.repeat(250_000)]) {
      assert.ok(JSON.stringify(refusalOf(query)).length < 4096);
    }
  });
});
