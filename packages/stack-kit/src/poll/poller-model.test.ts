// The poller in a plant where anything may happen: whatever does, it does not lie for long, and all is well in the end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PolledPlant, point, settled } from '../../test/polled-plant.ts';
import type { StackPoint } from '../connector.ts';

const runs = Number(process.env.MODEL_RUNS ?? 12);
const stepMs = 10;
const devices = ['a', 'b', 'c'];
const cells = [1, 2, 3, 4, 9, 10, 40];
/** As long as something is wrong with a point, and has been for this long, the point is not shown good. */
const patienceMs = 20_000;

type Event =
  | { readonly kind: 'silence'; readonly device: number; readonly isSilent: boolean }
  | { readonly kind: 'cell'; readonly device: number; readonly cell: number; readonly is: 'refused' | 'mute' | 'good' }
  | { readonly kind: 'delay'; readonly device: number; readonly ms: number }
  | { readonly kind: 'points'; readonly retained: readonly boolean[] }
  | { readonly kind: 'link' };

const anyDevice = fc.nat(devices.length - 1);
const anyEvent: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: fc.constant('silence'), device: anyDevice, isSilent: fc.boolean() }),
  fc.record({
    kind: fc.constant('cell'),
    device: anyDevice,
    cell: fc.nat(cells.length - 1),
    is: fc.constantFrom('refused', 'mute', 'good'),
  }),
  fc.record({ kind: fc.constant('delay'), device: anyDevice, ms: fc.constantFrom(1, 30, 90, 300) }),
  fc.record({ kind: fc.constant('points'), retained: fc.array(fc.boolean(), { minLength: 21, maxLength: 21 }) }),
  fc.record({ kind: fc.constant('link') }),
);
const anyStory = fc.array(fc.tuple(anyEvent, fc.constantFrom(10, 200, 1500, 5000, 30_000)), {
  minLength: 1,
  maxLength: 10,
});

const allPoints = devices.flatMap((device, at) =>
  cells.map((cell) => point(`${device}/${cell}`, cell < 10 ? [200, 500, 1000][at] : 1500)),
);

/** Does what the host does: makes the link, runs, and marks everything bad when it is lost. */
class HostedPlant extends PolledPlant {
  readonly shownNow = new Map<string, number | string>();
  points: readonly StackPoint[] = [];
  #stop = new AbortController();
  #life: Promise<void> = Promise.resolve();

  begin(): void {
    this.#stop = new AbortController();
    this.#life = this.#live(this.#stop.signal);
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.advance(600, stepMs);
    await this.#life;
  }

  usePoints(points: readonly StackPoint[]): void {
    this.points = points;
    this.setPoints(points);
  }

  /** Takes over what was reported. */
  look(): void {
    for (const { readings } of this.take())
      for (const [name, shown] of Object.entries(readings)) this.shownNow.set(name, shown);
  }

  async #live(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.poller.probe(signal);
        await this.poller.run(signal);
      } catch {
        this.look();
        for (const { name } of this.points) this.shownNow.set(name, 'lost');
      }
      if (!signal.aborted) await new Promise<void>((resolve) => this.clock.after(500, resolve));
    }
  }
}

test('whatever becomes of devices, addresses, points and the link, nothing is good for long that is not', async () => {
  await fc.assert(
    fc.asyncProperty(anyStory, fc.constantFrom(1, 3), async (story, requestsAtOnce) => {
      const plant = new HostedPlant({ maxGap: 2, requestsAtOnce });
      /** Since when something is wrong with a point. */
      const wrongSince = new Map<string, number>();
      const isWrong = (name: string) => {
        const [device = '', cell = ''] = name.split('/');
        const { isSilent, refused, mute } = plant.device(device);
        return isSilent || refused.has(Number(cell)) || mute.has(Number(cell));
      };
      const look = () => {
        plant.look();
        const nowMs = plant.clock.monotonicMs();
        for (const { name } of plant.points) {
          if (!isWrong(name)) wrongSince.delete(name);
          else if (!wrongSince.has(name)) wrongSince.set(name, nowMs);
          const wrongMs = nowMs - (wrongSince.get(name) ?? nowMs);
          if (wrongMs > patienceMs) assert.equal(typeof plant.shownNow.get(name), 'string', `${name} is shown good`);
        }
      };
      const pass = async (ms: number) => {
        for (let left = ms; left > 0; left -= 500) {
          await plant.advance(Math.min(500, left), stepMs);
          look();
        }
      };
      plant.usePoints(allPoints);
      plant.begin();
      for (const [event, ms] of story) {
        await happen(plant, event);
        await pass(ms);
      }
      for (const name of devices) {
        const device = plant.device(name);
        device.isSilent = false;
        device.answersAfterMs = 1;
        device.refused.clear();
        device.mute.clear();
      }
      plant.usePoints(allPoints);
      await pass(5000);
      await pass(110_000);
      for (const { name } of allPoints) assert.equal(plant.shownNow.get(name), Number(name.split('/')[1]), name);
      await plant.end();
      await settled();
      assert.deepEqual([plant.underWay, plant.clock.pending], [0, 0]);
    }),
    { numRuns: runs },
  );
});

async function happen(plant: HostedPlant, event: Event): Promise<void> {
  if (event.kind === 'points') {
    plant.usePoints(allPoints.filter((_, at) => event.retained[at]));
    return;
  }
  if (event.kind === 'link') {
    await plant.end();
    plant.begin();
    return;
  }
  const device = plant.device(devices[event.device] as string);
  if (event.kind === 'silence') device.isSilent = event.isSilent;
  else if (event.kind === 'delay') device.answersAfterMs = event.ms;
  else {
    const cell = cells[event.cell] as number;
    device.refused.delete(cell);
    device.mute.delete(cell);
    if (event.is !== 'good') device[event.is].add(cell);
  }
}
