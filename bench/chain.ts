// Updates through scaler, deduplicator, deadband and one trigger each, against a hand-written loop in which updates and
// points are plain objects, found by handle, and do the same arithmetic. Points are updated in no order, as the devices
// of a plant do it. One core, no input or output.
import { Batch, type Measurement, systemClock } from '@telltale/schema';
import { Alarms } from '../packages/server/src/alarms/index.ts';
import { Measurements } from '../packages/server/src/points/index.ts';
import { atLeast, type Benchmark, takeTurns, timed } from './measure.ts';

const points = 100_000;
const batchSize = 1000;
const warmUp = 3;
const rounds = 9;
const roundsATurn = 10;
const connectorName = 'plc';
const good = 0xc0;

export const chain: Benchmark = {
  name: 'chain',
  title: `updates through the chain and one trigger, ${points} points, against plain objects found by handle`,
  async run(say) {
    const ours = ourSide();
    const plain = plainSide();
    const phases = [0, 1, 2, 3];
    const sides = [
      rounded(phases.map(makeBatches), ours.apply),
      rounded(phases.map(makeUpdates), plain.apply),
    ] as const;
    await takeTurns(warmUp, ...sides);
    const [ourMs = 1, plainMs = 1] = await takeTurns(rounds, ...sides);
    if (ours.changed() === 0 || plain.changed() === 0)
      throw new Error('nothing changed: the benchmark measures nothing');
    const rate = (ms: number) => `${((points * roundsATurn) / ms / 1000).toFixed(1)} million`;
    say(`updates a second: ours ${rate(ourMs)}, plain objects ${rate(plainMs)}`);
    return [atLeast('updates a second through the chain / plain objects', plainMs / ourMs, 2)];
  },
};

/** A raw value that moves by more than the deadband in nine of ten points. */
function rawOf(index: number, phase: number): number {
  return index % 10 === 0 ? 5000 : 5000 + ((index * 37 + phase * 911) % 20_000);
}

/** Every point once, in an order that is the same each time and no order of memory. */
const order = Array.from({ length: points }, (_, index) => (index * 61_803) % points);

function makeBatches(phase: number): Batch[] {
  return Array.from({ length: points / batchSize }, (_, number) => {
    const batch = new Batch(batchSize);
    for (let index = number * batchSize; index < (number + 1) * batchSize; index++) {
      batch.number(order[index] as number, rawOf(index, phase), good, timeOf(phase));
    }
    return batch;
  });
}

interface Update {
  readonly handle: number;
  readonly value: number;
  readonly quality: number;
  readonly timeUs: number;
}

function makeUpdates(phase: number): Update[][] {
  return Array.from({ length: points / batchSize }, (_, number) =>
    Array.from({ length: batchSize }, (_update, at) => {
      const index = number * batchSize + at;
      const handle = order[index] as number;
      return { handle, value: rawOf(index, phase), quality: good, timeUs: timeOf(phase) };
    }),
  );
}

const timeOf = (phase: number) => 1_700_000_000_000_000 + phase;

/** A turn is some rounds, each with the next phase, so that neither side starts with the other's memory in the cache. */
function rounded<B>(phases: readonly B[][], apply: (batch: B) => void): () => Promise<number> {
  let phase = 0;
  return () =>
    timed(() => {
      for (let round = 0; round < roundsATurn; round++) {
        for (const batch of phases[phase++ % phases.length] ?? []) apply(batch);
      }
    });
}

const name = (index: number) => `m${index}`;

function ourSide() {
  const kept = { saveSimulation: async () => {}, deleteSimulation: async () => {} };
  const store = { saveAlarm: async () => {}, deleteAlarm: async () => {} };
  const measurements = new Measurements({ clock: systemClock, store: kept });
  const alarms = new Alarms({ measurements, store, clock: systemClock });
  measurements.onChanges((changes) => alarms.evaluate(changes));
  measurements.putLink('connector', connectorName, undefined);
  for (let index = 0; index < points; index++) {
    const point: Measurement = {
      name: name(index),
      datatype: 'd',
      rawDatatype: 'd',
      connectorName,
      address: 'x',
      rawRangeLo: '0',
      rawRangeHi: '27648',
      euRangeLo: '0',
      euRangeHi: '100',
      deadband: '0.1',
    };
    measurements.put(point);
    alarms.put({
      name: name(index),
      severity: 1,
      trgMeasurement: name(index),
      trgOperator: 'gt',
      trgRefValue: '1000',
      trgHysteresis: '1',
    });
  }
  return {
    apply: (batch: Batch) => measurements.readings(connectorName, batch),
    changed: () => measurements.counts.changed,
  };
}

interface PlainPoint {
  value: number;
  quality: number;
  time: number;
  rawLo: number;
  rawHi: number;
  euLo: number;
  euHi: number;
  deadband: number;
  isActive: boolean;
  reference: number;
  hysteresis: number;
}

function plainSide() {
  const byHandle = Array.from(
    { length: points },
    (): PlainPoint => ({
      value: 0,
      quality: 8,
      time: 0,
      rawLo: 0,
      rawHi: 27648,
      euLo: 0,
      euHi: 100,
      deadband: 0.1,
      isActive: false,
      reference: 1000,
      hysteresis: 1,
    }),
  );
  let changed = 0;
  let alarms = 0;
  const update = (point: PlainPoint, raw: number, given: number, time: number) => {
    if (!Number.isFinite(raw)) return;
    const { rawLo, rawHi, euLo, euHi } = point;
    const quality = raw < rawLo ? 0x55 : raw > rawHi ? 0x56 : given;
    const value = euLo + ((raw - rawLo) * (euHi - euLo)) / (rawHi - rawLo);
    if (quality === point.quality) {
      if (value === point.value) return;
      if (Math.abs(value - point.value) < point.deadband) return;
    }
    point.value = value;
    point.quality = quality;
    point.time = time;
    changed++;
    const isActive = point.isActive ? value > point.reference - point.hysteresis : value > point.reference;
    if (isActive !== point.isActive) {
      point.isActive = isActive;
      alarms++;
    }
  };
  return {
    apply: (updates: readonly Update[]) => {
      for (const { handle, value, quality, timeUs } of updates) {
        update(byHandle[handle] as PlainPoint, value, quality, timeUs);
      }
    },
    changed: () => changed + alarms,
  };
}
