// A rendering takes effect as a difference: what did not change goes on as if nothing had happened.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { LiveAlarm, LiveCommand, LiveMeasurement, Operation } from '@telltale/schema';
import { CheckedChannel } from './checked-channel.ts';
import { livePlant, put } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { until } from './until.ts';

const live = new LiveServer();
const { data, config } = live;

const measurement = (name: string) => data.read<LiveMeasurement>(`/measurements/${name}`);
const count = async (name = 'counter') => Number((await measurement(name)).vtq[0].slice(1));
const original = (family: string, name: string) =>
  livePlant.find((each) => each.family === family && each.name === name) as Operation & { object: object };
const changed = (family: Operation['family'], name: string, more: object) =>
  put(family, name, { ...original(family, name).object, ...more });

async function channelFor(t: TestContext): Promise<CheckedChannel> {
  const channel = await CheckedChannel.open(live.process.url);
  t.after(() => channel.close());
  return channel;
}

/** How often a connector has connected. */
async function connects(connector: string): Promise<number> {
  const text = await (await fetch(`${live.process.url}/metrics`)).text();
  const line = new RegExp(`^telltale_stack_connects_total\\{[^}]*"${connector}"[^}]*\\} (\\d+)$`, 'm').exec(text);
  return Number(line?.[1] ?? assert.fail(text.match(/^telltale_.*connects.*/gm)?.join('\n')));
}

describe('what did not change', () => {
  test('keeps its connection: a counter goes on counting, and no connector connects again', async () => {
    await until('it to count', async () => (await count()) > 20);
    const [before, links] = [await count(), await connects('device')];
    await live.apply([
      put('measurements', 'another', { datatype: 'i', connectorName: 'device', address: 'counter()' }),
    ]);
    await live.apply([changed('measurements', 'counter', { description: 'now described' })]);
    await config.done('POST', '/cfgdb/render?force=1');
    const { vtq, description } = await measurement('counter');
    assert.ok(Number(vtq[0].slice(1)) >= before);
    assert.deepEqual([vtq[2], description, await connects('device')], [0xc0, 'now described', links]);
    await until('it to count on', async () => (await count()) > before + 5);
  });

  test('keeps values, simulations and alarms', async () => {
    await data.done('PUT', '/measurements/level?value=d85&valid-for=1000');
    await data.done('PUT', '/commands/local?value=d4');
    const read = async () => [
      await data.read('/simulations'),
      (await measurement('level')).vtq,
      (await data.read<LiveCommand>('/commands/local')).vt,
      await data.read('/alarms/'),
    ];
    const before = await read();
    await live.apply([
      put('measurements', 'yet_another', { datatype: 'i' }),
      changed('commands', 'own_d', { eu: 'm' }),
    ]);
    assert.deepEqual(await read(), before);
    await live.apply([
      changed('measurements', 'level', { description: 'other' }),
      changed('commands', 'local', { eu: 'm' }),
    ]);
    assert.deepEqual(await read(), before);
    await data.done('DELETE', '/measurements/level');
  });

  test('keeps its watchers, those of a changed description included', async (t) => {
    const channel = await channelFor(t);
    await channel.done('WatchMeasurements', { measurements: ['zero_d', 'counter'] });
    await live.apply([
      changed('measurements', 'zero_d', { description: 'other' }),
      put('alarms', 'extra', { severity: 1 }),
    ]);
    await data.done('PUT', '/measurements/zero_d?value=d5');
    await until('the change', async () => channel.values('zero_d').includes('d5'));
    const seen = channel.values('counter').length;
    await until('the counter', async () => channel.values('counter').length > seen);
    assert.ok(channel.reported<{ removed?: true }>('MeasurementUpdateNotification').every(({ removed }) => !removed));
    await data.done('DELETE', '/measurements/zero_d');
  });
});

describe('when the rendering is answered', () => {
  test('what was added is there', async () => {
    await live.apply([
      put('measurements', 'added', { datatype: 's' }),
      put('commands', 'added', { datatype: 'b', initialValue: '1' }),
      put('alarms', 'added', { severity: 9, description: 'new' }),
    ]);
    assert.deepEqual((await measurement('added')).vtq, ['s', [0, 0], 0x08]);
    assert.equal((await data.read<LiveCommand>('/commands/added')).vt[0], 'b1');
    assert.equal((await data.read<LiveAlarm>('/alarms/added')).severity, 9);
  });

  test('what was changed is changed: a new datatype begins again, a new source is awaited', async () => {
    await data.done('PUT', '/measurements/added?value=stext');
    await live.apply([put('measurements', 'added', { datatype: 'i' })]);
    assert.deepEqual((await measurement('added')).vtq, ['i0', [0, 0], 0x08]);
    assert.deepEqual(await data.read('/simulations'), {});
    const source = { connectorName: 'device', address: 'counter(low=7, high=7)' };
    await live.apply([put('measurements', 'added', { datatype: 'i', ...source })]);
    await until('the first value', async () => (await measurement('added')).vtq[0] === 'i7');
    await live.apply([put('alarms', 'added', { severity: 2, description: 'changed' })]);
    assert.equal((await data.read<LiveAlarm>('/alarms/added')).severity, 2);
  });

  test('what was removed or switched off is gone, and its watcher was notified', async (t) => {
    const channel = await channelFor(t);
    await live.apply([put('measurements', 'another', { datatype: 'i' })]);
    await channel.done('WatchMeasurements', { measurements: ['added', 'another'] });
    await live.apply([
      { operation: 'delete', family: 'measurements', name: 'added' },
      { operation: 'delete', family: 'commands', name: 'added' },
      { operation: 'delete', family: 'alarms', name: 'added' },
      put('measurements', 'another', { datatype: 'i', enabled: false }),
    ]);
    for (const path of ['/measurements/added', '/measurements/another', '/commands/added', '/alarms/added']) {
      await data.refused('unknown-object', 'GET', path);
    }
    await until('both removals', async () =>
      ['added', 'another'].every((name) => {
        const last = channel.reported<{ removed?: true }>('MeasurementUpdateNotification', name).at(-1);
        return last?.removed;
      }),
    );
  });

  test('a refused rendering has changed nothing', async () => {
    const before = await data.read('/commands/');
    await config.refused('render-refused', 'POST', '/cfgdb/txn?render=1', {
      body: { operations: [put('commands', 'lost', { datatype: 'd', connectorName: 'nobody', address: 'x' })] },
    });
    assert.deepEqual(await data.read('/commands/'), before);
  });
});

test('100,000 objects are rendered while the service goes on answering', { timeout: 300_000 }, async (t) => {
  const operations = Array.from({ length: 100_000 }, (_, at) =>
    put('measurements', `m${at}`, {
      datatype: 'd',
      ...(at % 10 === 0 && { connectorName: 'device', address: 'sine(period=600)' }),
      description: `Measurement ${at}`,
      euRangeLo: '0',
      euRangeHi: '100',
    }),
  );
  const deletions = operations.map(({ family, name }) => ({ operation: 'delete', family, name }));
  for (const [what, body] of Object.entries({ added: { operations }, removed: { operations: deletions } })) {
    await config.done('POST', '/cfgdb/txn', { body });
    const tookMs = await probesWhile(() => config.done('POST', '/cfgdb/render'));
    t.diagnostic(`${what}: ${tookMs.length} probes, the longest took ${Math.max(...tookMs).toFixed(0)} ms`);
    assert.ok(tookMs.length > 0);
  }
  assert.ok((await count()) > 0);
  assert.equal((await measurement('counter')).vtq[2], 0xc0);
});

/** How long each of the probes took that were sent, one after the other, while the work was done. */
async function probesWhile(work: () => Promise<void>): Promise<number[]> {
  const tookMs: number[] = [];
  let isDone = false;
  const probing = (async () => {
    while (!isDone) {
      const begun = performance.now();
      const { status } = await fetch(`${live.process.url}/healthz`);
      assert.equal(status, 200);
      tookMs.push(performance.now() - begun);
      await wait(5);
    }
  })();
  await work();
  isDone = true;
  await probing;
  return tookMs;
}
