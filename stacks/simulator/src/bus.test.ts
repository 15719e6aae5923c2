import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Batch, type Datatype, quality, type Value } from '@telltale/schema';
import type { ManualClock } from '@telltale/schema/testing';
import { type Provider, type StackPoint, type WriteResult, written } from '@telltale/stack-kit';
import { providerOptions } from '@telltale/stack-kit/testing';
import { SimulatedLink } from '../test/simulated-link.ts';
import { createProvider } from './provider.ts';

interface Served {
  readonly tag: string;
  readonly datatype?: Datatype;
}

interface Writing {
  readonly name: string;
  readonly value: Value;
  readonly end: (result: WriteResult) => void;
}

/** A provider that has writes answered by the test. */
class Serving {
  readonly provider: Provider;
  readonly writes: Writing[] = [];
  readonly #controller = new AbortController();
  #ended: Promise<void> | undefined;
  #ids = new Map<string, number>();

  constructor(bus: string, clock: ManualClock, gatherMs = 100) {
    this.provider = createProvider(
      providerOptions({
        name: 'telecontrol',
        variables: { bus, gatherMs },
        clock,
        write: ({ name }, value) =>
          new Promise((end) => {
            this.writes.push({ name, value, end });
          }),
      }),
    );
  }

  setPoints(measurements: readonly Served[], commands: readonly Served[] = []): void {
    const first = this.#ids.size;
    const point =
      (base: number) =>
      ({ tag, datatype = 'd' }: Served, index: number): StackPoint => {
        return { id: base + index, name: tag.replaceAll('.', '_'), address: tag, datatype, properties: {} };
      };
    const points = {
      measurements: measurements.map(point(first)),
      commands: commands.map(point(first + measurements.length)).map((each) => ({ ...each, last: undefined })),
    };
    this.#ids = new Map([...points.measurements, ...points.commands].map(({ id, address }) => [address, id]));
    this.provider.setPoints(points);
  }

  async start(): Promise<void> {
    await this.provider.connect(this.#controller.signal);
    this.#ended = this.provider.run(this.#controller.signal);
  }

  publish(tag: string, value: Value, valueQuality: number = quality.good, timeUs = 1): void {
    const batch = new Batch();
    batch.value(this.#ids.get(tag) ?? assert.fail(tag), value, valueQuality, timeUs);
    this.provider.publish(batch);
  }

  async stop(): Promise<void> {
    this.#controller.abort();
    await this.#ended;
    await this.provider.close();
  }
}

/** Lets what is on the bus arrive, and time pass, until it is so. */
async function until(link: SimulatedLink, isSo: () => boolean, stepMs = 100): Promise<void> {
  for (let turn = 0; turn < 500 && !isSo(); turn++) {
    await new Promise(setImmediate);
    link.clock.advance(stepMs);
  }
  assert.ok(isSo(), isSo.toString());
}

const seen = (name: string, address: string, datatype: Datatype = 'd') => ({ name, address, datatype });

describe('a bus', () => {
  test('hands on value, quality and time as the provider has them, the newest when its gathering time is over', async (t) => {
    const bus = randomUUID();
    const link = new SimulatedLink({ bus, scanPeriodMs: 100 });
    const serving = new Serving(bus, link.clock, 1000);
    t.after(() => Promise.all([link.stop(), serving.stop()]));
    serving.setPoints([{ tag: 'tank.level' }, { tag: 'total', datatype: 'l' }, { tag: 'word', datatype: 's' }]);
    link.setPoints([
      seen('level', 'bus(tank.level)'),
      seen('total', 'bus(total)', 'l'),
      seen('word', 'bus(word)', 's'),
      seen('nobody', 'bus(nobody)'),
    ]);
    await serving.start();
    await link.start();
    for (const name of ['level', 'nobody']) {
      assert.deepEqual([link.value(name), link.quality(name)], [undefined, quality.bad.notConnected]);
    }
    serving.publish('tank.level', 1);
    serving.publish('tank.level', 2.5, quality.uncertain.subnormal, 77);
    serving.publish('total', 2n ** 60n + 1n);
    serving.publish('word', 'on');
    await until(link, () => link.value('level') !== undefined);
    assert.deepEqual(link.readings.get('level'), { value: 2.5, quality: 0x58, timeUs: 77 });
    assert.deepEqual([link.value('total'), link.value('word')], [2n ** 60n + 1n, 'on']);
    assert.ok(link.scans.every(({ readings }) => readings.get('level')?.value !== 1));
    assert.equal(link.quality('nobody'), quality.bad.notConnected);
    serving.publish('tank.level', 3, quality.bad.sensorFailure, 78);
    await until(link, () => link.quality('level') === quality.bad.sensorFailure);
  });

  test('reports a connector that comes later, and one that comes again', async (t) => {
    const bus = randomUUID();
    const link = new SimulatedLink({ bus });
    const serving = new Serving(bus, link.clock);
    t.after(() => Promise.all([link.stop(), serving.stop()]));
    serving.setPoints([{ tag: 'x' }]);
    serving.publish('x', 5);
    await serving.start();
    for (let round = 0; round < 2; round++) {
      link.setPoints([seen('x', 'bus(x)')]);
      await link.start();
      assert.equal(link.quality('x'), quality.bad.notConnected);
      await until(link, () => link.value('x') === 5);
      await link.stop();
    }
  });

  test('converts numbers where they fit; what does not is bad, sensor failure', async (t) => {
    const bus = randomUUID();
    const link = new SimulatedLink({ bus });
    const serving = new Serving(bus, link.clock);
    t.after(() => Promise.all([link.stop(), serving.stop()]));
    serving.setPoints([{ tag: 'x' }, { tag: 'on', datatype: 'b' }]);
    await serving.start();
    serving.publish('x', 7);
    serving.publish('on', true);
    link.setPoints([seen('i', 'bus(x)', 'i'), seen('s', 'bus(x)', 's'), seen('on', 'bus(on)', 'b')]);
    await link.start();
    await until(link, () => link.value('i') === 7 && link.value('on') === 1);
    assert.equal(link.quality('s'), quality.bad.sensorFailure);
    serving.publish('x', 7.5);
    await until(link, () => link.quality('i') === quality.bad.sensorFailure);
  });

  test('shows points that a provider drops, and a provider that leaves, as not connected', async (t) => {
    const bus = randomUUID();
    const link = new SimulatedLink({ bus });
    const serving = new Serving(bus, link.clock);
    t.after(() => link.stop());
    serving.setPoints([{ tag: 'x' }, { tag: 'y' }]);
    await serving.start();
    serving.publish('x', 1);
    serving.publish('y', 2);
    link.setPoints([seen('x', 'bus(x)'), seen('y', 'bus(y)')]);
    await link.start();
    await until(link, () => link.value('x') === 1 && link.value('y') === 2);
    serving.setPoints([{ tag: 'y' }]);
    await until(link, () => link.quality('x') === quality.bad.notConnected);
    assert.deepEqual([link.value('y'), link.quality('y')], [2, quality.good]);
    await serving.stop();
    await until(link, () => link.quality('y') === quality.bad.notConnected);
  });

  test('misses a provider whose thread ends without a word, and not one that has nothing new to report', async (t) => {
    const bus = randomUUID();
    const link = new SimulatedLink({ bus });
    const quiet = new Serving(bus, link.clock);
    const source = `
      const { createProvider } = await import(${JSON.stringify(import.meta.resolve('./provider.ts'))});
      const { Batch, systemClock } = await import(${JSON.stringify(import.meta.resolve('@telltale/schema'))});
      const provider = createProvider({
        name: 'far', variables: { bus: '${bus}', gatherMs: 0 }, clock: systemClock, log: {}, write: () => {},
      });
      const point = { id: 1, name: 'far', address: 'far', datatype: 'd', properties: {} };
      provider.setPoints({ measurements: [point], commands: [] });
      await provider.connect();
      const batch = new Batch();
      batch.number(1, 42, 192, 5);
      provider.publish(batch);`;
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`));
    t.after(() => Promise.all([worker.terminate(), link.stop(), quiet.stop()]));
    quiet.setPoints([{ tag: 'near' }]);
    await quiet.start();
    quiet.publish('near', 1);
    link.setPoints([seen('far', 'bus(far)'), seen('near', 'bus(near)')]);
    await link.start();
    // The other thread has a clock of its own: time stands still here until it has spoken.
    for (let turn = 0; link.value('far') !== 42 && turn < 10_000; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      link.setPoints([seen('far', 'bus(far)'), seen('near', 'bus(near)')]);
      link.clock.advance(0);
    }
    // Scans that only new points brought on are no silence.
    assert.deepEqual([link.value('far'), link.value('near')], [42, 1]);
    await worker.terminate();
    await until(link, () => link.quality('far') === quality.bad.notConnected, 500);
    await until(link, () => link.value('near') === 1);
    assert.equal(link.quality('near'), quality.good);
  });
});

describe('a write over a bus', () => {
  async function looped(t: { after(call: () => unknown): void }) {
    const bus = randomUUID();
    const link = new SimulatedLink({ bus });
    const serving = new Serving(bus, link.clock);
    t.after(() => Promise.all([link.stop(), serving.stop()]));
    serving.setPoints([{ tag: 'level' }], [{ tag: 'setpoint', datatype: 'i' }]);
    await serving.start();
    serving.publish('setpoint', 1);
    const command = (name: string) => ({ name, address: `bus(${name})` });
    link.setPoints([seen('shown', 'bus(setpoint)')], ['setpoint', 'level', 'nobody'].map(command));
    await link.start();
    await until(link, () => link.value('shown') === 1);
    return { link, serving };
  }

  test('is the provider’s to carry out, in the datatype of its command, and is done when that is', async (t) => {
    const { link, serving } = await looped(t);
    const done: string[] = [];
    const write = link.write('setpoint', 30).then(() => done.push('written'));
    await until(link, () => serving.writes.length === 1, 0);
    assert.deepEqual([serving.writes[0]?.name, serving.writes[0]?.value, done.length], ['setpoint', 30, 0]);
    serving.writes[0]?.end(written.accepted);
    await write;
    serving.publish('setpoint', 30);
    await until(link, () => link.value('shown') === 30);
  });

  test('carries the reason of a refusal', async (t) => {
    const { link, serving } = await looped(t);
    const write = assert.rejects(link.write('setpoint', 30), { name: 'refused', message: 'the eu-range is 0 to 20' });
    await until(link, () => serving.writes.length === 1, 0);
    serving.writes[0]?.end(written.refused('the eu-range is 0 to 20'));
    await write;
    await assert.rejects(link.write('setpoint', 0.5), { name: 'refused', message: /datatype i/ });
    await assert.rejects(link.write('level', 1), { name: 'refused', message: /only be read/ });
    await assert.rejects(link.write('nobody', 1), {
      name: 'refused',
      message: /no provider on the bus .* serves nobody/,
    });
    assert.equal(serving.writes.length, 1);
  });

  test('is refused while another to the same tag is under way, so that a circle ends', async (t) => {
    const { link, serving } = await looped(t);
    const first = link.write('setpoint', 1);
    await until(link, () => serving.writes.length === 1, 0);
    await assert.rejects(link.write('setpoint', 2), { name: 'refused', message: /setpoint is pending/ });
    serving.writes[0]?.end(written.accepted);
    await first;
    const next = link.write('setpoint', 3);
    await until(link, () => serving.writes.length === 2, 0);
    serving.writes[1]?.end(written.accepted);
    await next;
  });

  test('of which the provider does not know the outcome is not said to be refused', async (t) => {
    const { link, serving } = await looped(t);
    const write = assert.rejects(link.write('setpoint', 1), { name: 'unknown', message: 'the device may have it' });
    await until(link, () => serving.writes.length === 1, 0);
    serving.writes[0]?.end(written.unknown('the device may have it'));
    await write;
  });

  test('that loses its provider, or its patience, is not said to be done or not done', async (t) => {
    const { link, serving } = await looped(t);
    const impatient = new AbortController();
    const given = assert.rejects(link.write('setpoint', 1, impatient.signal), {
      name: 'unknown',
      message: /is unknown/,
    });
    await until(link, () => serving.writes.length === 1, 0);
    impatient.abort(new Error('too late'));
    await given;
    serving.writes[0]?.end(written.accepted);
    await new Promise(setImmediate);
    const lost = assert.rejects(link.write('setpoint', 2), { name: 'unknown', message: /is unknown/ });
    await until(link, () => serving.writes.length === 2, 0);
    await serving.stop();
    await lost;
    assert.equal(link.clock.pending, 1);
  });
});

test('a connector and a provider that have ended leave no timer', async () => {
  const bus = randomUUID();
  const link = new SimulatedLink({ bus });
  const serving = new Serving(bus, link.clock);
  serving.setPoints([{ tag: 'x' }]);
  link.setPoints([seen('x', 'bus(x)')]);
  await Promise.all([serving.start(), link.start()]);
  serving.publish('x', 1);
  assert.equal(link.clock.pending, 3);
  await Promise.all([serving.stop(), link.stop()]);
  serving.publish('x', 2);
  assert.equal(link.clock.pending, 0);
});
