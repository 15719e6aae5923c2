// Holds the live measurements against their model over long random histories: definitions, links, watchdogs, readings,
// simulations, time and restarts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Datatype, Measurement } from '@telltale/schema';
import fc from 'fast-check';
import { MeasurementModel } from '../../test/measurement-model.ts';
import { type PlainReading, PointsBench } from '../../test/points-bench.ts';
import { allHeard } from '../../test/slow-disk.ts';

const connectors = ['c1', 'c2'] as const;
/** Each connector may have its own watchdog. */
const watchdogOf = { c1: 'w1', c2: 'w2' } as const;
const names = ['a', 'b', '__proto__', 'w1', 'w2'] as const;
type Name = (typeof names)[number];

const scaled = { rawRangeLo: '0', rawRangeHi: '8', euRangeLo: '64', euRangeHi: '0' };

const anyDefinition = (name: Name): fc.Arbitrary<Measurement> => {
  const own = name === 'w1' ? 'c1' : name === 'w2' ? 'c2' : undefined;
  if (own !== undefined) {
    const driven = { name, datatype: 'b' as const, connectorName: own, address: 'alive' };
    return fc.constantFrom<Measurement>(driven, driven, { name, datatype: 'b' }, { ...driven, description: 'x' });
  }
  return fc
    .tuple(
      fc.constantFrom<Datatype>('d', 'd', 'i', 'l', 's', 'q'),
      fc.constantFrom(...connectors),
      fc.constantFrom('x', 'x', 'y'),
      fc.constantFrom(0, 0, 1, 2, 4, 8),
      fc.boolean(),
      fc.boolean(),
    )
    .map(([datatype, connectorName, address, stackUmask, isScaled, hasDeadband]) => ({
      name,
      datatype,
      connectorName,
      address,
      stackUmask,
      ...('dil'.includes(datatype) && { ...(isScaled && scaled), ...(hasDeadband && { deadband: '5' }) }),
    }));
};

const anyReading: fc.Arbitrary<PlainReading> = fc.record(
  {
    point: fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: fc.constant(999) }),
    value: fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: -2, max: 12 }) },
      { weight: 4, arbitrary: fc.boolean() },
      { weight: 2, arbitrary: fc.constantFrom('', '3', 'text', 7n, 2n ** 60n, Number.NaN, 0.5, undefined) },
    ),
    quality: fc.constantFrom(0xc0, 0xc0, 0xc0, 0x40, 0x0c, 0x18),
    timeUs: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.constant(-1)),
  },
  { requiredKeys: ['point', 'value'] },
);

const anyStep = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .constantFrom(...names)
      .chain(anyDefinition)
      .map((put) => ({ put })),
  },
  { weight: 1, arbitrary: fc.constantFrom(...names).map((remove) => ({ remove })) },
  {
    weight: 12,
    arbitrary: fc.record({ read: fc.constantFrom(...connectors), readings: fc.array(anyReading, { maxLength: 6 }) }),
  },
  { weight: 3, arbitrary: fc.record({ link: fc.constantFrom(...connectors), isUp: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ disable: fc.constantFrom(...connectors), isDisabled: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ putLink: fc.constantFrom(...connectors), isWatched: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      simulate: fc.constantFrom(...names),
      value: fc.constantFrom('d5', 'd-1.5', 'i3', 's"', 'b0', 'b1', 'l9', 'q2'),
      quality: fc.constantFrom(0xc0, 0x04),
      validForS: fc.constantFrom(undefined, 1, 2),
    }),
  },
  { weight: 2, arbitrary: fc.constantFrom(...names).map((stop) => ({ stop })) },
  { weight: 3, arbitrary: fc.constantFrom(0, 500, 1000, 61_000).map((advance) => ({ advance })) },
  { weight: 1, arbitrary: fc.constant({ restart: true as const }) },
);

type Step = typeof anyStep extends fc.Arbitrary<infer S> ? S : never;

/** The real measurements and the model, side by side. */
class Pair {
  readonly bench = new PointsBench();
  readonly model = new MeasurementModel(this.bench.clock.now());
  #readings = 0;

  constructor() {
    for (const connector of connectors) this.#putLink(connector, undefined);
  }

  async take(step: Step): Promise<void> {
    const { bench, model } = this;
    const before = this.#states();
    model.published = [];
    bench.news();
    if ('put' in step) {
      bench.put(step.put);
      model.put(step.put);
    } else if ('remove' in step) {
      bench.remove(step.remove);
      model.remove(step.remove);
    } else if ('read' in step) {
      this.#readings += step.readings.length;
      bench.read(step.read, ...step.readings.map((reading) => this.#known(reading)));
      model.read(step.read, step.readings);
    } else if ('link' in step) {
      bench.measurements.setLink('connector', step.link, step.isUp, bench.clock.now());
      model.setLink(step.link, step.isUp);
    } else if ('disable' in step) {
      bench.measurements.setDisabled('connector', step.disable, step.isDisabled, bench.clock.now());
      model.setDisabled(step.disable, step.isDisabled);
    } else if ('putLink' in step) this.#putLink(step.putLink, step.isWatched ? watchdogOf[step.putLink] : undefined);
    else if ('simulate' in step) {
      await bench.simulate(step.simulate, step).catch(() => undefined);
      model.simulate(step.simulate, step.value, step.quality, step.validForS);
    } else if ('stop' in step) {
      await bench.measurements.stopSimulation(step.stop).catch(() => undefined);
      model.stop(step.stop);
    } else if ('advance' in step) {
      bench.clock.advance(step.advance);
      model.advance(step.advance);
    } else this.#restart();
    await allHeard();
    this.#compare(before, 'read' in step);
  }

  /** A name that is not live is an id that is nobody's. */
  #known(reading: PlainReading): PlainReading {
    return this.bench.points.has(String(reading.point)) ? reading : { ...reading, point: 999 };
  }

  #putLink(connector: string, watchdog: string | undefined): void {
    this.bench.measurements.putLink('connector', connector, watchdog);
    this.model.putLink(connector, watchdog);
  }

  #restart(): void {
    const points = [...this.bench.points.values()];
    this.bench.restart();
    for (const [name, { watchdog, isDisabled }] of this.model.links) {
      this.bench.measurements.putLink('connector', name, watchdog, isDisabled);
    }
    for (const point of points) this.bench.put(point);
    this.bench.measurements.deleteOrphans();
    this.model.restart();
    this.#readings = 0;
  }

  #states(): Map<string, string> {
    return new Map(Array.from(this.model.points.keys(), (name) => [name, String(this.model.stateOf(name))]));
  }

  #compare(before: ReadonlyMap<string, string>, isExact: boolean): void {
    const { bench, model } = this;
    assert.deepEqual([...bench.points.keys()], [...model.points.keys()]);
    for (const name of model.points.keys()) assert.deepEqual(bench.vtq(name), model.stateOf(name), name);
    const collection = JSON.parse(bench.measurements.wire.collection().bytes.toString()) as Record<string, object>;
    assert.deepEqual(Object.keys(collection).sort(), [...model.points.keys()].sort());
    assert.deepEqual([...bench.disk.simulations.keys()].sort(), [...model.disk.keys()].sort());
    const heard = bench.news() as [string, ...unknown[]][];
    for (const name of model.points.keys()) {
      const reported = changesOf(heard, name, before.get(name));
      if (isExact) assert.deepEqual(reported, changesOf(model.published, name, before.get(name)), name);
      assert.equal(reported.at(-1) ?? before.get(name), String(model.stateOf(name)), name);
    }
    const { unfit: _, ...counts } = bench.measurements.counts;
    const counted = Object.values(counts).reduce((sum, count) => sum + count, 0);
    assert.equal(counted + model.held, this.#readings, 'readings came to nothing');
  }
}

/** What was said of a point, one after the other; what says nothing new is left out. */
function changesOf(said: readonly [string, ...unknown[]][], name: string, before: string | undefined): string[] {
  const states = said.filter(([each]) => each === name).map(([, ...state]) => String(state));
  return states.filter((state, at) => state !== (at === 0 ? before : states[at - 1]));
}

test('whatever happens, measurements are what the rules say, and every change is heard', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 60, size: 'max' }), async (steps) => {
      const pair = new Pair();
      for (const step of steps) await pair.take(step);
      pair.bench.measurements.close();
    }),
    { numRuns: Number(process.env.MODEL_RUNS ?? 150) },
  );
});
