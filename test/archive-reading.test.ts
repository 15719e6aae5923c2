// A reading of many records: its memory does not grow with them, and it ends when nobody wants it any more.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Batch, systemClock } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { packAlarm } from '../packages/server/src/archive/alarm-text.ts';
import { ArchiveStore } from '../packages/server/src/archive/store/archive-store.ts';
import { peakBytes } from './process-memory.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const records = 5_000_000;
const firstUs = 1_700_000_000_000_000;
const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
let server: ServerProcess;

/** As a plant would have left it, of a measurement that is no longer configured. */
function fill(path: string): void {
  mkdirSync(path, { recursive: true });
  const store = ArchiveStore.open(path, {
    clock: systemClock,
    onDamage: ({ reason }) => {
      throw new Error(reason);
    },
  });
  const series = Uint32Array.of(store.seriesOf({ kind: 'measurements', name: 'big', datatype: 'd' }).number);
  const batch = new Batch(65_536);
  for (let at = 0; at < records; at++) {
    batch.number(0, (at % 1000) / 100, 0xc0, firstUs + at * 100_000);
    if (batch.count < 65_536 && at < records - 1) continue;
    store.append(batch, series);
    batch.clear();
    store.commit();
    while (store.maintain(1000));
  }
  batch.text(0, packAlarm({ state: 'INACT_ACK', authority: '', description: '' }), 0, firstUs);
  store.append(batch, Uint32Array.of(store.seriesOf({ kind: 'alarms', name: 'quiet', datatype: 's' }).number));
  store.close();
}

const request = (path: string) =>
  new Promise<IncomingMessage>((resolve, reject) => get(server.url + path, resolve).on('error', reject));

async function figure(name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(new RegExp(`^telltale_${name} (.*)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}

before(async () => {
  fill(join(folder, 'archive'));
  server = await startServer(cleanup, { data: folder });
});

describe(`a reading of ${records / 1e6} million records`, () => {
  test('takes no more memory for being long, however slowly it is read', async (t) => {
    const beforeBytes = peakBytes(server.pid) ?? 0;
    const response = await request('/data/archive/measurements/big/1/0');
    let [bytes, pages] = [0, 0];
    for await (const page of response) {
      bytes += page.length;
      if (++pages % 200 === 1) await wait(20);
    }
    assert.ok(bytes > records * 25, `${bytes} bytes`);
    const grownMiB = ((peakBytes(server.pid) ?? 0) - beforeBytes) / 2 ** 20;
    t.diagnostic(`${(bytes / 2 ** 20).toFixed(0)} MiB were read; the server grew by ${grownMiB.toFixed(0)} MiB`);
    assert.ok(grownMiB < 200);
  });

  test('ends when its connection is closed', async (t) => {
    const response = await request('/data/archive/measurements/big/1/0');
    await new Promise((resolve) => response.once('readable', resolve));
    assert.equal(await figure('archive_readings'), 1);
    const start = performance.now();
    response.destroy();
    await until('nothing is read', async () => (await figure('archive_readings')) === 0);
    t.diagnostic(`it ended after ${Math.round(performance.now() - start)} ms`);
  });

  test('ends before its first page when its connections are closed', async () => {
    // Looks for an active alarm at each microsecond of years.
    const path = '/data/archive/alarms/quiet/active/1/0?resample=0.000001';
    const asking = Array.from({ length: 20 }, () => get(server.url + path, { agent: false }).on('error', () => {}));
    await until('many are under way', async () => (await figure('archive_readings')) >= 12);
    for (const each of asking) each.destroy();
    await until('nothing is read', async () => (await figure('archive_readings')) === 0);
  });

  test('leaves others their turn', async () => {
    const response = await request('/data/archive/measurements/big/1/0');
    await new Promise((resolve) => response.once('readable', resolve));
    const short = await fetch(`${server.url}/data/archive/measurements/big/1/0?limit=2`);
    assert.deepEqual(await short.json(), {
      big: [
        ['d0', [1_700_000_000, 0], 192],
        ['d0.01', [1_700_000_000, 100_000], 192],
      ],
    });
    response.destroy();
  });
});
