import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { WebSocket as PackageWebSocket } from 'ws';
import { entered, open, read, update } from '../test/open-channel.ts';
import { ScriptedService, unknownObject } from '../test/scripted-service.ts';
import { Channel } from './channel.ts';
import type { WebSocketConstructor } from './connection.ts';
import { TelltaleProblem, Unreachable } from './errors.ts';

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

  test('that is refused rejects with the problem, and reports what became of each item', async (t) => {
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

  for (const [whose, WebSocket] of Object.entries({ Node: globalThis.WebSocket, ws: PackageWebSocket })) {
    test(`gets an answer that comes in one packet with the end of the connection (WebSocket of ${whose})`, async (t) => {
      const service = await ScriptedService.start(t);
      service.answer = () => undefined;
      const channel = open(t, service, { WebSocket: WebSocket as WebSocketConstructor });
      const write = channel.request('WriteCommands', { writes: [{ name: 'pump', value: 'b1' }] });
      await service.until(() => service.asked.length === 1);
      const lost = entered(channel, 'lost');
      service.inOnePacket(() => {
        service.send({ request_id: service.asked[0]?.id, result: true });
        service.sayGoodbye();
      });
      assert.deepEqual(await write, {});
      assert.match(await lost, /closed with 1001/);
    });
  }

  test('whose fields are no JSON throws, and leaves nothing behind', async (t) => {
    const clock = new ManualClock();
    const service = await ScriptedService.start(t);
    const channel = open(t, service, { clock });
    await entered(channel, 'connected');
    const pending = clock.pending;
    assert.throws(() => channel.request('ReadAlarms', { names: [1n] } as never), TypeError);
    assert.equal(clock.pending, pending);
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

  test('beyond 10,000 without an answer is refused, and touches neither watches nor heartbeats nor the connection', async (t) => {
    const clock = new ManualClock();
    const service = await ScriptedService.start(t);
    service.measurements.set('level', update('level', 1));
    service.answer = (asked) => (asked.request === 'ReadMeasurements' ? undefined : service.ordinary(asked));
    const channel = open(t, service, { clock, timeoutMs: 60_000 });
    await entered(channel, 'connected');
    const lost = entered(channel, 'lost').then((reason) => assert.fail(`the connection is lost: ${reason}`));
    const reads = Array.from({ length: 10_000 }, () => channel.request('ReadMeasurements', { names: [] }));
    for (const each of reads) each.catch(() => undefined);
    const isRefused = (error: unknown) => error instanceof Unreachable && /10000 requests wait/.test(error.message);
    await assert.rejects(channel.request('ReadMeasurements', { names: [] }), isRefused);
    const watch = channel.watchMeasurements(['level']);
    assert.deepEqual(await Promise.race([read(watch, 1), lost]), ['level=d1']);
    await watch.return?.();
    await service.until(() => service.asked.at(-1)?.request === 'UnwatchMeasurements');
    clock.advance(10_000);
    await service.until(() => service.asked.at(-1)?.request === 'Heartbeat');
    assert.deepEqual([channel.state, service.connections], ['connected', 1]);
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

describe('the channel', () => {
  test('carries the token, again after each loss', async (t) => {
    const service = await ScriptedService.start(t);
    const channel = open(t, service, { token: 'secret', random: () => 0 });
    await entered(channel, 'connected');
    service.hangUp();
    await entered(channel, 'connected');
    assert.deepEqual(service.authorizations, ['Bearer secret', 'Bearer secret']);
  });

  test('hands on the queries of the supervisor while somebody listens', async (t) => {
    const service = await ScriptedService.start(t);
    const channel = open(t, service);
    const queries: number[] = [];
    const stop = channel.onQuery((queryId) => queries.push(queryId));
    await channel.request('Heartbeat', {});
    service.send({ notification: 'FunctionModuleQuery', query_id: 12 });
    service.send({ notification: 'FunctionModuleQuery', query_id: 'twelve' });
    await channel.request('Heartbeat', {});
    stop();
    service.send({ notification: 'FunctionModuleQuery', query_id: 13 });
    await channel.request('Heartbeat', {});
    assert.deepEqual([queries, channel.ignored], [[12], 2]);
  });

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
    assert.equal(clock.pending, 1); // one attempt to connect, not two
    clock.advance(1000);
    assert.equal(sockets.length, 2);
    channel.close();
    assert.equal(clock.pending, 0);
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
    assert.equal(clock.pending, 0);
  });

  test('forgets earlier failures after a connection that held for 10 s, whatever became of the time of day', () => {
    for (const [heldMs, byMs, delayMs] of [
      [9999, 35_000, 500],
      [10_000, -3_600_000, 125],
    ] as const) {
      const clock = new ManualClock();
      const attempts: number[] = [];
      const listeners = new Map<string, (event: { code: number }) => void>();
      class Scripted {
        constructor() {
          attempts.push(clock.monotonicMs());
        }
        addEventListener(type: string, listener: (event: { code: number }) => void) {
          listeners.set(type, listener);
        }
        send() {}
        close() {}
      }
      const notify = (type: string) => listeners.get(type)?.({ code: 1006 });
      const channel = new Channel({ url: 'ws://nobody.invalid', WebSocket: Scripted, clock, random: () => 0 });
      for (const ms of [125, 250]) {
        notify('close');
        clock.advance(ms);
      }
      notify('open');
      clock.jump(byMs);
      clock.advance(heldMs);
      const lostMs = clock.monotonicMs();
      notify('close');
      clock.advance(1000);
      assert.equal((attempts.at(-1) ?? 0) - lostMs, delayMs);
      channel.close();
    }
  });
});
