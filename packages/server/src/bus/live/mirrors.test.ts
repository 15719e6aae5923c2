// What a site may have a centre keep: what it says of its objects, within a bound, and no more whatever it says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batch } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { LiveWorld, shownOf } from '../../../test/bus/live-world.ts';
import { encodeFeed, type FeedDefinition } from './feed-message.ts';
import { readAlarm } from './mirrored-definitions.ts';
import { Mirror, mirroredAlarms, mirroredMeasurements } from './mirrors.ts';

const mostBytes = 10_000;

function mirrorOf() {
  const clock = new ManualClock();
  const alarms = mirroredAlarms(clock, mirroredMeasurements(clock));
  const objects = {
    read: readAlarm,
    find: (name: string) => alarms.find(name),
    put: (alarm: Parameters<typeof alarms.put>[0]) => alarms.put(alarm),
    remove: (name: string) => alarms.remove(name),
    states: () => undefined,
    lose: () => undefined,
  };
  const mirror = new Mirror(objects, () => undefined, mostBytes);
  return { mirror, count: () => [...alarms.all()].length };
}

const named = (item: number, name: string): FeedDefinition => [
  item,
  { name, severity: 1, description: 'x'.repeat(100) },
];

test('a mirror keeps no more than it has room for, under however few numbers it comes', () => {
  for (const itemOf of [(at: number) => at, () => 1]) {
    const { mirror, count } = mirrorOf();
    let most = 0;
    let drops = 0;
    for (let at = 0; at < 1000; at++) {
      if (!mirror.define([named(itemOf(at), `a${at}`)])) drops++;
      most = Math.max(most, count());
    }
    assert.ok(drops > 10 && most > 10 && most < mostBytes / 256, `${drops} drops, ${most} at most`);
  }
});

test('a mirror counts texts that are states, and has room again for what fits when too much has come', () => {
  const { mirror, count } = mirrorOf();
  assert.equal(mirror.define([named(1, 'a')]), true);
  const saying = (text: string) => {
    const states = new Batch();
    states.text(1, text, 0xc0, 0);
    return states;
  };
  for (let round = 0; round < 10; round++) assert.equal(mirror.states(saying('x'.repeat(mostBytes / 2))), true);
  assert.equal(mirror.states(saying('x'.repeat(mostBytes))), false);
  assert.equal(count(), 0);
  for (let round = 0; round < 10; round++) {
    assert.equal(mirror.define([named(1, 'a'), named(2, 'b')]), true);
    assert.equal(mirror.states(saying('x'.repeat(mostBytes / 2))), true);
    mirror.retain(new Set([2]));
    assert.equal(count(), 1);
  }
});

test('a site defines nothing outside of a snapshot', async () => {
  const world = new LiveWorld();
  try {
    world.alarm('high');
    await world.settle();
    let number = 0;
    let publication = 0;
    const leave = world.bus.subscribe('live.works.alarms', ({ data }) => {
      const message = Buffer.from(data);
      [publication, number] = [message.readUInt32LE(4), message.readUInt32LE(8)];
    });
    await world.advance(1500);
    await leave();
    const place = { publication, number: number + 1, isFirst: false, isLast: false, behindMs: 0, heard: [] };
    world.bus.publish(
      'live.works.alarms',
      encodeFeed({ ...place, definitions: [named(7, 'more')], states: new Batch() }),
    );
    await world.advance(100);
    assert.equal(world.mirror.alarms.find('more'), -1);
    await world.advance(3000);
    assert.deepEqual(shownOf(world.mirror), shownOf(world.plant));
  } finally {
    await world.end();
  }
});
