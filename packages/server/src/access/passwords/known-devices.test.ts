// Promises of the marks of browsers that have signed in before.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import fc from 'fast-check';
import { KnownDevices, markedForS } from './known-devices.ts';

const key = randomBytes(32);
const clock = new ManualClock();
const devices = new KnownDevices(key, clock);

test('a mark names its browser, for its account alone, also after a restart', () => {
  const [one, other] = [devices.mark(undefined, 'anna'), devices.mark(undefined, 'anna')];
  const device = devices.deviceOf(one, 'anna');
  assert.ok(device !== undefined && device !== devices.deviceOf(other, 'anna'));
  assert.equal(new KnownDevices(key, clock).deviceOf(one, 'anna'), device);
  assert.equal(devices.deviceOf(devices.mark(one, 'anna'), 'anna'), device);
  for (const account of ['tom', '', 'anna ', 'Anna']) assert.equal(devices.deviceOf(one, account), undefined);
  assert.equal(new KnownDevices(randomBytes(32), clock).deviceOf(one, 'anna'), undefined);
});

test('a station knows all people of its shifts, the newest twenty', () => {
  let brought: string | undefined;
  for (let person = 0; person < 30; person++) brought = devices.mark(brought, `person${person}`);
  for (let again = 0; again < 3; again++) brought = devices.mark(brought, 'person29');
  const known = Array.from({ length: 30 }, (_, person) => devices.deviceOf(brought, `person${person}`));
  assert.deepEqual(
    known.map((device) => device !== undefined),
    Array.from({ length: 30 }, (_, person) => person >= 10),
  );
  assert.equal(new Set(known.slice(10)).size, 20);
  assert.ok((brought?.length ?? 0) < 2000);
});

test('what is not to the letter a mark of ours is none, and is not kept', () => {
  const mark = devices.mark(undefined, 'anna');
  for (const wrong of [undefined, '', '..', `${mark}x`, mark.slice(1), mark.replace('.', '..'), '~'.repeat(1 << 20)]) {
    assert.equal(devices.deviceOf(wrong, 'anna'), undefined);
    assert.equal(devices.mark(wrong, 'anna').length, mark.length);
  }
  fc.assert(
    fc.property(fc.nat(mark.length - 1), fc.constantFrom(...'AZaz09_-.'), (at, letter) => {
      const changed = mark.slice(0, at) + letter + mark.slice(at + 1);
      return changed === mark || devices.deviceOf(changed, 'anna') === undefined;
    }),
  );
});

test('a mark ends half a year after the last sign-in', () => {
  const mark = devices.mark(undefined, 'anna');
  clock.advance(markedForS * 1000 - 1000);
  assert.notEqual(devices.deviceOf(mark, 'anna'), undefined);
  clock.advance(1000);
  assert.equal(devices.deviceOf(mark, 'anna'), undefined);
});
