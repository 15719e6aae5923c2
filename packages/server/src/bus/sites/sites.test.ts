// What a centre promises of the sites that it hears: a loss shows within 5 s and says why, and nothing stale counts as new.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { PlainBus } from '../../../test/bus/plain-bus.ts';
import { type Beat, beatText, readBeat } from './beat.ts';
import { SiteBeats } from './site-beats.ts';
import { type SiteState, Sites } from './sites.ts';

const startUs = 1_700_000_000_000_000;

class World {
  readonly clock = new ManualClock(startUs);
  readonly bus = new PlainBus();
  readonly changes: SiteState[] = [];
  readonly sites: Sites;
  readonly #scope: Scope;

  constructor(scope: Scope) {
    this.#scope = scope;
    this.sites = new Sites({ bus: this.bus, clock: this.clock });
    this.sites.observe((site) => this.changes.push(site));
    this.sites.start();
    cleanupOf(scope).defer(() => this.sites.stop());
  }

  site(run = 'run1', { clock = this.clock, site = 'works', node = null as string | null, epoch = 7 } = {}): SiteBeats {
    const facts = () => ({ name: 'Works', node, epoch, uplink: null });
    const beats = new SiteBeats({ bus: this.bus, clock, site, run, version: '1.0.0', facts });
    beats.start();
    cleanupOf(this.#scope).defer(() => beats.stop());
    return beats;
  }

  get works(): SiteState {
    return this.sites.of('works') as SiteState;
  }
}

describe('the sites of a centre', () => {
  test('are there while they are heard, with what they say', (t) => {
    const world = new World(t);
    world.site();
    assert.deepEqual([world.works.isUp, world.works.beat?.name, world.works.beat?.version], [true, 'Works', '1.0.0']);
    world.clock.advance(60_000);
    assert.deepEqual([world.works.isUp, world.works.beat?.number], [true, 61]);
    assert.equal(world.changes.length, 1);
    assert.deepEqual(
      world.sites.all.map(({ id }) => id),
      ['works'],
    );
    assert.equal(world.sites.of('elsewhere'), undefined);
  });

  test('are gone within 5 s when nothing is heard of them, and back with the next word', (t) => {
    const world = new World(t);
    const site = world.site();
    world.clock.advance(10_200);
    world.bus.isHeld = true;
    world.clock.advance(3000);
    assert.equal(world.works.isUp, true);
    world.clock.advance(2000);
    assert.deepEqual([world.works.isUp, world.works.cause], [false, 'nothing is heard of it']);
    assert.equal(world.sites.momentAt('works'), undefined);
    world.bus.isHeld = false;
    world.clock.advance(1000);
    assert.deepEqual(
      [world.works.isUp, world.works.cause, world.works.sinceUs],
      [true, '', world.clock.now() - 200_000],
    );
    site.stop();
    assert.deepEqual([world.works.isUp, world.works.cause], [false, 'it was stopped']);
    assert.deepEqual(
      world.changes.map(({ isUp }) => isUp),
      [true, false, true, false],
    );
  });

  test('are not back by words that were on their way for long', (t) => {
    const world = new World(t);
    world.site();
    world.bus.isHeld = true;
    world.clock.advance(10_000);
    assert.equal(world.works.isUp, false);
    world.bus.pass(6);
    assert.deepEqual([world.works.isUp, world.works.cause], [false, 'what it says comes late']);
    world.bus.pass(1);
    assert.equal(world.works.isUp, true);
  });

  test('are all gone, and the centre says why, while it is not connected itself', (t) => {
    const world = new World(t);
    world.site();
    world.bus.isUp = false;
    world.clock.advance(5000);
    assert.deepEqual([world.works.isUp, world.works.cause], [false, 'the centre is not connected to the bus: cut off']);
  });

  test('do not go when it was the centre that stood still', (t) => {
    const world = new World(t);
    world.site();
    const late = new PlainBus();
    const timers: (() => void)[] = [];
    let ms = 0;
    const after = (_: number, call: () => void) => {
      timers.push(call);
      return () => undefined;
    };
    const fire = () => {
      for (const call of timers.splice(0)) call();
    };
    const sites = new Sites({ bus: late, clock: { now: () => 0, monotonicMs: () => ms, after } });
    sites.start();
    const facts = () => ({ name: '', epoch: null, uplink: null });
    new SiteBeats({ bus: late, clock: world.clock, site: 'works', run: 'r', version: '', facts }).start();
    ms = 10_000;
    fire();
    assert.equal(sites.of('works')?.isUp, true);
    ms = 10_500;
    fire();
    assert.equal(sites.of('works')?.isUp, false);
  });

  test('tell their clock: monotonic not ahead, and how far the time of day is', (t) => {
    const world = new World(t);
    const own = new ManualClock(startUs + 90_000_000);
    own.advance(5000);
    const site = world.site('run1', { clock: own });
    world.bus.isHeld = true;
    own.advance(1000);
    world.clock.advance(1300);
    world.bus.pass();
    assert.deepEqual(world.sites.momentAt('works'), { run: 'run1', epoch: 7, monotonicMs: 6000 });
    world.clock.advance(500);
    assert.equal(world.sites.momentAt('works')?.monotonicMs, 6500);
    assert.equal(world.works.aheadUs, 94_700_000);
    site.stop();
  });

  test('are another start when they are started anew, and twice there when two servers say that they are one', (t) => {
    const world = new World(t);
    const first = world.site('run1');
    world.clock.advance(3000);
    first.stop();
    world.site('run2');
    world.clock.advance(3000);
    assert.deepEqual([world.works.beat?.run, world.works.isTwice, world.works.isUp], ['run2', false, true]);
    const third = world.site('run3');
    world.clock.advance(3000);
    assert.equal(world.works.isTwice, true);
    third.stop();
    world.clock.advance(70_000);
    assert.deepEqual([world.works.isTwice, world.works.beat?.run, world.works.isUp], [false, 'run2', true]);
  });

  test('are one whichever of its nodes leads, and one that does not know yet that another one does is not heard', (t) => {
    const world = new World(t);
    const first = world.site('run1', { node: 'a', epoch: 7 });
    world.clock.advance(2500);
    const second = world.site('run2', { node: 'b', epoch: 9 });
    world.clock.advance(2500);
    const seen = () => [world.works.beat?.node, world.works.isTwice, world.works.isUp];
    assert.deepEqual(seen(), ['b', false, true]);
    first.stop();
    assert.deepEqual(seen(), ['b', false, true]);
    second.stop(false);
    world.site('run3', { node: 'a', epoch: 12 });
    assert.deepEqual(seen(), ['a', false, true]);
    assert.ok(world.changes.every(({ isUp, isTwice }) => isUp && !isTwice));
    // etcd was put back: what is heard counts when nothing else is.
    const late = world.site('run4', { node: 'b', epoch: 1 });
    world.clock.advance(1000);
    assert.equal(world.works.beat?.node, 'a');
    late.stop(false);
  });

  test('begin a few times, then once a second, however often they say that they were started anew or stopped', (t) => {
    const world = new World(t);
    const { clock } = world;
    const beat = (number: number, more: Partial<Beat>) => {
      const times = { monotonicMs: clock.monotonicMs(), nowUs: clock.now() };
      const usual = { run: 'run', epoch: 7, name: 'Works', version: '1', uplink: null, isEnding: false };
      world.bus.publish('live.works.beat', beatText({ ...usual, number, ...times, ...more }));
    };
    for (let number = 1; number <= 200; number++) {
      clock.advance(10);
      beat(number, { run: `run${number}` });
    }
    assert.deepEqual([world.changes.length <= 5 + 2, world.works.isUp], [true, true]);
    const before = world.changes.length;
    clock.advance(1000);
    for (let number = 1; number <= 200; number++) {
      clock.advance(10);
      beat(number, { isEnding: number % 2 === 0 });
    }
    // It is gone each time that it is back.
    assert.ok(world.changes.length - before <= 2 * (1 + 3), `${world.changes.length - before}`);
  });

  test('that were known before are listed, and not there', (t) => {
    const world = new World(t);
    world.sites.expect('works');
    assert.deepEqual([world.works.isUp, world.works.cause], [false, 'it has not been heard yet']);
    world.site();
    world.sites.expect('works');
    assert.equal(world.works.isUp, true);
  });
});

test('a site of a newer version, which a centre does not understand, is listed with that, and is not there', (t) => {
  const world = new World(t);
  world.bus.publish('live.works.beat', JSON.stringify({ form: 2, run: 7, of: 'another kind' }));
  assert.deepEqual([world.works.isUp, world.works.beat], [false, undefined]);
  assert.match(world.works.cause, /of a newer version.*bring the centre up to date/);
  world.site();
  assert.deepEqual([world.works.isUp, world.works.cause], [true, '']);
  world.bus.publish('live.works.beat', JSON.stringify({ form: 2 }));
  assert.match(world.works.cause, /of a newer version/);
  assert.equal(world.sites.momentAt('works'), undefined);
});

test('a heartbeat is read as it was written, and anything else is none', () => {
  const beat: Beat = {
    run: 'run1',
    number: 1,
    monotonicMs: 0.25,
    nowUs: startUs,
    epoch: null,
    name: 'Wörks',
    version: '1',
    uplink: null,
    isEnding: false,
  };
  const bytes = (text: string) => new TextEncoder().encode(text);
  assert.deepEqual(readBeat(bytes(beatText(beat))), { form: 1, ...beat });
  assert.deepEqual(readBeat(bytes(JSON.stringify(beat))), beat);
  assert.deepEqual(readBeat(bytes(JSON.stringify({ ...beat, more: 1 }))), { ...beat, more: 1 });
  for (const wrong of [
    { run: '' },
    { run: 'a b' },
    { number: 0 },
    { nowUs: 2 ** 53 },
    { monotonicMs: -1 },
    { epoch: 'x' },
    { form: 0 },
    { form: 'x' },
    { name: 'x'.repeat(257) },
  ]) {
    assert.equal(readBeat(bytes(JSON.stringify({ ...beat, ...wrong }))), undefined);
  }
  for (const field of Object.keys(beat))
    assert.equal(readBeat(bytes(JSON.stringify({ ...beat, [field]: undefined }))), undefined);
  fc.assert(fc.property(fc.uint8Array(), (data) => readBeat(data) === undefined));
  assert.equal(readBeat(bytes(`${beatText(beat)}${' '.repeat(8192)}`)), undefined);
});
