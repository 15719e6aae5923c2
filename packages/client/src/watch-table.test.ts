import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { entered, open, read, update } from '../test/open-channel.ts';
import { ScriptedService } from '../test/scripted-service.ts';
import { TelltaleProblem, Unreachable } from './errors.ts';

describe('a watch', () => {
  test('reports the present values, then every change in order', async (t) => {
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

  test('of a name that was left begins with what the service says now, not with what came too late', async (t) => {
    const service = await ScriptedService.start(t);
    service.measurements.set('a', update('a', 1));
    const channel = open(t, service);
    const first = channel.watchMeasurements(['a']);
    await read(first, 1);
    await first.return?.();
    service.publish(update('a', 2)); // it was on its way
    await channel.request('Heartbeat', {});
    service.measurements.set('a', update('a', 3));
    assert.deepEqual(await read(channel.watchMeasurements(['a']), 1), ['a=d3']);
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

  test('of unknown names alone fails; beside known ones it reports them and goes on', async (t) => {
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

  test('of a name that was removed is tried again, and goes on when it is configured again', async (t) => {
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

  test('of a name that was removed in one packet with the answer is tried again, too', async (t) => {
    const clock = new ManualClock();
    const service = await ScriptedService.start(t);
    service.answer = () => undefined;
    const watch = open(t, service, { clock, heartbeatMs: 5000 }).watchMeasurements(['level']);
    await service.until(() => service.asked.length === 1);
    service.inOnePacket(() => {
      service.send({ request_id: service.asked[0]?.id, result: true });
      service.publish({ ...update('level', 1), removed: true });
    });
    assert.deepEqual(await read(watch, 1), ['level=removed']);
    service.answer = (asked) => service.ordinary(asked);
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
    const pending = channel.watchAlarms('all').next();
    channel.close();
    assert.deepEqual(await pending, { done: true, value: undefined });
    assert.equal(channel.state, 'closed');
    for await (const _ of channel.watchAlarms('all')) assert.fail('it is closed');
    await assert.rejects(channel.request('Heartbeat', {}), Unreachable);
  });

  test('of logs reports lines from now on, and none again to one who comes later', async (t) => {
    const service = await ScriptedService.start(t);
    const channel = open(t, service);
    const line = (name: string, text: string) => ({ name, t: [1, 0], stream: 'out', text });
    const print = (...lines: object[]) => service.send({ notification: 'FunctionModuleLogNotification', lines });
    const all = channel.watchFunctionModuleLogs('all');
    await channel.request('Heartbeat', {});
    print(line('loop', 'one'), line('report', 'two'));
    const texts = async (watch: typeof all) => (await watch.next()).value?.updates.map(({ text }) => text);
    assert.deepEqual(await texts(all), ['one', 'two']);
    const late = channel.watchFunctionModuleLogs(['loop']);
    await channel.request('Heartbeat', {});
    service.send({ notification: 'FunctionModuleLogNotification', lines: [line('loop', 'three')], skipped: 7 });
    const { value } = await late.next();
    assert.deepEqual([value?.updates.map(({ text }) => text), value?.skipped], [['three'], 7]);
    assert.deepEqual(
      service.of('WatchFunctionModuleLogs').map(({ function_modules }) => function_modules),
      ['all'],
    );
  });

  test('reports a watcher how many updates the service passed over', async (t) => {
    const service = await ScriptedService.start(t);
    service.measurements.set('level', update('level', 1));
    const watch = open(t, service).watchMeasurements(['level']);
    await read(watch, 1);
    service.send({ notification: 'MeasurementUpdateNotification', updates: [update('level', 9)], skipped: 41 });
    assert.equal((await watch.next()).value?.skipped, 41);
  });
});
