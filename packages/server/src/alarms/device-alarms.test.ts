// Promises of alarms that a device raises: what it reports is so, and what people do is asked of it first.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Alarm, ProblemError } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { PlainMeasurements } from '../../test/plain-measurements.ts';
import { allHeard, SlowDisk } from '../../test/slow-disk.ts';
import { Alarms, type StoredAlarm } from './index.ts';

const trip: Alarm = { name: 'a', severity: 1, connectorName: 'plc', address: 'trip' };

class Bench {
  readonly clock = new ManualClock(1_000_000_000);
  readonly disk: SlowDisk;
  readonly alarms: Alarms;
  readonly heard: string[] = [];
  /** The device answers when the test says so. */
  readonly asked: { readonly authority: string; readonly answer: PromiseWithResolvers<void> }[] = [];

  constructor(alarm: Partial<Alarm> = {}, stored: readonly StoredAlarm[] = []) {
    this.disk = new SlowDisk(new Map(stored.map((each) => [each.name, each])));
    this.alarms = new Alarms({
      measurements: new PlainMeasurements(),
      store: this.disk,
      clock: this.clock,
      acknowledgeAtDevice: (_, authority) => {
        const answer = Promise.withResolvers<void>();
        this.asked.push({ authority, answer });
        return answer.promise;
      },
    });
    this.alarms.restore(stored);
    this.alarms.onChange((handle) => {
      const { state, authority, timeUs } = this.alarms.stateOf(handle);
      this.heard.push(`${state} ${authority} ${timeUs}`);
    });
    this.alarms.put({ ...trip, ...alarm });
  }

  report(isActive: boolean, isAcknowledged: boolean, timeUs = this.clock.now(), more: object = {}): void {
    const handle = this.alarms.find('a');
    this.alarms.report(handle, { isActive, isAcknowledged, timeUs, authority: 'connector/plc', ...more });
  }

  operate(operation: 'acknowledge' | 'activate' | 'deactivate' = 'acknowledge'): { outcome?: string } {
    const started: { outcome?: string } = {};
    this.alarms.operate('a', operation, 'anna').then(
      () => {
        started.outcome = 'done';
      },
      (error: ProblemError) => {
        started.outcome = `${error.problem}: ${error.message}`;
      },
    );
    return started;
  }

  get state(): string {
    return this.alarms.stateOf(this.alarms.find('a')).state;
  }
}

describe('what a device reports', () => {
  test('AL-25: is the state of its alarm, from any state, and the same state again is no transition', () => {
    const bench = new Bench();
    const states = {
      ACT_UNACK: [true, false],
      ACT_ACK: [true, true],
      INACT_UNACK: [false, false],
      INACT_ACK: [false, true],
    };
    for (const from of Object.values(states) as [boolean, boolean][]) {
      for (const [name, to] of Object.entries(states) as [string, [boolean, boolean]][]) {
        bench.report(...from);
        bench.heard.length = 0;
        bench.report(...to);
        assert.equal(bench.state, name);
        assert.equal(bench.heard.length, Number(from !== to));
      }
    }
  });

  test('AL-25: with ackMode auto, is acknowledged here at once', () => {
    const bench = new Bench({ ackMode: 'auto' });
    bench.report(true, false);
    assert.equal(bench.state, 'ACT_ACK');
    bench.report(false, false);
    assert.equal(bench.state, 'INACT_ACK');
    assert.equal(bench.asked.length, 0);
  });

  test('AL-26: has the time of the device, but is never before the transition before it', () => {
    const bench = new Bench();
    bench.report(true, false, 5000);
    bench.report(false, false, 4000);
    bench.report(true, false, 6000);
    assert.deepEqual(bench.heard, [
      'ACT_UNACK connector/plc 5000',
      'INACT_UNACK connector/plc 5001',
      'ACT_UNACK connector/plc 6000',
    ]);
  });

  test('AL-26: has a message, which is the description where none is configured, and survives a restart', async () => {
    const bench = new Bench();
    bench.report(true, false, 5000, { message: 'Too hot: 83 °C' });
    assert.equal(bench.alarms.descriptionOf(bench.alarms.find('a')), 'Too hot: 83 °C');
    await bench.disk.answerAll();
    const again = new Bench({}, [...bench.disk.alarms.values()]);
    assert.equal(again.state, 'ACT_UNACK');
    assert.match(again.alarms.text(again.alarms.find('a')), /"description":"Too hot: 83 °C"/);
    again.alarms.put({ ...trip, description: 'Heater' });
    assert.equal(again.alarms.descriptionOf(again.alarms.find('a')), 'Heater');
  });

  test('AL-15: is published at once, though the disk takes nothing', async () => {
    const bench = new Bench();
    bench.report(true, false, 5);
    bench.report(true, true, 6);
    assert.equal(bench.heard.length, 2);
    assert.deepEqual(bench.disk.pending, ['a ACT_UNACK']);
    await bench.disk.answerAll();
    assert.equal(bench.disk.alarms.get('a')?.state, 'ACT_ACK');
  });
});

describe('what people do with an alarm of a device', () => {
  test('AL-27: an acknowledgement is done when the device has accepted it and it is on disk', async () => {
    const bench = new Bench();
    bench.report(true, false, 5);
    await bench.disk.answerAll();
    const started = bench.operate();
    await allHeard();
    assert.deepEqual([bench.state, started.outcome, bench.asked[0]?.authority], ['ACT_UNACK', undefined, 'anna']);
    bench.asked[0]?.answer.resolve();
    await allHeard();
    assert.deepEqual([bench.state, started.outcome], ['ACT_ACK', undefined]);
    await bench.disk.answerAll();
    assert.equal(started.outcome, 'done');
    assert.deepEqual(bench.disk.alarms.get('a')?.authority, 'anna');
    bench.report(true, true, 7);
    assert.equal(bench.heard.length, 2, 'its report is no second transition');
  });

  test('AL-27: the report of the device may come first, and is hers who acknowledged', async () => {
    const bench = new Bench();
    bench.report(true, false, 5);
    const started = bench.operate();
    await allHeard();
    bench.report(true, true, 6, { authority: 'telltale' });
    assert.equal(bench.heard.at(-1), 'ACT_ACK anna 6');
    bench.asked[0]?.answer.resolve();
    await allHeard();
    assert.equal(started.outcome, undefined);
    await bench.disk.answerAll();
    assert.equal(started.outcome, 'done');
    assert.equal(bench.heard.length, 2);
  });

  test('AL-27: what the device refuses changes nothing', async () => {
    const bench = new Bench();
    bench.report(true, false, 5);
    const started = bench.operate();
    await allHeard();
    bench.asked[0]?.answer.reject(new ProblemError('acknowledge-refused', 'No.'));
    await allHeard();
    assert.deepEqual([bench.state, started.outcome], ['ACT_UNACK', 'acknowledge-refused: No.']);
    bench.report(true, true, 6, { authority: 'panel' });
    assert.equal(bench.heard.at(-1), 'ACT_ACK panel 6');
  });

  test('AL-27: what the device has accepted is shown, though the disk refuses it', async () => {
    const bench = new Bench();
    bench.report(true, false, 5);
    await bench.disk.answerAll();
    const started = bench.operate();
    await allHeard();
    bench.asked[0]?.answer.resolve();
    await allHeard();
    await bench.disk.answer(false);
    assert.match(started.outcome ?? '', /^storage-failed: The device has accepted it and reads show it/);
    assert.equal(bench.state, 'ACT_ACK');
    bench.clock.advance(1000);
    await bench.disk.answerAll();
    assert.equal(bench.disk.alarms.get('a')?.state, 'ACT_ACK', 'it is retried');
  });

  test('AL-28: nobody here raises or clears it, and what is acknowledged is not asked again', async () => {
    const bench = new Bench();
    for (const operation of ['activate', 'deactivate'] as const) {
      const { outcome } = await settled(bench.operate(operation));
      assert.match(outcome ?? '', /^device-alarm: Alarm a follows the device of connector plc/);
    }
    assert.equal((await settled(bench.operate())).outcome, 'done');
    assert.equal(bench.asked.length, 0);
  });

  test('AL-18: acknowledgements are asked one after the other', async () => {
    const bench = new Bench();
    bench.report(true, false, 5);
    const [first, second] = [bench.operate(), bench.operate()];
    await allHeard();
    assert.equal(bench.asked.length, 1);
    bench.asked[0]?.answer.resolve();
    await allHeard();
    await bench.disk.answerAll();
    assert.deepEqual([first.outcome, second.outcome, bench.asked.length], ['done', 'done', 1]);
  });

  test('an alarm that is removed meanwhile leaves nothing behind', async () => {
    const bench = new Bench();
    bench.report(true, false, 5);
    const started = bench.operate();
    await allHeard();
    bench.alarms.remove('a');
    bench.asked[0]?.answer.resolve();
    await allHeard();
    await bench.disk.answerAll();
    assert.deepEqual([started.outcome, bench.disk.alarms.size], ['done', 0]);
  });
});

async function settled<T>(started: T): Promise<T> {
  await allHeard();
  return started;
}
