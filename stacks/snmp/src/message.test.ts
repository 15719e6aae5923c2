import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { Malformed, tag } from './ber.ts';
import { decodeMessage, encodeCommunityMessage, encodeScoped } from './message.ts';
import { asked, encodePdu, encodeVarbinds, pduType, type Varbind } from './pdu.ts';
import { encodeValue } from './snmp-value.ts';
import { type AuthProtocol, type PrivProtocol, UsmUser } from './usm.ts';

const varbinds: readonly Varbind[] = [
  asked('1.3.6.1.2.1.1.1.0'),
  encodeValue('1.3.6.1.2.1.1.3.0', 4294967295, 'timeticks'),
  encodeValue('1.3.6.1.4.1.1.5', -1, 'integer'),
  encodeValue('1.3.6.1.4.1.1.6', 2n ** 64n - 1n, 'counter64'),
  encodeValue('1.3.6.1.4.1.1.7', 'text', 'text'),
  encodeValue('1.3.6.1.4.1.1.8', '192.0.2.1', 'ip'),
  encodeValue('1.3.6.1.4.1.1.9', '1.3.6', 'oid'),
];
const head = { type: pduType.response, requestId: 77, errorStatus: 0, errorIndex: 0 };
const pdu = { ...head, varbinds };
const plain = encodeCommunityMessage('2c', Buffer.from('secret'), encodePdu(head, encodeVarbinds(varbinds)));
const engine = { engineId: Buffer.from('80001f8805010203', 'hex'), boots: 3, time: 1000 };

function userWith(authProtocol: AuthProtocol, privProtocol: PrivProtocol): UsmUser {
  const keys = { authKey: 'first key', privKey: 'second key' };
  return new UsmUser({ user: 'operator', securityLevel: 'authPriv', authProtocol, privProtocol, ...keys });
}

test('a message of version 2c reads back as it was written', () => {
  assert.deepEqual(decodeMessage(plain), { version: '2c', community: Buffer.from('secret'), pdu });
});

test('a message of version 3 reads back for whoever has the keys, with every hash and cipher', () => {
  for (const auth of ['md5', 'sha', 'sha224', 'sha256', 'sha384', 'sha512'] as const) {
    for (const priv of ['des', 'aes', 'aes256', 'aes256c'] as const) {
      const user = userWith(auth, priv);
      const scoped = encodeScoped(engine.engineId, 'context', encodePdu(head, encodeVarbinds(varbinds)));
      const message = decodeMessage(user.seal(engine, { msgId: 5, isReportable: true }, scoped));
      assert.ok(message.version === '3' && message.isAuthenticated && message.isEncrypted && message.isReportable);
      assert.deepEqual(
        [message.msgId, message.engineBoots, message.engineTime, message.user],
        [5, 3, 1000, 'operator'],
      );
      assert.ok(user.isSigned(message));
      assert.deepEqual(user.open(message), { contextEngineId: engine.engineId, contextName: 'context', pdu });
      assert.equal(message.bytes.includes('text'), false);
    }
  }
});

test('keys are made from passphrases as the standard shows it', () => {
  // RFC 3414, A.3.1 and A.3.2: what the localized keys sign is fixed by them alone.
  const engineId = Buffer.from('000000000000000000000002', 'hex');
  const keys = { authKey: 'maplesyrup', privKey: 'maplesyrup' };
  const scoped = encodeScoped(engineId, '', encodePdu(head, Buffer.alloc(0)));
  for (const [protocol, hash, key] of [
    ['md5', 'md5', '526f5eed9fcce26f8964c2930787d82b'],
    ['sha', 'sha1', '6695febc9288e36282235fc7151f128497b38f3f'],
  ] as const) {
    const user = new UsmUser({
      user: 'x',
      securityLevel: 'authNoPriv',
      authProtocol: protocol,
      privProtocol: 'aes',
      ...keys,
    });
    const bytes = user.seal({ engineId, boots: 1, time: 1 }, { msgId: 1, isReportable: false }, scoped);
    const message = decodeMessage(bytes);
    assert.ok(message.version === '3');
    const zeroed = Buffer.from(bytes);
    zeroed.fill(0, message.authOffset, message.authOffset + 12);
    const expected = createHmac(hash, Buffer.from(key, 'hex')).update(zeroed).digest().subarray(0, 12);
    assert.deepEqual(message.authParameters, expected);
  }
});

test('a single bit that is flipped anywhere in a signed message is noticed', () => {
  const user = userWith('sha256', 'aes');
  const scoped = encodeScoped(engine.engineId, '', encodePdu(head, encodeVarbinds(varbinds)));
  const sealed = user.seal(engine, { msgId: 5, isReportable: false }, scoped);
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const bytes = Buffer.from(sealed);
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    try {
      const message = decodeMessage(bytes);
      // A message that does not claim to be signed is not taken for one that is.
      assert.ok(message.version !== '3' || !message.isAuthenticated || !user.isSigned(message), `bit ${bit}`);
    } catch (error) {
      assert.ok(error instanceof Malformed, `bit ${bit}`);
    }
  }
});

test('whatever comes is read or malformed: cut off, changed, or made up', () => {
  const user = userWith('md5', 'des');
  const scoped = encodeScoped(engine.engineId, '', encodePdu(head, encodeVarbinds(varbinds)));
  const sealed = user.seal(engine, { msgId: 5, isReportable: false }, scoped);
  const tryToRead = (bytes: Buffer) => {
    try {
      const message = decodeMessage(bytes);
      if (message.version === '3') user.open(message);
      return message;
    } catch (error) {
      assert.ok(error instanceof Malformed, String(error));
      return undefined;
    }
  };
  for (const whole of [plain, sealed]) {
    for (let length = 0; length < whole.length; length++) {
      assert.equal(tryToRead(Buffer.from(whole.subarray(0, length))), undefined);
    }
    assert.equal(tryToRead(Buffer.concat([whole, Buffer.of(0)])), undefined);
    const changes = fc.array(fc.tuple(fc.nat({ max: whole.length - 1 }), fc.nat({ max: 255 })), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(changes, (list) => {
        const bytes = Buffer.from(whole);
        for (const [at, value] of list) bytes[at] = value;
        tryToRead(bytes);
      }),
      { numRuns: 3000 },
    );
  }
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void tryToRead(Buffer.from(bytes))));
});

test('more objects than anyone asks for are not read', () => {
  const list = encodeVarbinds(Array.from({ length: 2001 }, (_, row) => asked(`1.3.6.1.${row}`)));
  assert.throws(() => decodeMessage(encodeCommunityMessage('2c', Buffer.from('x'), encodePdu(head, list))), Malformed);
  assert.throws(() => decodeMessage(Buffer.from('3003020100', 'hex')), Malformed);
  assert.equal(asked('1.3').tag, tag.null);
});
