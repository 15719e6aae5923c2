// What a centre promises of the live points of a site: what the site says itself, or bad with a cause; and nothing is sent unasked.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { quality } from '@telltale/schema';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { LiveWorld, shownOf } from '../../../test/bus/live-world.ts';

function worldOf(t: TestContext): LiveWorld {
  const world = new LiveWorld();
  cleanupOf(t).defer(() => world.end());
  return world;
}

function plantOf(t: TestContext): LiveWorld {
  const world = worldOf(t);
  world.measurement('level', {
    description: 'of the tank',
    eu: 'm',
    area: 'works.tank',
    euRangeLo: '0',
    euRangeHi: '10.50',
  });
  world.measurement('flow', { datatype: 'f', rawDatatype: 'i', properties: { precision: '1', archRetention: '5y' } });
  world.measurement('count', { datatype: 'l' });
  world.measurement('text', { datatype: 's' });
  world.command('valve', { initialValue: '5' });
  world.command('own', { datatype: 'b' });
  world.alarm('high', { trgMeasurement: 'level', trgOperator: 'gt', trgRefValue: '9', description: 'too high' });
  world.measurements.onChanges((changes) => world.alarms.evaluate(changes));
  return world;
}

const isSame = (world: LiveWorld) => assert.deepEqual(shownOf(world.mirror), shownOf(world.plant));

describe('a site at a centre', () => {
  test('shows what the site shows, and what changes there', async (t) => {
    const world = plantOf(t);
    world.read('level', 4.25);
    await world.settle();
    assert.deepEqual([world.mirror.state.isLive, world.mirror.state.cause], [true, '']);
    isSame(world);
    world.read('level', 9.5);
    world.read('flow', 7, quality.uncertain.subnormal);
    await world.commands.write('own', 'b1', 'ann');
    await world.measurements.simulate('text', {
      value: 'sforced',
      quality: undefined,
      validForS: undefined,
      by: 'ann',
    });
    await world.alarms.operate('high', 'acknowledge', 'ann');
    await world.advance(300);
    isSame(world);
    assert.equal(world.mirror.alarms.stateOf(world.mirror.alarms.find('high')).state, 'ACT_ACK');
    assert.equal(world.mirror.measurements.qualityOf(world.mirror.measurements.find('text')), 0x80c0);
    const definition = world.mirror.measurements.definitionOf(world.mirror.measurements.find('flow'));
    assert.deepEqual(definition.properties, { precision: '1' });
  });

  test('shows a new rendering of the site', async (t) => {
    const world = plantOf(t);
    await world.settle();
    world.measurements.remove('count');
    world.commands.remove('valve');
    world.alarms.remove('high');
    world.measurement('level', { datatype: 'i' });
    world.measurement('more');
    world.alarm('low', { severity: 7 });
    await world.settle();
    isSame(world);
    assert.deepEqual(Object.keys(shownOf(world.mirror).alarms), ['low']);
  });

  test('is bad within 5 s when nothing is heard of it, with the cause, and as it is when it is back', async (t) => {
    const world = plantOf(t);
    world.read('level', 4);
    await world.settle();
    world.bus.loses = () => true;
    world.read('level', 5);
    await world.advance(5000);
    const { mirror } = world;
    assert.deepEqual([mirror.state.isLive, mirror.state.cause], [false, 'nothing is heard of it']);
    for (const handle of mirror.measurements.all())
      assert.equal(mirror.measurements.qualityOf(handle), quality.bad.communicationFailure);
    assert.equal(mirror.measurements.valueOf(mirror.measurements.find('level')), 4);
    world.bus.loses = () => false;
    await world.advance(3000);
    assert.equal(mirror.state.isLive, true);
    isSame(world);
  });

  test('is bad within 5 s when it says that it is there, and none of its values come', async (t) => {
    const world = plantOf(t);
    await world.settle();
    world.bus.loses = (subject) => subject.startsWith('live.works.measurements');
    await world.advance(5000);
    assert.match(world.mirror.state.cause, /not all of what it says has come/);
    world.bus.loses = () => false;
    await world.advance(3000);
    isSame(world);
  });

  test('is not good again by what was on its way for long', async (t) => {
    const world = plantOf(t);
    world.read('level', 4);
    await world.settle();
    world.bus.isHeld = true;
    world.read('level', 5);
    await world.advance(8000);
    assert.equal(world.mirror.state.isLive, false);
    world.bus.pass(10);
    await world.advance(100);
    const { measurements } = world.mirror;
    assert.equal(measurements.qualityOf(measurements.find('level')), quality.bad.communicationFailure);
    world.bus.isHeld = false;
    world.bus.pass();
    await world.advance(4000);
    isSame(world);
  });

  test('makes good what was lost, without a moment of bad values', async (t) => {
    const world = plantOf(t);
    world.read('level', 4);
    await world.advance(3000);
    let changes = 0;
    world.mirror.measurements.onChanges(({ count }) => {
      changes += count;
    });
    let isLost = false;
    world.bus.loses = (subject) => {
      const isNow = !isLost && subject === 'live.works.measurements';
      isLost ||= isNow;
      return isNow;
    };
    world.read('level', 5);
    await world.advance(400);
    assert.ok(isLost);
    await world.settle();
    isSame(world);
    // What was there already is told to nobody again.
    assert.equal(changes, 1);
  });

  test('begins anew when the site was started anew, and keeps nothing of before', async (t) => {
    const world = plantOf(t);
    await world.settle();
    world.measurements.remove('level');
    world.bus.loses = () => true;
    world.beats?.stop();
    world.bus.loses = () => false;
    world.startSite();
    await world.advance(3000);
    assert.equal(world.mirror.measurements.find('level'), -1);
    isSame(world);
  });

  test('is sent nothing before somebody asks, and soon nothing when nobody does any more', async (t) => {
    const world = worldOf(t);
    world.measurement('level');
    await world.settle();
    assert.equal(world.publisher?.open, 3);
    await world.mirror.stop();
    await world.advance(20_000);
    let published = 0;
    world.bus.loses = (subject) => {
      if (subject.startsWith('live.') && !subject.endsWith('.beat')) published++;
      return false;
    };
    world.read('level', 4);
    await world.advance(5000);
    assert.deepEqual([published, world.publisher?.open], [0, 0]);
    world.mirror.start();
    await world.settle();
    isSame(world);
  });

  test('sends of many changes the newest, and no more messages than ticks, however many change', async (t) => {
    const world = worldOf(t);
    for (let at = 0; at < 1000; at++) world.measurement(`p${at}`);
    await world.advance(3000);
    isSame(world);
    let messages = 0;
    world.bus.loses = (subject) => {
      if (subject === 'live.works.measurements') messages++;
      return false;
    };
    for (let round = 1; round <= 50; round++) {
      for (let at = 0; at < 250; at++) world.read(`p${at}`, round);
    }
    await world.advance(200);
    assert.equal(messages, 1);
    isSame(world);
  });

  test('takes nothing that is none from a site', async (t) => {
    const world = plantOf(t);
    await world.settle();
    for (const data of [
      '',
      'x',
      'x'.repeat(1000),
      '\0'.repeat(20),
      `\u0003${'\0'.repeat(19)}{"definitions":[[1,{"name":"a b"}]],"texts":[]}`,
    ]) {
      world.bus.publish('live.works.measurements', data);
    }
    await world.advance(3000);
    isSame(world);
  });
});
