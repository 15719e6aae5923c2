// Holds alarms against their model over long random histories: definitions, values, operations, time, and a disk that
// is slow, refuses, and survives crashes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AlarmState,
  type Datatype,
  type LiveAlarm,
  type ProblemError,
  parseJson,
  quality,
  toTimestamp,
  zeroOf,
} from '@telltale/schema';
import fc from 'fast-check';
import { AlarmBench } from '../../test/alarm-bench.ts';
import { AlarmModel, type ModelMeasurement } from '../../test/alarm-model.ts';
import { type AlarmStep, anyAlarmStep, measurementNames, valuesOf } from '../../test/alarm-steps.ts';
import { gathered } from '../../test/gathered.ts';
import { allHeard } from '../../test/slow-disk.ts';

const unset = (datatype: Datatype): ModelMeasurement => ({
  datatype,
  value: zeroOf(datatype),
  quality: quality.bad.notConnected,
  timeUs: 0,
});

const isPerson = (authority: string) => authority.startsWith('person');
const numberOf = (authority: string) => Number(authority.split(' ')[1]);

/** The real alarms and the model, side by side. */
class Pair {
  readonly bench = new AlarmBench();
  readonly model = new AlarmModel(this.bench.clock.now());
  readonly outcomes = new Map<string, string>();
  #operations = 0;

  constructor() {
    this.#rebuild(measurementNames.map((name) => [name, 'd']));
  }

  async take(step: AlarmStep): Promise<void> {
    const { bench, model } = this;
    switch (step.kind) {
      case 'put':
        bench.alarms.put(step.alarm);
        model.put(step.alarm);
        break;
      case 'remove':
        bench.alarms.remove(step.name);
        model.remove(step.name);
        break;
      case 'set':
        this.#set(step.name, step.at, step.quality);
        break;
      case 'rebuild':
        this.#rebuild(step.measurements);
        break;
      case 'operate':
        this.#operate(step);
        break;
      case 'advance':
        bench.clock.advance(step.ms);
        model.advance(step.ms);
        break;
      case 'disk':
        for (let count = 0; count < step.answers; count++) await this.#answer(step.isTaken);
        break;
      case 'crash':
        this.#crash();
    }
    await allHeard();
    this.#compare();
  }

  /** When the disk takes everything and time passes, what is on it is what is live. */
  async settle(): Promise<void> {
    const { bench } = this;
    while (bench.disk.next !== undefined || bench.clock.pending > 0) {
      while (bench.disk.next !== undefined) await this.#answer(true);
      await this.take({ kind: 'advance', ms: 60_000 });
    }
    const { unsaved, operationsPending } = bench.alarms.counts();
    assert.deepEqual({ unsaved, operationsPending }, { unsaved: 0, operationsPending: 0 });
    for (const name of bench.disk.alarms.keys()) assert.ok(bench.alarms.find(name) >= 0, `${name} is forgotten`);
    for (const [name, { state, timeUs, authority, transitions }] of this.model.alarms) {
      const stored = bench.disk.alarms.get(name);
      if (transitions > 0 || stored !== undefined) assert.deepEqual(stored, { name, state, timeUs, authority });
    }
    this.#compareCollection();
  }

  #set(name: string, at: number, q: number): void {
    const measurement = this.model.measurements.get(name);
    if (measurement === undefined) return;
    const { datatype } = measurement;
    const values = valuesOf[datatype] ?? [];
    const value = values[at % values.length] ?? zeroOf(datatype);
    const timeUs = this.model.nowUs - at;
    this.bench.set(name, value, q, timeUs);
    this.model.set(name, { datatype, value, quality: q, timeUs });
  }

  #rebuild(measurements: readonly (readonly [string, Datatype])[]): void {
    for (const name of this.model.measurements.keys()) this.bench.measurements.remove(name);
    for (const [name, datatype] of measurements) this.bench.measurements.add(name, datatype);
    this.bench.alarms.measurementsChanged(measurementNames);
    this.model.rebuild(new Map(measurements.map(([name, datatype]) => [name, unset(datatype)])));
  }

  #operate({ name, operation }: AlarmStep & { kind: 'operate' }): void {
    const authority = `person ${this.#operations++}`;
    this.bench.alarms.operate(name, operation, authority).then(
      () => this.outcomes.set(authority, 'done'),
      (error: ProblemError) => this.outcomes.set(authority, error.problem),
    );
    this.model.operate(name, operation, authority);
  }

  async #answer(isTaken: boolean): Promise<void> {
    const { next } = this.bench.disk;
    if (next === undefined) return;
    await this.bench.disk.answer(isTaken);
    this.model.answered(next.name, next.alarm, isTaken);
    this.#compare();
  }

  #crash(): void {
    const definitions = [...this.model.alarms.values()].map(({ alarm }) => alarm);
    this.bench.crash();
    this.model.crash(this.bench.disk.alarms);
    for (const alarm of definitions) this.bench.alarms.put(alarm);
    this.bench.alarms.deleteOrphans();
  }

  #compare(): void {
    const { bench, model } = this;
    assert.equal(bench.alarms.size, model.alarms.size);
    const byState: Record<AlarmState, number> = { INACT_ACK: 0, ACT_UNACK: 0, ACT_ACK: 0, INACT_UNACK: 0 };
    for (const [name, { state, timeUs, authority }] of model.alarms) {
      assert.deepEqual(bench.alarms.stateOf(bench.alarms.find(name)), { name, state, timeUs, authority });
      byState[state]++;
      if (isPerson(authority)) this.#isOnDisk(name, authority, state);
    }
    assert.deepEqual(bench.alarms.counts().byState, byState);
    const heard = bench.news();
    for (const [name, events] of model.events) {
      const ofName = heard.filter((text) => text.startsWith(`${name} `)).map((text) => text.slice(name.length + 1));
      assert.deepEqual(ofName, events);
    }
    assert.equal(heard.length, [...model.events.values()].flat().length);
    model.events.clear();
    assert.deepEqual(this.outcomes, model.outcomes);
  }

  /** What a person was told to be done stays there until a trigger, or a later operation, has written over it. */
  #isOnDisk(name: string, authority: string, state: AlarmState): void {
    const stored = this.bench.disk.alarms.get(name);
    assert.ok(stored !== undefined && isPerson(stored.authority));
    if (stored.authority === authority) assert.equal(stored.state, state);
    else assert.ok(numberOf(stored.authority) > numberOf(authority));
  }

  #compareCollection(): void {
    const read = parseJson(gathered(this.bench.alarms.collection()).toString()) as Record<string, LiveAlarm>;
    const expected = [...this.model.alarms].map(([name, { alarm, state, timeUs, authority }]) => {
      const { severity, description = '' } = alarm;
      return [name, { name, severity, t: toTimestamp(timeUs), authority, state, description }] as const;
    });
    assert.deepEqual(new Map(Object.entries(read)), new Map(expected));
  }
}

test('alarms do what their model does, over 100,000 steps', async () => {
  let steps = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyAlarmStep, { minLength: 100, maxLength: 120 }), async (history) => {
      const pair = new Pair();
      for (const step of history) await pair.take(step);
      await pair.settle();
      steps += history.length;
    }),
    { numRuns: 1000 },
  );
  assert.ok(steps >= 100_000);
});
