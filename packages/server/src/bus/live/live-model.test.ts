// Holds the mirror of a site against the site, whatever is lost, late or gone: no good value that the site has not had within 5 s, and
// in the end what the site shows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isGood } from '@telltale/schema';
import fc from 'fast-check';
import { LiveWorld, shownOf } from '../../../test/bus/live-world.ts';

const runs = Number(process.env.MODEL_RUNS ?? 25);
const staleMs = 5000;
const names = ['a', 'b', 'c', 'd'] as const;

/** When the site showed what last: until now, or until then. */
type Shown = Map<string, number>;

class World extends LiveWorld {
  readonly #shown = new Map<string, Shown>(names.map((name) => [name, new Map()]));
  #next = 1;

  /** A value that it never had before. */
  readNext(name: string): void {
    if (this.measurements.find(name) < 0) return;
    this.#note();
    this.read(name, this.#next++);
    this.#note();
  }

  override async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 100) {
      this.#note();
      await super.advance(Math.min(100, left));
      this.#note();
      this.#check();
    }
  }

  #note(): void {
    for (const name of names) {
      const handle = this.measurements.find(name);
      if (handle >= 0) this.#shown.get(name)?.set(this.#textOf(this, handle), this.clock.monotonicMs());
    }
  }

  #check(): void {
    const { measurements } = this.mirror;
    for (const name of names) {
      const handle = measurements.find(name);
      if (handle < 0 || !isGood(measurements.qualityOf(handle))) continue;
      const text = this.#textOf(this.mirror, handle);
      const lastMs = this.#shown.get(name)?.get(text);
      const ageMs = this.clock.monotonicMs() - (lastMs ?? Number.NEGATIVE_INFINITY);
      assert.ok(ageMs <= staleMs, `${name} shows ${text}, which the site had ${ageMs} ms ago`);
    }
  }

  #textOf({ measurements }: Pick<LiveWorld, 'measurements'>, handle: number): string {
    return `${measurements.valueOf(handle)} ${measurements.qualityOf(handle)} ${measurements.timeOf(handle)}`;
  }
}

type Step = (world: World) => unknown;
const aName = fc.constantFrom(...names);
const aTime = fc.constantFrom(50, 100, 300, 1000, 3000, 6000);

const steps: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 8, arbitrary: aName.map((name) => (world) => world.readNext(name)) },
  { weight: 8, arbitrary: aTime.map((ms) => (world) => world.advance(ms)) },
  { weight: 2, arbitrary: aName.map((name) => (world) => world.measurements.remove(name)) },
  {
    weight: 2,
    arbitrary: fc.tuple(aName, fc.constantFrom('d', 'f')).map(
      ([name, datatype]) =>
        (world) =>
          world.measurement(name, { datatype }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(aName, fc.boolean()).map(([name, isActive]) => async (world) => {
      world.alarm(name);
      await world.alarms.operate(name, isActive ? 'activate' : 'deactivate', 'ann');
    }),
  },
  { weight: 1, arbitrary: aName.map((name) => (world) => world.command(name, { initialValue: '3' })) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(/./, /^live/, /measurements/, /beat/, /^ask/), fc.integer({ min: 1, max: 4 }))
      .map(([of, oneIn]) => (world) => {
        let at = 0;
        world.bus.loses = (subject) => of.test(subject) && at++ % oneIn === 0;
      }),
  },
  {
    weight: 3,
    arbitrary: fc.constant((world) => {
      world.bus.loses = () => false;
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constant((world) => {
      world.bus.isHeld = true;
    }),
  },
  {
    weight: 3,
    arbitrary: fc.nat(30).map((count) => (world) => {
      world.bus.pass(count);
      if (count > 15) heal(world);
    }),
  },
  { weight: 1, arbitrary: fc.boolean().map((isUp) => (world) => world.bus.set(isUp)) },
  {
    weight: 1,
    arbitrary: fc.constant((world) => {
      world.beats?.stop();
      world.startSite();
    }),
  },
];

function heal({ bus }: World): void {
  bus.set(true);
  bus.loses = () => false;
  bus.isHeld = false;
  bus.pass();
}

test('no good value is one that the site has not had for 5 s, and in the end all is what the site shows', async () => {
  const all = fc.array(fc.oneof(...steps), { maxLength: 60, size: 'max' });
  const property = fc.asyncProperty(all, async (taken) => {
    const world = new World();
    try {
      for (const name of names.slice(0, 2)) world.measurement(name);
      for (const step of taken) await step(world);
      heal(world);
      await world.advance(8000);
      assert.equal(world.mirror.state.cause, '');
      assert.deepEqual(shownOf(world.mirror), shownOf(world.plant));
    } finally {
      await world.end();
    }
  });
  await fc.assert(property, { numRuns: runs });
});
