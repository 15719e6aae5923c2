// Promises of watches by selector: who applies what is reported has, at every moment, what a plain filter over all
// measurements gives; and what a client that does not keep up misses is made good.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Selector, Vtq } from '@telltale/schema';
import fc from 'fast-check';
import { isSelected, newMeasurements, selector, step, take } from '../../../test/random-points.ts';
import { Slices } from '../../runtime/index.ts';
import { SelectionIndex, selectablePoints } from '../../selection/index.ts';
import type { ChannelClient, UpdateSource } from './channel-client.ts';
import { MeasurementSelections } from './measurement-selections.ts';

interface Update {
  readonly name: string;
  readonly vtq: Vtq;
  readonly removed?: true;
  readonly left?: true;
}

/** A client that has of each selection what it was told; it may be slow, and told of it later. */
class Watcher {
  readonly views = new Map<number, Map<string, Vtq>>();
  readonly passedOver = new Map<UpdateSource, Set<number>>();
  isOpen = true;
  isSlow = false;
  messages = 0;

  get client(): ChannelClient {
    return this as unknown as ChannelClient;
  }

  send(message: Buffer | readonly Buffer[]): void {
    this.messages++;
    const bytes = Array.isArray(message) ? Buffer.concat(message) : (message as Buffer);
    const { selection, updates } = JSON.parse(bytes.toString()) as { selection: number; updates: Update[] };
    const view = this.views.get(selection) ?? new Map<string, Vtq>();
    this.views.set(selection, view);
    for (const { name, vtq, removed, left } of updates) {
      if (removed || left) view.delete(name);
      else view.set(name, vtq);
    }
  }

  sendUpdates(message: Buffer): boolean {
    if (this.isSlow) return false;
    this.send(message);
    return true;
  }

  passOver(source: UpdateSource, handle: number): void {
    const handles = this.passedOver.get(source) ?? new Set();
    this.passedOver.set(source, handles.add(handle));
  }

  isBehind(source: UpdateSource, handle: number): boolean {
    return this.passedOver.get(source)?.has(handle) === true;
  }

  dropPassedOver(source: UpdateSource): number {
    this.passedOver.delete(source);
    return 0;
  }

  sendRemoval(source: UpdateSource, handle: number, message: Buffer): void {
    this.passedOver.get(source)?.delete(handle);
    this.send(message);
  }

  catchUp(): void {
    this.isSlow = false;
    for (const [source, handles] of this.passedOver) {
      const message = source.newest([...handles], 0);
      if (message !== undefined) this.send(message);
    }
    this.passedOver.clear();
  }
}

function newWorld() {
  const { clock, measurements } = newMeasurements();
  const slices = new Slices();
  const index = new SelectionIndex(selectablePoints(measurements));
  const selections = new MeasurementSelections({
    measurements,
    index,
    clock,
    slices,
    visibleTo: ({ view }) => view?.measurements,
  });
  const watch = async (watcher: Watcher, wanted: Selector) => {
    const selection = await selections.want(watcher.client, wanted);
    await selections.watch(watcher.client, selection);
    return selection.id;
  };
  /** New points are held against selectors in a turn of their own; then a tick is over. */
  const settle = async () => {
    for (let turn = 0; turn < 3; turn++) await slices.next();
    clock.advance(20_000);
    selections.flush();
  };
  const expected = (wanted: Selector) => {
    const handles = [...measurements.all()].filter((handle) =>
      isSelected(measurements.definitionOf(handle), measurements.qualityOf(handle), wanted),
    );
    return handles.map((handle) => measurements.nameOf(handle)).sort();
  };
  return { clock, measurements, selections, slices, watch, settle, expected };
}

const names = (watcher: Watcher, id: number) => [...(watcher.views.get(id)?.keys() ?? [])].sort();
const event = fc.oneof(
  { weight: 10, arbitrary: step },
  { weight: 2, arbitrary: fc.record({ watch: selector }) },
  fc.record({ slow: fc.boolean() }),
  fc.constant({ settle: true as const }),
);

describe('a watch of measurements by selector', () => {
  test('tells what a filter gives, as points come, change, turn bad, are simulated and go, also to a slow client', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 60, size: 'max' }),
        fc.array(selector, { minLength: 1 }),
        async (events, first) => {
          const world = newWorld();
          const { measurements, selections, watch, settle, expected } = world;
          const watcher = new Watcher();
          const watched = new Map<number, Selector>();
          const begin = async (wanted: Selector) => {
            if (Object.keys(wanted).length > 0) watched.set(await watch(watcher, wanted), wanted);
          };
          for (const wanted of first) await begin(wanted);
          for (const each of events) {
            if ('watch' in each) await begin(each.watch);
            else if ('settle' in each) await settle();
            else if (!('slow' in each)) await take(world, each);
            else if (each.slow) watcher.isSlow = true;
            else watcher.catchUp();
          }
          await settle();
          watcher.catchUp();
          for (const [id, wanted] of watched)
            assert.deepEqual(names(watcher, id), expected(wanted), JSON.stringify(wanted));
          for (const [id] of watched) {
            for (const [name, vtq] of watcher.views.get(id) ?? []) {
              const bytes = measurements.wire.object(measurements.find(name));
              assert.deepEqual(vtq, (JSON.parse(bytes.toString()) as { vtq: Vtq }).vtq);
            }
          }
          selections.leave(watcher.client);
          assert.deepEqual([selections.count, selections.countOf(watcher.client)], [0, 0]);
          measurements.close();
        },
      ),
      { numRuns: 300 },
    );
  });

  test('is one for all clients with the same selector, in whatever order it is written', async () => {
    const { measurements, selections, watch, settle, clock } = newWorld();
    measurements.put({ name: 'pump1', datatype: 'd' });
    const [one, two] = [new Watcher(), new Watcher()];
    const id = await watch(one, { names: ['pump*', 'tank*'], quality: ['bad', 'uncertain'] });
    assert.equal(await watch(two, { quality: ['uncertain', 'bad', 'bad'], names: ['tank*', 'pump*'] }), id);
    assert.equal(selections.count, 2);
    measurements.put({ name: 'tank1', datatype: 'd' });
    await settle();
    assert.deepEqual(
      [names(one, id), names(two, id)],
      [
        ['pump1', 'tank1'],
        ['pump1', 'tank1'],
      ],
    );
    selections.unwatch(one.client, { names: ['tank*', 'pump*'], quality: ['bad', 'uncertain'] });
    measurements.remove('tank1');
    await settle();
    assert.deepEqual([names(one, id), names(two, id)], [['pump1', 'tank1'], ['pump1']]);
    selections.leave(two.client);
    assert.deepEqual([selections.count, clock.pending], [0, 0]);
  });

  test('of very many begins in slices, and misses nothing of what happens meanwhile', async () => {
    const { measurements, selections, settle, expected } = newWorld();
    const count = 20_000;
    for (let at = 0; at < count; at++) measurements.put({ name: `p${at}`, datatype: 'd' });
    const watcher = new Watcher();
    const selection = await selections.want(watcher.client, { names: ['p*'], quality: ['bad'] });
    const joining = selections.watch(watcher.client, selection);
    assert.ok(joining instanceof Promise);
    for (const at of [0, 7, count - 1]) measurements.remove(`p${at}`);
    await measurements.simulate('p1', { value: 'd1', by: 'test' } as never);
    await measurements.simulate(`p${count - 2}`, { value: 'd1', by: 'test' } as never);
    measurements.put({ name: 'pnew', datatype: 'd' });
    await joining;
    await settle();
    assert.deepEqual(names(watcher, selection.id), expected({ names: ['p*'], quality: ['bad'] }));
    assert.equal(names(watcher, selection.id).length, count - 3 - 2 + 1);
    measurements.close();
  });

  test('tells all that turn bad at once in one message, and nothing of changes that it does not select', async () => {
    const { measurements, watch, settle, clock } = newWorld();
    for (let at = 0; at < 100; at++) {
      measurements.put({ name: `p${at}`, datatype: 'd', connectorName: 'plc', address: `${at}` });
    }
    const watcher = new Watcher();
    const id = await watch(watcher, { quality: ['simulated'] });
    await settle();
    measurements.setLink('connector', 'plc', false, clock.now());
    await settle();
    assert.equal(watcher.messages, 0);
    const bad = await watch(watcher, { connector: ['plc'], quality: ['bad'] });
    assert.deepEqual([watcher.messages, names(watcher, bad).length, names(watcher, id).length], [1, 100, 0]);
  });
});

describe('watches by selector are bounded', () => {
  test('to a hundred of a client, and to patterns and words that are looked for in reads', async () => {
    const { selections } = newWorld();
    const { client } = new Watcher();
    for (let at = 0; at < 100; at++) await selections.want(client, { names: [`a${at}*`] });
    assert.throws(() => selections.want(client, { names: ['b*'] }), /may watch by 100 selectors/);
    await selections.want(client, { names: ['a7*'] });
    const other = new Watcher().client;
    assert.throws(
      () => selections.want(other, { names: Array.from({ length: 101 }, (_, at) => `${at}*`) }),
      /patterns/,
    );
    assert.equal(selections.count, 100);
    selections.leave(client);
    assert.equal(selections.count, 0);
  });
});
