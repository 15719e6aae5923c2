// Promises of long messages: others have their turn while one is read and begun, in order, and the answer is bounded.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Batch, maxBatchItems, systemClock } from '@telltale/schema';
import { idleModules } from '../../../test/idle-modules.ts';
import { openGate } from '../../../test/plain-http.ts';
import { localCaller } from '../../access/index.ts';
import { Alarms } from '../../alarms/index.ts';
import { LiveData, liveObjects, type StackAccess } from '../../operations/index.ts';
import { Commands, Measurements } from '../../points/index.ts';
import type { ChannelClient } from './channel-client.ts';
import { ChannelRequests } from './channel-requests.ts';
import { Watches } from './watches.ts';

const nothing = async () => {};
const clock = systemClock;
const measurements = new Measurements({ clock, store: { saveSimulation: nothing, deleteSimulation: nothing } });
const store = { saveCommand: nothing, deleteCommand: nothing };
const commands = new Commands({ clock, store, writeToDevice: nothing });
const alarms = new Alarms({ clock, store: { saveAlarm: nothing, deleteAlarm: nothing }, measurements });
const data = new LiveData({ measurements, commands, alarms });
const stacks = {
  has: () => false,
  areaOf: () => undefined,
  names: () => [],
  stateText: () => '',
  onState: () => undefined,
};
const watches = new Watches({ data, modules: idleModules(), stacks, clock, maxWatches: 200_000 });
const implementations = liveObjects({ data, stacks: {} as StackAccess, boot: '' });
const requests = new ChannelRequests({ implementations, watches, slices: data.slices, gate: openGate });

const names = Array.from({ length: 60_000 }, (_, at) => `point_${at}`);
const unknown = Array.from({ length: 200_000 }, (_, at) => `unknown_${at}`);

before(() => {
  measurements.putLink('connector', 'plc', undefined);
  for (const name of ['goes_by_name', 'goes_of_all', ...names])
    measurements.put({ name, datatype: 'd', connectorName: 'plc', address: 'a' });
  for (const name of names.slice(0, 20_000)) commands.put({ name, datatype: 'd' });
  for (const name of names.slice(0, 20_000)) alarms.put({ name, severity: 1 });
});

interface Reported {
  readonly request_id?: unknown;
  readonly result?: boolean;
  readonly error?: { readonly type: string };
  readonly results?: readonly { readonly name: string; readonly result: boolean; readonly error?: object }[];
  readonly notification?: string;
  readonly updates?: readonly {
    readonly name: string;
    readonly vtq: [string];
    readonly vt: [string];
    readonly removed?: boolean;
  }[];
}

/** A client, and what it was sent. */
class Listener {
  readonly messages: string[] = [];
  readonly holds: boolean[] = [];
  readonly caller = localCaller;
  readonly pendingBytes = 0;
  readonly #leaving = new AbortController();

  get isOpen(): boolean {
    return !this.#leaving.signal.aborted;
  }

  gone(): AbortSignal {
    return this.#leaving.signal;
  }

  send(message: string | Buffer | readonly Buffer[]): void {
    this.messages.push(Array.isArray(message) ? Buffer.concat(message).toString() : message.toString());
  }

  sendUpdates(message: Buffer): boolean {
    this.send(message);
    return true;
  }

  hold(): void {
    this.holds.push(true);
  }

  release(): void {
    this.holds.push(false);
  }

  passOver(): void {}
  unwatched = () => 0;
  dropPassedOver = () => 0;
  whenTaken = () => undefined;

  ask(request: string | object): void {
    const text = typeof request === 'string' ? request : JSON.stringify(request);
    requests.take(this as unknown as ChannelClient, Buffer.from(text));
  }

  get reported(): Reported[] {
    return this.messages.map((message) => JSON.parse(message) as Reported);
  }

  leave(): void {
    this.#leaving.abort();
    watches.leave(this as unknown as ChannelClient);
  }
}

/** Asks for what is not answered at once; another client asks in every turn meanwhile, and is. */
async function takeTurns(client: Listener, request: string | object): Promise<void> {
  const other = new Listener();
  client.ask(request);
  assert.deepEqual(client.messages, [], 'answered at once');
  let isOver = false;
  const over = requests.finished().then(() => {
    isOver = true;
  });
  let turns = 0;
  while (!isOver) {
    await nextTurn();
    other.ask({ request: 'Heartbeat', id: ++turns });
    assert.equal(other.messages.length, turns);
  }
  await over;
}

describe('while a long message is read and carried out, others are answered:', () => {
  const id = 1;
  const keys = (count: number) => Array.from({ length: count }, (_, at) => `"k${at}":1`).join();
  const cases: [what: string, request: string | object, mostBytes: number][] = [
    ['600,000 unknown keys', `{"request":"Heartbeat","id":1,${keys(600_000)}}`, 1 << 10],
    ['5,000 unknown keys', `{"request":"Heartbeat","id":1,${keys(5000)}}`, 4 << 10],
    ['4,000,000 numbers', `{"measurements":[${Array(4_000_000).fill(0)}]}`, 1 << 10],
    ['a text of 8 MB', `{"request":"Heartbeat","id":"${'\\n'.repeat(4_000_000)}"}`, 1 << 10],
    ['a watch of 200,000 unknown names', { request: 'WatchMeasurements', id, measurements: unknown }, 13 << 20],
    [
      '50,000 writes',
      { request: 'WriteCommands', id, writes: unknown.slice(0, 50_000).map((name) => ({ name, value: 'd1' })) },
      1 << 10,
    ],
    [
      '10,000 writes',
      { request: 'WriteCommands', id, writes: unknown.slice(0, 10_000).map((name) => ({ name, value: 'd1' })) },
      3 << 20,
    ],
    ['a read of 200,000 unknown names', { request: 'ReadAlarms', id, names: unknown }, 1 << 10],
    [
      'a read of two such lists',
      { request: 'ReadDatabase', id, select: { measurements: unknown, commands: unknown } },
      1 << 10,
    ],
    ['an end of 200,000 watches', { request: 'UnwatchMeasurements', id, measurements: unknown }, 1 << 10],
    ['a read of all measurements', { request: 'ReadMeasurements', id }, 12 << 20],
    ['a read of a field of all measurements', { request: 'ReadMeasurements', id, fields: ['vtq'] }, 4 << 20],
    ['a read of all commands', { request: 'ReadCommands', id }, 4 << 20],
    ['a read of all alarms', { request: 'ReadAlarms', id }, 4 << 20],
    ['a read of a field of all alarms', { request: 'ReadAlarms', id, fields: ['state'] }, 1 << 20],
    [
      'a read of everything',
      { request: 'ReadDatabase', id, select: { measurements: 'all', commands: 'all', alarms: names } },
      20 << 20,
    ],
  ];
  for (const [what, request, mostBytes] of cases) {
    test(`${what}, and the answer is at most ${mostBytes} bytes`, async () => {
      const client = new Listener();
      await takeTurns(client, request);
      assert.equal(client.messages.length, 1);
      const [answer = ''] = client.messages;
      assert.ok(answer.length <= mostBytes, `${answer.length} bytes: ${answer.slice(0, 300)}`);
      assert.deepEqual([client.holds[0], client.holds.at(-1)], [true, false]);
    });
  }
});

test('each name of a long watch is named, and the reasons of 10,000 failures are reported', async () => {
  const client = new Listener();
  await takeTurns(client, { request: 'WatchCommands', id: 5, commands: [...unknown.slice(0, 30_000), 'point_1'] });
  const [answer, present] = client.reported;
  assert.deepEqual([answer?.request_id, answer?.result], [5, false]);
  assert.deepEqual(
    answer?.results?.map(({ name }) => name),
    [...unknown.slice(0, 30_000), 'point_1'],
  );
  assert.equal(answer?.results?.filter(({ error }) => error !== undefined).length, maxBatchItems);
  assert.equal(answer?.results?.filter(({ result }) => result).length, 1);
  assert.deepEqual(
    present?.updates?.map(({ name }) => name),
    ['point_1'],
  );
  client.leave();
});

test('the messages of a client are begun in the order in which they came', async () => {
  const client = new Listener();
  client.ask({ request: 'WatchMeasurements', id: 1, measurements: names });
  client.ask({ request: 'UnwatchMeasurements', id: 2, measurements: 'all' });
  client.ask({ request: 'WatchCommands', id: 3, commands: names.slice(0, 20_000) });
  client.ask({ request: 'Heartbeat', id: 4 });
  await requests.finished();
  const reported = client.reported.map(({ request_id: answered, notification }) => answered ?? notification);
  assert.deepEqual(reported, [1, 'MeasurementUpdateNotification', 2, 3, 'CommandUpdateNotification', 4]);
  assert.equal(watches.measurements.countOf(client as unknown as ChannelClient), 0);
  assert.equal(client.reported[4]?.updates?.length, 20_000);
  client.leave();
});

test('what a client asks behind a long read or watch is answered behind it', async () => {
  const client = new Listener();
  client.ask({ request: 'ReadMeasurements', id: 1 });
  client.ask({ request: 'ReadCommands', id: 2, names: ['point_1'] });
  client.ask({ request: 'WatchMeasurements', id: 3, measurements: 'all' });
  client.ask({ request: 'ReadDatabase', id: 4, select: { commands: 'all' } });
  client.ask({ request: 'UnwatchMeasurements', id: 5, measurements: ['point_7'] });
  client.ask({ request: 'Heartbeat', id: 6 });
  await requests.finished();
  const reported = client.reported.map(({ request_id: answered, notification }) => answered ?? notification);
  assert.deepEqual(reported, [1, 2, 3, 'MeasurementUpdateNotification', 4, 5, 6]);
  assert.equal(client.reported[3]?.updates?.length, measurements.size);
  assert.equal(watches.measurements.countOf(client as unknown as ChannelClient), measurements.size - 1);
  client.leave();
});

describe('of what changes while a long watch begins nothing is lost, and nothing is reported after a newer value:', () => {
  const batch = new Batch(1024);
  let value = 0;
  const change = () => {
    for (let at = 0; at < 500; at++) {
      const handle = measurements.find(names[(value * 7919 + at * 104_729) % names.length] as string);
      batch.number(handle, ++value, 0xc0, clock.now());
    }
    measurements.readings('plc', batch);
    batch.clear();
  };
  for (const [what, list] of [
    ['by_name', ['goes_by_name', ...names]],
    ['of_all', 'all'],
  ] as const) {
    test(what.replace('_', ' '), async () => {
      const client = new Listener();
      client.ask({ request: 'WatchMeasurements', id: 1, measurements: names.slice(0, 100) });
      client.ask({ request: 'WatchMeasurements', id: 2, measurements: list });
      let isOver = false;
      const over = requests.finished().then(() => {
        isOver = true;
      });
      for (let turn = 0; !isOver; turn++) {
        await nextTurn();
        change();
        if (turn > 0) continue;
        measurements.remove(`goes_${what}`);
        measurements.put({ name: 'comes', datatype: 'd', connectorName: 'plc', address: 'a' });
      }
      await over;
      change();
      watches.measurements.flush();
      const seen = new Map<string, number>();
      for (const { updates = [] } of client.reported) {
        if (updates.length >= names.length) {
          assert.equal(new Set(updates.map(({ name }) => name)).size, updates.length, 'a name twice');
        }
        for (const { name, vtq, removed } of updates) {
          const reported = Number(vtq[0].slice(1));
          assert.ok(reported >= (seen.get(name) ?? 0), `${name}: ${reported} after ${seen.get(name)}`);
          if (removed === true) seen.delete(name);
          else seen.set(name, reported);
        }
      }
      assert.equal(seen.delete('comes'), list === 'all');
      assert.equal(seen.size, names.length);
      for (const name of names) assert.equal(seen.get(name), measurements.numberOf(measurements.find(name)), name);
      client.leave();
      measurements.remove('comes');
    });
  }

  test('of commands, all of them', async () => {
    const client = new Listener();
    client.ask({ request: 'WatchCommands', id: 1, commands: names.slice(0, 100) });
    client.ask({ request: 'WatchCommands', id: 2, commands: 'all' });
    let isOver = false;
    const over = requests.finished().then(() => {
      isOver = true;
    });
    let written = 0;
    const write = () => commands.write(names[(++written * 7919) % 20_000] as string, `d${written}`);
    while (!isOver) {
      await nextTurn();
      await Promise.all([write(), write(), write()]);
    }
    await over;
    client.ask({ request: 'UnwatchCommands', id: 3, commands: 'all' });
    const seen = new Map<string, number>();
    for (const { updates = [] } of client.reported) {
      for (const { name, vt } of updates) {
        const reported = Number(vt[0].slice(1));
        assert.ok(reported >= (seen.get(name) ?? 0), `${name}: ${reported} after ${seen.get(name)}`);
        seen.set(name, reported);
      }
    }
    assert.equal(seen.size, 20_000);
    for (const [name, reported] of seen) assert.equal(reported, commands.valueOf(commands.find(name)), name);
    client.leave();
  });
});

test('who watched all and ends the watch of one goes on with the others, and misses no change', async () => {
  const client = new Listener();
  client.ask({ request: 'WatchMeasurements', id: 1, measurements: 'all' });
  await requests.finished();
  const batch = new Batch(16);
  const report = (value: number) => {
    for (const name of ['point_3', 'point_4', 'point_59999']) {
      batch.number(measurements.find(name), value, 0xc0, clock.now());
    }
    measurements.readings('plc', batch);
    batch.clear();
  };
  client.ask({ request: 'UnwatchMeasurements', id: 2, measurements: ['point_3'] });
  let value = 1_000_000;
  let isOver = false;
  const over = requests.finished().then(() => {
    isOver = true;
  });
  while (!isOver) {
    await nextTurn();
    report(++value);
  }
  await over;
  const answer = client.reported.findIndex(({ request_id: answered }) => answered === 2);
  report(++value);
  watches.measurements.flush();
  const reportedOf = (name: string, from = 0) =>
    client.reported
      .slice(from)
      .flatMap(({ updates = [] }) => updates.filter((each) => each.name === name))
      .map(({ vtq }) => Number(vtq[0].slice(1)));
  const every = Array.from({ length: value - 1_000_000 }, (_, at) => 1_000_001 + at);
  for (const name of ['point_4', 'point_59999']) {
    assert.deepEqual(
      reportedOf(name).filter((reported) => reported > 1_000_000),
      every,
      name,
    );
  }
  assert.deepEqual(reportedOf('point_3', answer), []);
  client.leave();
});

test('a client that goes while its watch begins leaves nothing behind', async () => {
  const client = new Listener();
  client.ask({ request: 'WatchMeasurements', id: 1, measurements: names });
  client.ask({ request: 'WatchCommands', id: 2, commands: names.slice(0, 20_000) });
  await nextTurn();
  client.leave();
  await requests.finished();
  assert.equal(watches.count, 0);
});

test('a read that nobody waits for any more ends with the slice that it is in', async () => {
  const client = new Listener();
  client.ask({ request: 'ReadDatabase', id: 1, select: { measurements: 'all', commands: 'all', alarms: 'all' } });
  client.leave();
  await nextTurn();
  await nextTurn();
  await requests.finished();
  assert.deepEqual(await Promise.race([requests.finished().then(() => 'over'), nextTurn('running')]), 'over');
});
