// Promises of watches of clients that may view a part of the plant: whatever is configured, moved between areas, changed and
// removed, they have what a filter over everything gives, and are told nothing of the rest; also when they fall behind.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Batch, type Scope, type Selector, type Vtq } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import fc from 'fast-check';
import { idleModules } from '../../../test/idle-modules.ts';
import { GrantedRights } from '../../access/index.ts';
import { Alarms } from '../../alarms/index.ts';
import { LiveData } from '../../operations/index.ts';
import { Commands, Measurements } from '../../points/index.ts';
import type { ChannelClient, UpdateSource } from './channel-client.ts';
import { Watches } from './watches.ts';

const nothing = async () => {};
const noStacks = {
  has: () => false,
  areaOf: () => undefined,
  names: () => [],
  stateText: () => '',
  onState: () => undefined,
};

function newPlant() {
  const clock = new ManualClock(1_000_000_000_000);
  const measurements = new Measurements({ clock, store: { saveSimulation: nothing, deleteSimulation: nothing } });
  const commands = new Commands({
    clock,
    store: { saveCommand: nothing, deleteCommand: nothing },
    writeToDevice: nothing,
  });
  const alarms = new Alarms({ clock, store: { saveAlarm: nothing, deleteAlarm: nothing }, measurements });
  measurements.putLink('connector', 'plc', undefined);
  const data = new LiveData({ measurements, commands, alarms });
  const watches = new Watches({ data, modules: idleModules(), stacks: noStacks, clock, maxWatches: 1000 });
  const read = (name: string, value: number) => {
    const handle = measurements.find(name);
    const batch = new Batch(1);
    if (handle >= 0) batch.number(handle, value, 0xc0, clock.now());
    measurements.readings('plc', batch);
  };
  return { clock, measurements, commands, alarms, data, watches, read };
}

type Plant = ReturnType<typeof newPlant>;

interface Update {
  readonly name: string;
  readonly vtq?: Vtq;
  readonly description?: string;
  readonly removed?: true;
  readonly left?: true;
}

/** A client that has what it was told; it may be slow, and told of it later. */
class Watcher {
  readonly known = new Map<string, Update>();
  readonly #passedOver = new Map<UpdateSource, Set<number>>();
  readonly isOpen = true;
  readonly view: ReturnType<LiveData['viewOf']>;
  readonly #check: (update: Update) => void;
  isSlow = false;

  constructor(view: ReturnType<LiveData['viewOf']>, check: (update: Update) => void) {
    this.view = view;
    this.#check = check;
  }

  get client(): ChannelClient {
    return this as unknown as ChannelClient;
  }

  send(message: string | Buffer | readonly Buffer[]): void {
    const text = Array.isArray(message) ? Buffer.concat(message).toString() : message.toString();
    const { updates, changes = updates } = JSON.parse(text) as { updates: Update[]; changes?: Update[] };
    for (const update of changes) {
      this.#check(update);
      if (update.removed || update.left) this.known.delete(update.name);
      else this.known.set(update.name, update);
    }
  }

  sendUpdates(message: Buffer): boolean {
    if (!this.isSlow) this.send(message);
    return !this.isSlow;
  }

  passOver(source: UpdateSource, handle: number): void {
    this.#passedOver.set(source, (this.#passedOver.get(source) ?? new Set()).add(handle));
  }

  isBehind(source: UpdateSource, handle: number): boolean {
    return this.#passedOver.get(source)?.has(handle) === true;
  }

  unwatched(source: UpdateSource, handle: number): number {
    this.#passedOver.get(source)?.delete(handle);
    return 0;
  }

  dropPassedOver(source: UpdateSource): number {
    this.#passedOver.delete(source);
    return 0;
  }

  sendRemoval(source: UpdateSource, handle: number, message: Buffer): void {
    this.unwatched(source, handle);
    this.send(message);
  }

  catchUp(): void {
    this.isSlow = false;
    for (const [source, handles] of this.#passedOver) {
      const message = source.newest([...handles], 0);
      if (message !== undefined) this.send(message);
    }
    this.#passedOver.clear();
  }
}

const anyName = fc.constantFrom('a', 'ab', 'b', '__proto__', 'constructor');
const anyArea = fc.constantFrom('', 'north', 'north.pumps', 'south');
const anyStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      name: anyName,
      area: anyArea,
      datatype: fc.constantFrom('d', 'f'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('change' as const), name: anyName, value: fc.nat(1e6) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), name: anyName }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('slow' as const, 'catch up' as const, 'settle' as const) }) },
);
const allNames = ['a', 'ab', 'b', '__proto__', 'constructor'];
const scopes: readonly (readonly Scope[])[] = [[{ area: 'north' }], [{ prefix: 'a' }, { area: 'south' }], []];
const ways = ['all', 'names', { area: ['north', 'south'] }, { quality: ['good', 'bad'] }, { names: ['*'] }] as const;
type Way = (typeof ways)[number];

async function settle({ clock, data, watches }: Plant): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await data.slices.next();
  clock.advance(20_000);
  watches.flushMeasurements();
}

async function begin(
  { watches }: Plant,
  kind: 'measurements' | 'alarms',
  { client }: Watcher,
  way: Way,
): Promise<void> {
  const watchable = watches.of(kind);
  if (way === 'all') await watchable.watchAll(client);
  else if (way === 'names') {
    await watchable.watch(
      client,
      allNames.filter((name) => watchable.has(client, name)),
    );
  } else {
    const selections = watches.selectionsOf(kind);
    const selection = await selections.want(client, way as Selector);
    await selections.watch(client, selection);
  }
}

describe('a client that may view a part of the plant', () => {
  for (const kind of ['measurements', 'alarms'] as const) {
    test(`has of ${kind} what a filter gives, and is told of nothing else`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), fc.nat(), async (steps, choice) => {
          const plant = newPlant();
          const { clock, measurements, alarms, data, read } = plant;
          const scope = scopes[choice % scopes.length] as readonly Scope[];
          const rights = new GrantedRights(scope.map((each) => ({ ...each, permissions: ['view'] as const })));
          const isSeen = (name: string) => {
            const definition = data[kind].definitionAt(data[kind].find(name));
            return definition !== undefined && rights.on('view', name, definition.area);
          };
          const put = ({ name, area, datatype }: { name: string; area: string; datatype: string }) => {
            if (kind === 'alarms') {
              alarms.put({ name, area, severity: 1, description: rights.on('view', name, area) ? 'seen' : 'hidden' });
            } else {
              const source = { connectorName: 'plc', address: `x${datatype}` };
              measurements.put({ name, area, datatype: datatype as 'd' | 'f', ...source });
            }
          };
          for (const name of allNames) put({ name, area: 'north', datatype: 'd' });
          for (const name of allNames) put({ name, area: name === 'b' ? 'south' : 'north', datatype: 'd' });
          const fitting = ways.filter((way) => kind === 'measurements' || typeof way === 'string' || 'names' in way);
          const watchers = fitting.map((way) => {
            const watcher = new Watcher(data.viewOf(rights), (update) => {
              const isThere = kind === 'measurements' && measurements.find(update.name) >= 0;
              if (isThere) assert.ok(isSeen(update.name), `${update.name} ${JSON.stringify(way)}`);
              assert.notEqual(update.description, 'hidden');
            });
            return { way, watcher };
          });
          for (const { way, watcher } of watchers) await begin(plant, kind, watcher, way);
          const named = new Set(allNames.filter(isSeen));
          for (const step of steps) {
            clock.advance(1000);
            if (step.do === 'put') {
              // What was said of one that was removed is out before there is another one of its name.
              if (data[kind].find(step.name) < 0) plant.watches.flushMeasurements();
              put(step);
            } else if (step.do === 'remove') data[kind].remove(step.name);
            else if (step.do === 'change' && kind === 'measurements') read(step.name, step.value);
            else if (step.do === 'change' && alarms.find(step.name) >= 0) {
              await alarms.operate(step.name, step.value % 2 === 0 ? 'activate' : 'deactivate', 'anna');
            } else if (step.do === 'settle') await settle(plant);
            else {
              for (const { watcher } of watchers) {
                if (step.do === 'catch up') watcher.catchUp();
                else watcher.isSlow = true;
              }
            }
          }
          await settle(plant);
          for (const { way, watcher } of watchers) {
            watcher.catchUp();
            const expected = allNames.filter((name) => {
              const area = data[kind].definitionAt(data[kind].find(name))?.area ?? '';
              const isMeant = way === 'all' || !('area' in Object(way)) || area !== '';
              return isSeen(name) && isMeant && (way !== 'names' || named.has(name));
            });
            assert.deepEqual([...watcher.known.keys()].sort(), expected.sort(), JSON.stringify(way));
            for (const [name, { vtq }] of watcher.known) {
              if (kind !== 'measurements') continue;
              const now = JSON.parse(data.readMeasurement(name).toString()) as { vtq: Vtq };
              assert.deepEqual(vtq, now.vtq, `${name} ${JSON.stringify(way)}`);
            }
            plant.watches.leave(watcher.client);
          }
          assert.equal(plant.watches.count, 0);
        }),
        { numRuns: 150 },
      );
    });
  }
});
