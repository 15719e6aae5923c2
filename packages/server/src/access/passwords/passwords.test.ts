// Promises of hashed passwords: what is stored, who is let in, and that no crowd takes more than two hashes' memory.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { problemOf } from '../../../test/points-bench.ts';
import { type Derive, Passwords } from './passwords.ts';
import { formatPhc, parsePhc } from './phc.ts';

const password = 'three dogs on a roof';

describe('a password', () => {
  test('is stored as argon2id with 64 MiB, three passes, one lane and a salt of its own', async () => {
    const passwords = new Passwords();
    const [one, other] = await Promise.all([passwords.hash(password), passwords.hash(password)]);
    assert.match(one, /^\$argon2id\$v=19\$m=65536,t=3,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.notEqual(one, other);
    assert.deepEqual(
      await Promise.all([
        passwords.verify(password, one),
        passwords.verify(`${password} `, one),
        passwords.verify('', one),
      ]),
      [true, false, false],
    );
    assert.equal(passwords.needsRehash(one), false);
  });

  test('is the same however the keyboard composes its letters', async () => {
    const passwords = new Passwords();
    const stored = await passwords.hash('caf\u00e9 und Br\u00f6tchen');
    assert.equal(await passwords.verify('cafe\u0301 und Bro\u0308tchen', stored), true);
  });

  test('that another program has hashed, with other parameters, is checked and to be hashed anew', async () => {
    const passwords = new Passwords();
    // Of the reference implementation's own tests.
    const foreign = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
    assert.equal(await passwords.verify('password', foreign), true);
    assert.equal(await passwords.verify('Password', foreign), false);
    assert.equal(passwords.needsRehash(foreign), true);
  });

  test('of a user that is not there, or whose hash cannot be read, takes the same work and is wrong', async () => {
    const asked: unknown[] = [];
    const derive: Derive = async (_text, salt, parameters, bytes) => {
      asked.push([salt.length, parameters, bytes]);
      return Buffer.alloc(bytes);
    };
    const passwords = new Passwords(derive);
    const known = await passwords.hash(password);
    for (const phc of [
      undefined,
      '',
      'plain',
      known.replace('m=65536', 'm=9999999'),
      known.replace('argon2id', 'argon2i'),
    ])
      assert.equal(await passwords.verify(password, phc), false);
    assert.equal(await passwords.verify(password, known), true);
    assert.equal(new Set(asked.map((each) => JSON.stringify(each))).size, 1);
  });
});

describe('the text of a hash', () => {
  test('is read back as it was written', () => {
    fc.assert(
      fc.property(
        fc.record({
          parallelism: fc.integer({ min: 1, max: 4 }),
          memory: fc.integer({ min: 32, max: 256 << 10 }),
          passes: fc.integer({ min: 1, max: 16 }),
          salt: fc.uint8Array({ minLength: 8, maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
          hash: fc.uint8Array({ minLength: 16, maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
        }),
        (hashed) => assert.deepEqual(parsePhc(formatPhc(hashed)), { ...hashed }),
      ),
    );
  });

  test('that asks for more than a check may take is none', () => {
    const of = (parameters: string) =>
      parsePhc(`$argon2id$v=19$${parameters}$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TK`);
    assert.ok(of('m=262144,t=16,p=4'));
    for (const parameters of ['m=262145,t=1,p=1', 'm=64,t=17,p=1', 'm=64,t=1,p=5', 'm=64,t=0,p=1', 'm=7,t=1,p=1'])
      assert.equal(of(parameters), undefined, parameters);
  });
});

describe('of a crowd that signs in at once', () => {
  /** Hashes end when the test says so, in the order in which they began. */
  function held() {
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const derive: Derive = (text, _salt, _parameters, bytes) => {
      begun.push(text);
      return new Promise((resolve) => ends.push(() => resolve(Buffer.alloc(bytes))));
    };
    const endOne = async () => {
      ends.shift()?.();
      await new Promise(setImmediate);
    };
    return { passwords: new Passwords(derive), begun, endOne };
  }

  test('two are checked at a time, sixteen wait in order, and the others are refused', async () => {
    const { passwords, begun, endOne } = held();
    const outcomes = Array.from({ length: 30 }, (_, at) => problemOf(passwords.verify(`p${at}`, undefined)));
    await new Promise(setImmediate);
    assert.deepEqual(begun, ['p0', 'p1']);
    for (let at = 0; at < 18; at++) {
      assert.equal(begun.length, Math.min(18, at + 2));
      await endOne();
    }
    assert.deepEqual(
      begun,
      Array.from({ length: 18 }, (_, at) => `p${at}`),
    );
    const problems = await Promise.all(outcomes);
    assert.deepEqual(problems.slice(18), Array(12).fill('overloaded'));
    assert.ok(problems.slice(0, 18).every((problem) => problem !== 'overloaded'));
    const later = passwords.verify('later', undefined);
    await endOne();
    assert.equal(await later, false);
  });

  test('a browser that is known is checked next, and is never refused for strangers', async () => {
    const { passwords, begun, endOne } = held();
    const strangers = Array.from({ length: 30 }, (_, at) => problemOf(passwords.verify(`p${at}`, undefined)));
    const known = passwords.verify('operator', undefined, 'known');
    await endOne();
    assert.equal(begun.at(-1), 'operator');
    for (let left = 0; left < 20; left++) await endOne();
    assert.equal(await known, false);
    await Promise.all(strangers);
  });

  test('one whose check fails leaves its place to the next', async () => {
    let calls = 0;
    const passwords = new Passwords(async () => {
      if (++calls <= 5) throw new Error('no memory');
      return Buffer.alloc(32);
    });
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => passwords.verify('p', undefined)));
    assert.deepEqual(
      results.map(({ status }) => status),
      [...Array(5).fill('rejected'), ...Array(3).fill('fulfilled')],
    );
  });
});
