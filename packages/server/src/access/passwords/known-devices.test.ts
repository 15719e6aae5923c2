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
  const [one, other] = [devices.mark('anna'), devices.mark('anna')];
  const id = devices.deviceOf(one, 'anna');
  assert.ok(id !== undefined && id !== devices.deviceOf(other, 'anna'));
  assert.equal(new KnownDevices(key, clock).deviceOf(one, 'anna'), id);
  assert.equal(devices.deviceOf(devices.mark('anna', id), 'anna'), id);
  for (const account of ['tom', '', 'anna ', 'Anna']) assert.equal(devices.deviceOf(one, account), undefined);
  assert.equal(new KnownDevices(randomBytes(32), clock).deviceOf(one, 'anna'), undefined);
});

test('what is not to the letter a mark of ours is none', () => {
  const mark = devices.mark('anna');
  for (const wrong of [undefined, '', '..', `${mark}x`, mark.slice(1), mark.replace('.', '..'), 'x'.repeat(1 << 20)])
    assert.equal(devices.deviceOf(wrong, 'anna'), undefined);
  fc.assert(
    fc.property(fc.nat(mark.length - 1), fc.constantFrom(...'AZaz09_-.'), (at, letter) => {
      const changed = mark.slice(0, at) + letter + mark.slice(at + 1);
      return changed === mark || devices.deviceOf(changed, 'anna') === undefined;
    }),
  );
});

test('a mark ends half a year after the last sign-in', () => {
  const mark = devices.mark('anna');
  clock.advance(markedForS * 1000 - 1000);
  assert.notEqual(devices.deviceOf(mark, 'anna'), undefined);
  clock.advance(1000);
  assert.equal(devices.deviceOf(mark, 'anna'), undefined);
});
