import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { ManualClock } from '@telltale/schema';
import { ScriptedService, unknownObject } from '../test/scripted-service.ts';
import { Channel, type ChannelOptions, type MeasurementUpdate, type Watch } from './channel.ts';
import { TelltaleProblem, Unreachable } from './errors.ts';

const vtq = (value: number): MeasurementUpdate['vtq'] => [`d${value}`, [1_700_000_000, value], 192];
const update = (name: string, value: number) => ({ name, vtq: vtq(value) });

function open(t: TestContext, service: ScriptedService, options: Partial<ChannelOptions> = {}): Channel {
  const channel = new Channel({ url: service.url, ...options });
  t.after(() => channel.close());
  return channel;
}

/** Resolves at the next change into this state. */
function entered(channel: Channel, wanted: string): Promise<string> {
  return new Promise((resolve) => {
    const stop = channel.onState((state, reason) => {
      if (state !== wanted) return;
      stop();
      resolve(reason);
    });
  });
}

/** Names and values until there are so many. */
async function read(watch: Watch<MeasurementUpdate>, count: number): Promise<string[]> {
  const seen: string[] = [];
  while (seen.length < count) {
    const { value } = await watch.next();
    if (value === undefined) break;
    seen.push(...value.updates.map(({ name, vtq: [text], removed }) => `${name}=${removed ? 'removed' : text}`));
  }
  return seen;
}

describe('a request on the channel', () => {
  test('gets its own answer, in whatever order the answers come', async (t) => {
    const service = await ScriptedService.start(t);
    service.answer = () => undefined;
    const channel = open(t, service);
    const asked = ['a', 'b', 'c'].map((name) => channel.request('ReadMeasurements', { names: [name] }));
    await service.until(() => service.asked.length === 3);
    for (const { id, names } of service.asked.toReversed()) {
      service.send({ request_id: id, result: true, measurements: { of: names } });
    }
    const answers = await Promise.all(asked);
    assert.deepEqual(answers, [
      { measurements: { of: ['a'] } },
      { measurements: { of: ['b'] } },
      { measurements: { of: ['c'] } },
    ]);
  });

  test('that is refused rejects with the problem, and tells what became of each item', async (t) => {
    const service = await ScriptedService.start(t);
    const results = [
      { name: 'a', result: true },
      { name: 'b', result: false, error: unknownObject('b') },
    ];
    service.answer = () => ({ result: false, error: unknownObject('b'), results });
    const channel = open(t, service);
    const writes = [
      { name: 'a', value: 'b1' },
      { name: 'b', value: 'b1' },
    ];
    await assert.rejects(channel.request('WriteCommands', { writes }), (error: TelltaleProblem) => {
      assert.ok(error instanceof TelltaleProblem);
      assert.deepEqual([error.problem, error.status], ['unknown-object', 404]);
      assert.deepEqual(error.results, results);
      return true;
    });
  });

  test('a write whose connection is lost rejects, may have happened, and is never sent again', async (t) => {
    const clock = new ManualClock();
    const service = await ScriptedService.start(t);
    service.answer = (asked) => (asked.request === 'WriteCommands' ? undefined : { result: true });
    const channel = open(t, service, { clock });
    const write = channel.request('WriteCommands', { writes: [{ name: 'pump', value: 'b1' }] });
    await service.until(() => service.of('WriteCommands').length === 1);
    service.hangUp();
    await assert.rejects(write, (error: Unreachable) => error instanceof Unreachable && error.mayHaveHappened);
    const back = entered(channel, 'connected');
    clock.advance(1000);
    await back;
    await channel.request('Heartbeat', {});
    assert.equal(service.connections, 2);
    assert.equal(service.of('WriteCommands').length, 1);
  });

  test('made in answer to the connection itself is sent once', async (t) => {
    const service = await ScriptedService.start(t);
    const channel = open(t, service);
    const writes = [{ name: 'pump', value: 'b1' }];
    await new Promise((resolve) => {
      const stop = channel.onState(() => {
        stop();
        resolve(channel.request('WriteCommands', { writes }));
      });
    });
    await channel.request('Heartbeat', {});
    assert.equal(service.of('WriteCommands').length, 1);
  });

  test('while the connection is lost a write is refused at once and never sent', async (t) => {
    const clock = new ManualClock();
    const service = await ScriptedService.start(t);
    const channel = open(t, service, { clock });
    await entered(channel, 'connected');
    const lost = entered(channel, 'lost');
    service.hangUp();
    await lost;
    const write = channel.request('WriteCommands', { writes: [{ name: 'pump', value: 'b1' }] });
    await assert.rejects(write, (error: Unreachable) => error instanceof Unreachable && !error.mayHaveHappened);
    const back = entered(channel, 'connected');
    clock.advance(1000);
    await back;
    await channel.request('Heartbeat', {});
    assert.deepEqual(service.of('WriteCommands'), []);
  });

  test('without an answer is given up in time, and ends when its signal says so', async (t) => {
    const clock = new ManualClock();
    const service = await ScriptedService.start(t);
    service.answer = () => undefined;
    const channel = open(t, service, { clock, heartbeatMs: 1_000_000 });
    await entered(channel, 'connected');
    const late = channel.request('ReadAlarms', {}, { timeoutMs: 500 });
    clock.advance(500);
    await assert.rejects(late, /no answer within 0\.5 s/);
    const ending = new AbortController();
    const ended = channel.request('ReadAlarms', {}, { signal: ending.signal });
    ending.abort(new Error('enough'));
    await assert.rejects(ended, /enough/);
    await assert.rejects(channel.request('ReadAlarms', {}, { signal: ending.signal }), /enough/);
  });
});

describe('a watch', () => {
  test('tells the present values, then every change in order', async (t) => {
    const service = await ScriptedService.start(t);
    service.measurements.set('level', update('level', 1));
    const watch = open(t, service).watchMeasurements(['level']);
    assert.deepEqual(await read(watch, 1), ['level=d1']);
    service.publish(update('level', 2), update('level', 3));
    service.publish(update('level', 4));
    assert.deepEqual(await read(watch, 3), ['level=d2', 'level=d3', 'level=d4']);
  });

  test('of names that others watch too is one watch each, ended when the last reader leaves', async (t) => {
    const service = await ScriptedService.start(t);
    for (const name of ['a', 'b', 'c']) service.measurements.set(name, update(name, 1));
    const channel = open(t, service);
    const first = channel.watchMeasurements(['a', 'b']);
    await read(first, 2);
    const second = channel.watchMeasurements(['b', 'c', 'c']);
    assert.deepEqual((await read(second, 2)).sort(), ['b=d1', 'c=d1']);
    assert.deepEqual(
      service.of('WatchMeasurements').map(({ measurements }) => measurements),
      [['a', 'b'], ['c']],
    );
    await first.return?.();
    await channel.request('Heartbeat', {});
    service.publish(update('b', 2));
    assert.deepEqual(await read(second, 1), ['b=d2']);
    await second.return?.();
    await channel.request('Heartbeat', {});
    assert.deepEqual(
      service.of('UnwatchMeasurements').map(({ measurements }) => measurements),
      [['a'], ['b', 'c']],
    );
    assert.deepEqual(await second.next(), { done: true, value: undefined });
  });

  test('of all leaves the names alone that others still read', async (t) => {
    const service = await ScriptedService.start(t);
    for (const name of ['a', 'b']) service.measurements.set(name, update(name, 1));
    const channel = open(t, service);
    const all = channel.watchMeasurements('all');
    assert.deepEqual(await read(all, 2), ['a=d1', 'b=d1']);
    const second = channel.watchMeasurements('all');
    assert.deepEqual(await read(second, 2), ['a=d1', 'b=d1']);
    const one = channel.watchMeasurements(['a']);
    assert.deepEqual(await read(one, 1), ['a=d1']);
    await second.return?.();
    await all.return?.();
    await channel.request('Heartbeat', {});
    assert.deepEqual(
      service.asked
        .filter(({ request }) => request !== 'Heartbeat')
        .map(({ request, measurements }) => [request, measurements]),
      [
        ['WatchMeasurements', 'all'],
        ['UnwatchMeasurements', 'all'],
        ['WatchMeasurements', ['a']],
      ],
    );
  });

  test('of unknown names fails too while all are watched, before and after these have come', async (t) => {
    const service = await ScriptedService.start(t);
    service.measurements.set('a', update('a', 1));
    const channel = open(t, service);
    const all = channel.watchMeasurements('all');
    await assert.rejects(channel.watchMeasurements(['b']).next(), { problem: 'unknown-object' });
    await read(all, 1);
    await assert.rejects(channel.watchMeasurements(['b', 'c']).next(), { problem: 'unknown-object' });
    const some = channel.watchMeasurements(['a', 'b']);
    assert.deepEqual((await some.next()).value?.updates, [update('a', 1)]);
    service.publish(update('b', 1));
    assert.deepEqual(await read(some, 1), ['b=d1']);
  });

  test('is there again after a loss, with the present values, and says that some may be missing', async (t) => {
    const clock = new ManualClock();
    const service = await ScriptedService.start(t);
    service.measurements.set('level', update('level', 1));
    const channel = open(t, service, { clock });
    const watch = channel.watchMeasurements(['level']);
    await read(watch, 1);
    const lost = entered(channel, 'lost');
    service.hangUp();
    await lost;
    assert.equal(channel.state, 'lost');
    const early = channel.watchMeasurements(['level']); // gets nothing of what is out of date
    service.measurements.set('level', update('level', 7));
    clock.advance(1000);
    const { value } = await watch.next();
    assert.deepEqual([value?.updates, value?.resumed], [[update('level', 7)], true]);
    assert.deepEqual(await read(early, 1), ['level=d7']);
    service.publish(update('level', 8));
    assert.equal((await watch.next()).value?.resumed, false);
  });

  test('of unknown names alone fails; beside known ones it tells them and goes on', async (t) => {
    const service = await ScriptedService.start(t);
    service.measurements.set('level', update('level', 1));
    const channel = open(t, service);
    await assert.rejects(channel.watchMeasurements(['levl', '__proto__']).next(), (error: TelltaleProblem) => {
      return error instanceof TelltaleProblem && error.problem === 'unknown-object';
    });
    const watch = channel.watchMeasurements(['level', 'constructor']);
    const seen = [(await watch.next()).value, (await watch.next()).value];
    assert.deepEqual(
      seen.flatMap((batch) => batch?.updates),
      [update('level', 1)],
    );
    assert.deepEqual(
      seen.flatMap((batch) => batch?.refused.map(({ name }) => name)),
      ['constructor'],
    );
  });

  test('of a name that was removed is tried again, and goes on when it is configured anew', async (t) => {
    const clock = new ManualClock();
    const service = await ScriptedService.start(t);
    service.measurements.set('level', update('level', 1));
    const channel = open(t, service, { clock, heartbeatMs: 5000 });
    const watch = channel.watchMeasurements(['level']);
    await read(watch, 1);
    service.publish({ ...update('level', 1), removed: true });
    assert.deepEqual(await read(watch, 1), ['level=removed']);
    service.measurements.set('level', update('level', 5));
    clock.advance(5000);
    assert.deepEqual(await read(watch, 1), ['level=d5']);
  });

  test('ends with its signal, with return and with the channel', async (t) => {
    const service = await ScriptedService.start(t);
    service.measurements.set('level', update('level', 1));
    const channel = open(t, service);
    const ending = new AbortController();
    let batches = 0;
    for await (const { updates } of channel.watchMeasurements('all', { signal: ending.signal })) {
      assert.equal(updates.length, 1);
      batches++;
      ending.abort();
    }
    assert.equal(batches, 1);
    for await (const _ of channel.watchMeasurements('all', { signal: ending.signal })) assert.fail('it has ended');
    const waiting = channel.watchAlarms('all').next();
    channel.close();
    assert.deepEqual(await waiting, { done: true, value: undefined });
    assert.equal(channel.state, 'closed');
    for await (const _ of channel.watchAlarms('all')) assert.fail('it is closed');
    await assert.rejects(channel.request('Heartbeat', {}), Unreachable);
  });
});

describe('the channel', () => {
  test('finds a peer that is silent, and connects again', async (t) => {
    const clock = new ManualClock();
    const service = await ScriptedService.start(t);
    service.answer = () => undefined;
    const channel = open(t, service, { clock, heartbeatMs: 5000 });
    await entered(channel, 'connected');
    const lost = entered(channel, 'lost');
    clock.advance(5000);
    clock.advance(5000);
    assert.match(await lost, /silent for 5 s/);
    const back = entered(channel, 'connected');
    clock.advance(1000);
    await back;
    assert.equal(service.connections, 2);
  });

  test('hears nothing more of a connection that it gave up', () => {
    const clock = new ManualClock();
    const sockets: Map<string, (event: { code: number }) => void>[] = [];
    class Mute {
      readonly listeners = new Map<string, (event: { code: number }) => void>();
      constructor() {
        sockets.push(this.listeners);
      }
      addEventListener(type: string, listener: (event: { code: number }) => void) {
        this.listeners.set(type, listener);
      }
      send() {}
      close() {}
    }
    const channel = new Channel({ url: 'ws://nobody.invalid', WebSocket: Mute, clock, heartbeatMs: 1000 });
    sockets[0]?.get('open')?.({ code: 0 });
    assert.equal(channel.state, 'connected');
    clock.advance(2000);
    assert.equal(channel.state, 'lost');
    sockets[0]?.get('close')?.({ code: 1006 });
    assert.equal(clock.waiting, 1); // one attempt to connect, not two
    clock.advance(1000);
    assert.equal(sockets.length, 2);
    channel.close();
    assert.equal(clock.waiting, 0);
  });

  test('stays connected to a peer that answers', async (t) => {
    const clock = new ManualClock();
    const service = await ScriptedService.start(t);
    const channel = open(t, service, { clock, heartbeatMs: 5000 });
    await entered(channel, 'connected');
    for (let beat = 1; beat <= 5; beat++) {
      clock.advance(5000);
      await service.until(() => service.of('Heartbeat').length === 2 * beat - 1);
      await channel.request('Heartbeat', {});
    }
    assert.deepEqual([channel.state, service.connections], ['connected', 1]);
  });

  test('passes over what it does not know, and counts it', async (t) => {
    const service = await ScriptedService.start(t);
    service.measurements.set('level', update('level', 1));
    const channel = open(t, service);
    const watch = channel.watchMeasurements(['level']);
    await read(watch, 1);
    const strange = ['{', 'null', '7', '[]', '{"notification":"Later"}', '{"request_id":99999,"result":true}'];
    for (const text of strange) service.send(text);
    service.send({ notification: 'MeasurementUpdateNotification', updates: [null, 5, { vtq: [] }] });
    service.send({ notification: 'MeasurementUpdateNotification', updates: { level: 1 } });
    service.publish(update('level', 2));
    assert.deepEqual(await read(watch, 1), ['level=d2']);
    assert.equal(channel.ignored, strange.length);
  });

  test('tries again ever more slowly while nobody is there, never in step with others', () => {
    const clock = new ManualClock();
    const attempts: number[] = [];
    class Refused {
      constructor() {
        attempts.push(clock.now() / 1000);
      }
      addEventListener(type: string, listener: (event: { code: number }) => void) {
        if (type === 'close') clock.after(0, () => listener({ code: 1006 }));
      }
      send() {}
      close() {}
    }
    const random = { value: 0 };
    const options = { url: 'ws://nobody.invalid', WebSocket: Refused, clock, random: () => random.value };
    const channel = new Channel(options);
    for (let ms = 0; ms < 60_000; ms += 5) clock.advance(5);
    const delays = attempts.slice(1).map((at, index) => Math.round(at - (attempts[index] ?? 0)));
    assert.deepEqual(delays.slice(0, 9), [125, 250, 500, 1000, 2000, 4000, 5000, 5000, 5000]);
    random.value = 1;
    const before = attempts.length;
    while (attempts.length === before) clock.advance(5);
    clock.advance(9_900);
    assert.equal(attempts.length, before + 1);
    clock.advance(200);
    assert.equal(attempts.length, before + 2);
    channel.close();
    assert.equal(clock.waiting, 0);
  });

  test('tells a watcher how many updates the service passed over', async (t) => {
    const service = await ScriptedService.start(t);
    service.measurements.set('level', update('level', 1));
    const watch = open(t, service).watchMeasurements(['level']);
    await read(watch, 1);
    service.send({ notification: 'MeasurementUpdateNotification', updates: [update('level', 9)], skipped: 41 });
    assert.equal((await watch.next()).value?.skipped, 41);
  });
});
