// Holds archiving against its model over long random histories: rules, readings, simulations, links, time and its jumps.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Datatype, Measurement, Value } from '@telltale/schema';
import fc from 'fast-check';
import { ArchivingBench, type Handed } from '../../../test/archiving-bench.ts';
import { ArchivingModel } from '../../../test/archiving-model.ts';

const names = ['a', 'b', 'c', '__proto__'] as const;
type Name = (typeof names)[number];

const anyRules = fc.record(
  {
    archMode: fc.constantFrom('change', 'change', 'change', 'none', undefined),
    archValueDeadband: fc.constantFrom('2', '5'),
    archTimeDeadband: fc.constantFrom(0, 5, 1000),
    archPeriod: fc.constantFrom(0, 7, 1000),
    leader: fc.constantFrom(...names),
    datatype: fc.constantFrom<Datatype>('d', 'd', 'i', 'l', 's'),
  },
  { requiredKeys: ['archMode', 'datatype'] },
);

const anyStep = fc.oneof(
  { weight: 3, arbitrary: fc.record({ put: fc.constantFrom(...names), rules: anyRules }) },
  { weight: 1, arbitrary: fc.constantFrom(...names).map((remove) => ({ remove })) },
  {
    weight: 12,
    arbitrary: fc.record({
      read: fc.constantFrom(...names),
      value: fc.integer({ min: -4, max: 8 }),
      lateMs: fc.constantFrom(0, 0, 0, 1, 3000, -50),
      quality: fc.constantFrom(0xc0, 0xc0, 0xc0, 0x40, 0x4040, 0x18),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ simulate: fc.constantFrom(...names), value: fc.constantFrom('d3', 'i3', 'l3', 's3') }),
  },
  { weight: 2, arbitrary: fc.constantFrom(...names).map((stop) => ({ stop })) },
  { weight: 1, arbitrary: fc.boolean().map((link) => ({ link })) },
  { weight: 6, arbitrary: fc.constantFrom(0, 1, 4, 7, 500, 3000).map((advance) => ({ advance })) },
  { weight: 1, arbitrary: fc.constantFrom(-3_600_000, 3_600_000, 86_400_000).map((jump) => ({ jump })) },
);
type Step = typeof anyStep extends fc.Arbitrary<infer S> ? S : never;

class Pair {
  readonly bench = new ArchivingBench();
  readonly model = new ArchivingModel(this.bench.clock.now(), (name) => {
    const { measurements } = this.bench;
    const handle = measurements.find(name);
    return {
      datatype: measurements.datatypeOf(handle),
      value: measurements.valueOf(handle),
      timeUs: measurements.timeOf(handle),
      quality: measurements.qualityOf(handle),
    };
  });

  constructor() {
    const { measurements } = this.bench;
    measurements.onChanges(({ handles, count }) => {
      for (const handle of handles.subarray(0, count)) this.model.change(measurements.nameOf(handle));
    });
  }

  async take(step: Step): Promise<void> {
    const { bench, model } = this;
    if ('put' in step) this.#put(step.put, step.rules as Partial<Measurement> & { datatype: Datatype });
    else if ('remove' in step) {
      model.points.delete(step.remove);
      bench.remove(step.remove);
    } else if ('read' in step) {
      const point = bench.points.get(step.read);
      if (point === undefined) return;
      const timeUs = bench.clock.now() - 1000 * step.lateMs;
      bench.read(step.read, valueFor(point.datatype, step.value), timeUs, step.quality);
    } else if ('simulate' in step) await bench.simulate(step.simulate, step.value).catch(() => undefined);
    else if ('stop' in step) await bench.measurements.stopSimulation(step.stop).catch(() => undefined);
    else if ('link' in step) bench.measurements.setLink('connector', 'c', step.link, bench.clock.now());
    else if ('advance' in step) {
      bench.clock.advance(step.advance);
      model.advance(step.advance);
    } else {
      bench.clock.jump(step.jump);
      model.nowUs += 1000 * step.jump;
    }
    this.#compare();
  }

  #put(name: Name, rules: Partial<Measurement> & { datatype: Datatype }): void {
    // A leader that is itself is refused at rendering, as are longer circles; here they may be.
    const point = { ...rules, name };
    this.bench.put(point);
    this.model.put(point);
  }

  #compare(): void {
    const { bench, model } = this;
    const counts = bench.archiving.counts;
    const handed = bench.news();
    const expected = model.records.splice(0);
    // Periods that end at the same time do so in any order: the order counts within a series.
    for (const name of names) assert.deepEqual(of(name, handed), of(name, expected));
    const { valueDeadband, timeDeadband, noValue, repeated } = counts.suppressed;
    assert.deepEqual({ valueDeadband, timeDeadband }, model.held);
    assert.equal(counts.offered, counts.handedOn + valueDeadband + timeDeadband + noValue + repeated);
  }
}

const of = (name: string, records: readonly Handed[]) => records.filter(([each]) => each === name);

function valueFor(datatype: Datatype, number: number): Value {
  if (datatype === 'l') return BigInt(number);
  return datatype === 's' ? String(number) : number;
}

test('AR-17: whatever happens, what is archived is what the rules say, and all that was offered is accounted for', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 80, size: 'max' }), async (steps) => {
      const pair = new Pair();
      for (const step of steps) await pair.take(step);
      pair.bench.close();
    }),
    { numRuns: Number(process.env.MODEL_RUNS ?? 150) },
  );
});
