import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { isStored, masked, Seal, SealedOtherwise, type StoredSecret } from './seal.ts';

const [first = '', second = ''] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));
const sealed = new Seal([first]);
const unsealed = new Seal([]);
const secret: StoredSecret = {
  of: 'connector/plc/password',
  text: 'correct horse',
  bound: { connector: { stackName: 'acme', host: 'plc.example' } },
};

test('a secret comes back as it was, sealed or not, and writing it again gives the same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.boolean(), (text, host, hasKey) => {
      const seal = hasKey ? sealed : unsealed;
      const stored = seal.seal({ ...secret, text, bound: { provider: { host } } });
      assert.ok(isStored(stored));
      assert.deepEqual(seal.open(stored), { ...secret, text, bound: { provider: { host } } });
      assert.equal(seal.seal(seal.open(stored)), stored);
    }),
  );
});

test('a sealed secret shows nothing of itself, in no encoding that is looked for', () => {
  const stored = sealed.seal(secret);
  const bytes = Buffer.from(stored.slice('sealed:1:'.length), 'base64url').toString('latin1');
  for (const text of [stored, bytes]) {
    for (const part of ['horse', 'plc', 'password', Buffer.from('horse').toString('base64').slice(0, 6)]) {
      assert.ok(!text.includes(part), part);
    }
  }
});

test('a secret that was changed anywhere, or sealed with another key, is refused', () => {
  const stored = sealed.seal(secret);
  const bytes = Buffer.from(stored.slice('sealed:1:'.length), 'base64url');
  for (let at = 0; at < bytes.length; at++) {
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] as number) ^ 1;
    assert.throws(() => sealed.open(`sealed:1:${flipped.toString('base64url')}`), SealedOtherwise, `byte ${at}`);
    if (at > 12)
      assert.throws(() => sealed.open(`sealed:1:${bytes.subarray(0, at).toString('base64url')}`), SealedOtherwise);
  }
  assert.throws(() => new Seal([second]).open(stored), /with a key that the server does not have/);
  assert.throws(() => unsealed.open(stored), /it is sealed, and the server has no key: see --secret-key-file/);
});

test('an earlier key opens what it has sealed, and what it has sealed is not current any more', () => {
  const stored = sealed.seal(secret);
  const rotated = new Seal([second, first]);
  assert.deepEqual(rotated.open(stored), secret);
  assert.equal(rotated.isCurrent(stored), false);
  assert.equal(rotated.isCurrent(rotated.seal(secret)), true);
  assert.equal(sealed.isCurrent(unsealed.seal(secret)), false);
  assert.equal(unsealed.isCurrent(stored), true, 'without a key nothing can be done about it');
  assert.equal(sealed.isCurrent('correct horse'), false);
});

test('every stored secret in a text is masked, and nothing else', () => {
  for (const seal of [sealed, unsealed]) {
    const stored = seal.seal({ ...secret, text: randomBytes(20).toString('hex') });
    assert.equal(
      masked(JSON.stringify({ a: stored, b: `joe: key="${stored}"; ann: key=${stored}` })),
      '{"a":"***","b":"joe: key=\\"***\\"; ann: key=***"}',
    );
  }
  for (const text of ['sealed:1:short', 'the tank is sealed:1', '']) assert.equal(masked(text), text);
});
