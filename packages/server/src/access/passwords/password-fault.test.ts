// Promises of the rules for passwords: which are refused as too easy to guess, and that good ones are not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { commonPasswords } from './common-passwords.ts';
import { passwordFault } from './password-fault.ts';

const fault = (password: string, user = 'annabell') => passwordFault(password, user);

test('twelve characters are enough and 256 are possible, counted as people see them', () => {
  assert.match(fault('tR7#kq9Lw2x') ?? '', /has 11 characters; it needs at least 12/);
  assert.equal(fault('tR7#kq9Lw2xz'), undefined);
  assert.match(fault('😀🐟🚲🌧🏭🎈🧪🪵🥝🦉🧲') ?? '', /has 11 characters/);
  assert.equal(fault('😀🐟🚲🌧🏭🎈🧪🪵🥝🦉🧲🛶'), undefined);
  const long = (length: number) => Array.from({ length }, (_, at) => String.fromCodePoint(0x4e00 + at * 7)).join('');
  assert.equal(fault(long(256)), undefined);
  assert.match(fault(long(257)) ?? '', /has 257 characters; at most 256/);
  assert.match(fault('\ufdfa'.repeat(1 << 20)) ?? '', /at most 256/);
  assert.match(fault('tR7#kq9Lw2xz\ud800') ?? '', /not a text of Unicode/);
});

test('common passwords and what people make of them are refused', () => {
  const easy = [
    'passwordpassword',
    'Password1234',
    'P@ssw0rd2024',
    'p4ssw0rd!!!!',
    'Administrator1',
    'administrator',
    'telltaletelltale',
    'Telltale-2026',
    'operator1234',
    'qwertyuiop12',
    'qwertzuiop123',
    '1q2w3e4r5t6y',
    '1qaz2wsx3edc',
    'zyxwvutsrqpo',
    '123456789012',
    '098765432109',
    'aaaaaaaaaaaa',
    'abababababab',
    'kqzxkqzxkqzx',
    'iloveyou12345',
    'summermountain',
    'letmeinletmein',
    '            ',
  ];
  for (const password of easy) assert.match(fault(password) ?? '', /easy to guess/, password);
});

test('the name of the user, in whatever letters, is no password', () => {
  for (const password of ['annabellannabell', 'Annabell2026!', '123Annabell321', '4nn4b3ll4nn4b3ll'])
    assert.match(fault(password) ?? '', /easy to guess/, password);
  assert.equal(passwordFault('quietannabell7vx', 'tom'), undefined);
});

test('several words that have nothing to do with each other are taken, without digits or capitals', () => {
  const good = [
    'correct horse battery staple',
    'three dogs on a roof',
    'unter der bruecke wohnt ein wal',
    'vmqo-tlea-swgd',
    'gletscher zange mohn',
  ];
  for (const password of good) assert.equal(fault(password), undefined, password);
});

test('twelve random letters are taken, and every common password, with digits behind it, is refused', () => {
  const letters = fc.array(fc.constantFrom(...'bcdfghjkmnpqrtvwxz2468'), { minLength: 16, maxLength: 40 });
  fc.assert(
    fc.property(letters, (array) => {
      const password = array.join('');
      // Of random letters some repeat; hardly ever half of them.
      return fault(password) === undefined || new Set(array).size < 9;
    }),
  );
  for (const common of commonPasswords) {
    const password = `${common}${'1234567890'.repeat(2)}`.slice(0, Math.max(12, common.length));
    assert.match(fault(password) ?? '', /easy to guess/, password);
  }
});
