// Promises of passkeys: what a right authenticator makes is taken once, and nothing that lies in any respect.
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { problemOf } from '../../../test/points-bench.ts';
import { type Lies, SoftAuthenticator } from '../../../test/soft-authenticator.ts';
import { Passkeys, type Site } from './passkeys.ts';

const site: Site = { id: 'plant.example', origin: 'https://plant.example', name: 'Plant' };
let clock: ManualClock;
let passkeys: Passkeys;
let phone: SoftAuthenticator;

beforeEach(() => {
  clock = new ManualClock();
  passkeys = new Passkeys({ clock, site: () => site });
  phone = new SoftAuthenticator(site.origin);
});

const create = async (user = 'anna', lies: Lies = {}) =>
  passkeys.create(user, phone.create(await passkeys.creationOptions(user, []), lies));

describe('a passkey', () => {
  test('is made, and signs in again and again, each time with a new challenge', async () => {
    let key = await create();
    assert.equal(key.id, phone.id.toString('base64url'));
    for (let time = 0; time < 3; time++) {
      const used = await passkeys.verify(phone.get(await passkeys.requestOptions()), key);
      assert.ok(used !== undefined && used.counter > key.counter);
      key = used;
    }
  });

  test('is asked for with a fingerprint or PIN, for the site, without those that the user has', async () => {
    const key = await create();
    const options = (await passkeys.creationOptions('anna', [key])) as Record<string, unknown>;
    assert.deepEqual(options.rp, { id: site.id, name: site.name });
    assert.deepEqual(options.excludeCredentials, [{ id: key.id, type: 'public-key', transports: ['internal'] }]);
    const request = (await passkeys.requestOptions()) as Record<string, unknown>;
    assert.deepEqual([request.rpId, request.userVerification], [site.id, 'required']);
    const challenges = await Promise.all(Array.from({ length: 50 }, () => passkeys.requestOptions()));
    assert.equal(new Set(challenges.map((each) => (each as { challenge: string }).challenge)).size, 50);
  });
});

const lies: Record<string, Lies> = {
  'another origin': { origin: 'https://plant.example.evil.com' },
  'the same host without TLS': { origin: 'http://plant.example' },
  'another site': { site: 'evil.com' },
  'a challenge of its own': { challenge: Buffer.alloc(56, 7).toString('base64url') },
  'an empty challenge': { challenge: '' },
  'the wrong kind of answer': { type: 'payment.get' },
  'nobody who put a finger on it': { isUserVerified: false },
};

describe('refused, as a new key and to sign in, is what has', () => {
  for (const [what, lie] of Object.entries(lies)) {
    test(what, async () => {
      assert.equal(await problemOf(create('anna', lie)), 'invalid-passkey');
      const key = await create();
      assert.equal(await passkeys.verify(phone.get(await passkeys.requestOptions(), lie), key), undefined);
    });
  }

  test('a challenge that was used, is five minutes old, or was given to somebody else or for something else', async () => {
    const options = await passkeys.creationOptions('anna', []);
    assert.equal(await problemOf(passkeys.create('tom', phone.create(options))), 'invalid-passkey');
    const key = await passkeys.create('anna', phone.create(options));
    assert.equal(await problemOf(passkeys.create('anna', phone.create(options))), 'invalid-passkey');
    const request = await passkeys.requestOptions();
    assert.notEqual(await passkeys.verify(phone.get(request), key), undefined);
    assert.equal(await passkeys.verify(phone.get(request), key), undefined);
    const ofCreation = { ...(await passkeys.creationOptions('anna', [])), rpId: site.id };
    assert.equal(await passkeys.verify(phone.get(ofCreation), key), undefined);
    const [late, inTime] = [await passkeys.requestOptions(), await passkeys.requestOptions()];
    clock.advance(5 * 60_000 - 1);
    assert.notEqual(await passkeys.verify(phone.get(inTime), key), undefined);
    clock.advance(1);
    assert.equal(await passkeys.verify(phone.get(late), key), undefined);
  });

  test('a counter that was there before: the key was copied', async () => {
    const key = { ...(await create()), counter: 100 };
    for (const [counter, isTaken] of [
      [100, false],
      [99, false],
      [101, true],
    ] as const) {
      const used = await passkeys.verify(phone.get(await passkeys.requestOptions(), { counter }), key);
      assert.equal(used !== undefined, isTaken, `${counter}`);
    }
  });

  test('another key, a changed signature, or nonsense', async () => {
    const key = await create();
    const other = new SoftAuthenticator(site.origin);
    assert.equal(await passkeys.verify(other.get(await passkeys.requestOptions()), key), undefined);
    const forged = { ...other.get(await passkeys.requestOptions()), id: key.id, rawId: key.id };
    assert.equal(await passkeys.verify(forged, key), undefined);
    for (const nonsense of [undefined, null, 7, 'x', {}, [], { id: key.id }, { id: key.id, response: {} }]) {
      assert.equal(await passkeys.verify(nonsense, key), undefined);
      assert.equal(await problemOf(passkeys.create('anna', nonsense)), 'invalid-passkey');
    }
  });
});
