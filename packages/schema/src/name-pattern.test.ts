// Promises of patterns of names: what they match, and that none is slow.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isNameOrPattern, NamePattern, nameMatcher } from './name-pattern.ts';

const name = fc.string({ unit: fc.constantFrom('a', 'b', '_', '1'), minLength: 1, maxLength: 12 });
const pattern = fc
  .string({ unit: fc.constantFrom('a', 'b', '_', '*', '*'), minLength: 1, maxLength: 8 })
  .filter((text) => text.includes('*'));

describe('a pattern of names', () => {
  test('has a * for any characters, also none', () => {
    for (const [text, matching, others] of [
      ['skid_*', ['skid_', 'skid_1', 'skid_1_speed'], ['skid', 'a_skid_1']],
      ['*_speed', ['_speed', 'p1_speed'], ['p1_speed2', 'speed']],
      ['*pump*', ['pump', 'a_pump', 'pump1'], ['pum', 'PUMP']],
      ['a*a', ['aa', 'aba'], ['a', 'ab']],
      ['*', ['a'], []],
      ['p*_*_t', ['p1_2_t', 'p__t'], ['p1_t', 'p_t']],
    ] as const) {
      const { matches } = { matches: (each: string) => new NamePattern(text).matches(each) };
      assert.deepEqual(matching.filter(matches), matching, text);
      assert.deepEqual(others.filter(matches), [], text);
    }
  });

  test('matches as the regular expression of the same meaning does', () => {
    fc.assert(
      fc.property(pattern, name, (text, each) => {
        const expected = new RegExp(`^${text.replaceAll(/\*+/g, '[^]*')}$`).test(each);
        assert.equal(new NamePattern(text).matches(each), expected);
      }),
      { numRuns: 2000 },
    );
  });

  test('of many stars takes no more than one pass over the name', () => {
    const text = `${'a*'.repeat(63)}b`;
    let looked = 0;
    const counted = Object.assign(new String('a'.repeat(64)), {
      indexOf: (...given: [string, number]) => {
        looked++;
        return 'a'.repeat(64).indexOf(...given);
      },
    });
    assert.equal(new NamePattern(text).matches(counted as unknown as string), false);
    assert.equal(new NamePattern(`${'a*'.repeat(60)}a`).matches(counted as unknown as string), true);
    assert.ok(looked <= 2 * 64, `${looked}`);
  });

  test('is letters, digits, _ and *; and a name is at most 64 of them', () => {
    for (const good of ['a', '*', 'a*b*c', 'a'.repeat(64), `*${'a'.repeat(64)}*`])
      assert.ok(isNameOrPattern(good), good);
    for (const bad of ['', 'a?', 'a b*', '[a]*', 'a'.repeat(65), '*'.repeat(129), 'é*'])
      assert.ok(!isNameOrPattern(bad));
  });
});

test('a list of names and patterns matches what any of them does', () => {
  const isMeant = nameMatcher(['level', 'pump*', '__proto__']);
  assert.deepEqual(['level', 'pump1', '__proto__', 'levels', 'constructor'].map(isMeant), [
    true,
    true,
    true,
    false,
    false,
  ]);
});
