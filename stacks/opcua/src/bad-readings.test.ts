import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { BadReadings } from './bad-readings.ts';

test('bad readings are logged by their reason, with names, and the same reason once a minute', () => {
  const clock = new ManualClock();
  const lines: string[] = [];
  const silent = () => {};
  const bad = new BadReadings(clock, { debug: silent, info: silent, warn: (line) => lines.push(line), error: silent });
  const logged = () => {
    bad.flush();
    return lines.splice(0);
  };
  for (let at = 0; at < 1000; at++) bad.note(`p${at}`, 'BadSensorFailure: broken');
  bad.note('q', 'BadTimeout: late');
  assert.deepEqual(logged(), ['bad: p0, p1, p2 and 997 more: BadSensorFailure: broken', 'bad: q: BadTimeout: late']);
  bad.note('p7', 'BadSensorFailure: broken');
  assert.deepEqual(logged(), []);
  clock.advance(60_000);
  assert.deepEqual(logged(), ['bad: p7: BadSensorFailure: broken']);
  clock.advance(60_000);
  assert.deepEqual(logged(), []);
  bad.note('q', 'BadTimeout: late');
  assert.deepEqual(logged(), ['bad: q: BadTimeout: late']);
  for (let at = 0; at < 1000; at++) bad.note('p', `reason ${at}`);
  assert.ok(logged().length <= 100);
});
