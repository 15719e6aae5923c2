// Downloads and uploads of a database at once, by the real thread: how many there are, what they leave in the folder, and who
// waits for them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, test } from 'node:test';
import { ProblemError } from '@telltale/schema';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { until } from '../../../../test/until.ts';
import { ConfigurationDatabase, mostUploads } from './configuration-database.ts';
import { type Download, mostCopies, mostDownloads } from './database-copies.ts';
import type { RenderingBytes } from './rendering.ts';

let folder: string;
let cfgdb: ConfigurationDatabase;
/** What was rendered, and how long each was when it was to run. */
let renderings: { readonly bytes: RenderingBytes; readonly length: number }[];

beforeEach(async (t) => {
  folder = temporaryFolder(t);
  renderings = [];
  cfgdb = new ConfigurationDatabase({
    folder,
    stackModules: [],
    prepare: async (bytes) => {
      renderings.push({ bytes, length: bytes.length });
      return { takeOver: () => Promise.resolve(), drop: () => undefined };
    },
    onFailure: (error) => {
      throw error;
    },
  });
  cleanupOf(t).defer(() => cfgdb.close(5000));
  await cfgdb.open();
});

const temporary = () => readdirSync(join(folder, 'temporary'));
const isOverload = (error: unknown) => error instanceof ProblemError && error.problem === 'overloaded';

const put = (name: string, description = '') =>
  cfgdb.call('put', 'alarms', name, Buffer.from(JSON.stringify({ name, severity: 1, description })), 'somebody');

async function putMany(count: number, characters: number): Promise<void> {
  const operations = Array.from({ length: count }, (_, at) => {
    const name = `a${at}`;
    return {
      operation: 'put',
      family: 'alarms',
      name,
      object: { name, severity: 1, description: '.'.repeat(characters) },
    };
  });
  const body = Buffer.from(JSON.stringify({ operations }));
  await cfgdb.call('transaction', body, { commit: true, render: false }, 'somebody');
}

async function bytesOf({ stream }: Download): Promise<Buffer> {
  return Buffer.concat(await stream.toArray());
}

/** Leaves unread what it was given. */
async function leave({ stream }: Download): Promise<void> {
  const closed = once(stream, 'close');
  stream.destroy();
  await closed;
}

const downloads = (count: number) => Promise.all(Array.from({ length: count }, () => cfgdb.download()));

describe('downloads of the database', () => {
  test('between two changes share one file, which goes with the last of them', async () => {
    await putMany(1000, 100);
    const shared = await downloads(10);
    assert.equal(temporary().length, 1);
    const [first, second, ...others] = shared as [Download, Download, ...Download[]];
    const bytes = await bytesOf(first);
    assert.equal(bytes.length, first.size);
    writeFileSync(join(folder, 'copy.sqlite'), bytes);
    const copy = new DatabaseSync(join(folder, 'copy.sqlite'));
    assert.deepEqual(
      { ...copy.prepare('SELECT count(*) AS alarms, min(name) AS least FROM alarms').get() },
      { alarms: 1000, least: 'a0' },
    );
    copy.close();
    for (const each of others) await leave(each);
    assert.equal(temporary().length, 1);
    assert.deepEqual(await bytesOf(second), bytes);
    await until('the file is gone', async () => temporary().length === 0);
  });

  test('have every change that was answered before, and are of a few moments at once', async () => {
    const stored: Download[] = [];
    for (let change = 0; change < mostCopies; change++) {
      await put(`b${change}`);
      stored.push(await cfgdb.download());
    }
    assert.equal(temporary().length, mostCopies);
    stored.push(await cfgdb.download());
    await put('another');
    await assert.rejects(cfgdb.download(), isOverload);
    await leave(stored.shift() as Download);
    await until('its file is gone', async () => temporary().length < mostCopies);
    stored.push(await cfgdb.download());
    const names = (bytes: Buffer) => ['b0', 'b1', 'b2', 'another'].filter((name) => bytes.includes(name));
    assert.deepEqual(names(await bytesOf(stored[0] as Download)), ['b0', 'b1']);
    assert.deepEqual(names(await bytesOf(stored.at(-1) as Download)), ['b0', 'b1', 'b2', 'another']);
    for (const each of stored) each.stream.destroy();
  });

  test('are a bounded number at once', async () => {
    const stored = await downloads(mostDownloads);
    await assert.rejects(cfgdb.download(), isOverload);
    await leave(stored.pop() as Download);
    stored.push(await cfgdb.download());
    for (const each of stored) await leave(each);
    await until('nothing is left', async () => temporary().length === 0);
  });

  test('are written while reads are answered, in steps, and changes wait for the whole', async () => {
    await putMany(300, 1000);
    const order: string[] = [];
    const note = (what: string) => () => order.push(what);
    await Promise.all([
      cfgdb.download().then(async (download) => {
        note('copy')();
        await leave(download);
      }),
      cfgdb.call('get', 'alarms', 'a1').then(note('read')),
      put('a1', 'changed').then(note('change')),
      cfgdb.call('get', 'alarms', 'a2').then(note('read')),
    ]);
    assert.deepEqual(order.filter((what) => what !== 'change').at(-1), 'copy');
    assert.deepEqual(order.slice(0, 2), ['read', 'read']);
  });

  test('that cannot be written are refused, all who wait for them, and the next one is tried again', async () => {
    const path = join(folder, 'temporary');
    rmdirSync(path);
    const refused = await Promise.allSettled([cfgdb.download(), cfgdb.download()]);
    for (const each of refused) {
      assert.ok(each.status === 'rejected' && (each.reason as ProblemError).problem === 'storage-failed');
    }
    mkdirSync(path);
    await leave(await cfgdb.download());
  });
});

test('reads are answered while the body of a long transaction is read, and see nothing of it before it is done', async () => {
  await putMany(3, 10);
  const order: string[] = [];
  await Promise.all([
    putMany(3000, 1000).then(() => order.push('transaction')),
    cfgdb.call('names', 'alarms').then((names) => order.push(Buffer.from(names).toString())),
  ]);
  assert.deepEqual(order, ['["a0","a1","a2"]', 'transaction']);
});

test('uploads of a database are a bounded number at once, and those beyond leave nothing behind', async () => {
  await putMany(10, 10);
  const download = await cfgdb.download();
  const good = await bytesOf(download);
  const bodies = Array.from({ length: mostUploads }, () => new PassThrough());
  const uploads = bodies.map((body) => cfgdb.upload(body, { render: false }, 'somebody'));
  for (const body of bodies) body.write(good.subarray(0, 1000));
  await until('each has a file', async () => temporary().length === mostUploads);
  await assert.rejects(cfgdb.upload(new PassThrough(), { render: false }, 'somebody'), isOverload);
  assert.equal(temporary().length, mostUploads);
  for (const body of bodies) body.end(good.subarray(1000));
  await Promise.all(uploads);
  assert.deepEqual(temporary(), []);
  const again = new PassThrough();
  again.end(good);
  await cfgdb.upload(again, { render: false }, 'somebody');
});

test('a rendering is handed over as it is, and its memory given back when it runs', async () => {
  await putMany(100, 1000);
  await cfgdb.call('render', { force: false }, 'somebody');
  assert.ok((renderings.at(-1)?.length ?? 0) > 100_000);
  assert.ok(renderings.every(({ bytes }) => bytes.buffer instanceof ArrayBuffer && bytes.byteLength === 0));
  const whole = await cfgdb.call('rendering');
  assert.equal(whole.length, renderings.at(-1)?.length);
});

test('questions about revisions are answered one after the other, so that only one has them in memory', async () => {
  for (let revision = 0; revision < 4; revision++) {
    await putMany(1000, 1000 + revision);
    await cfgdb.call('render', { force: false }, 'somebody');
  }
  const answered: string[] = [];
  await Promise.all([
    cfgdb.call('blame', 'alarms', 'a7').then(() => answered.push('who changed it')),
    cfgdb.call('blame', 'alarms', 'none').catch(() => answered.push('there is none')),
    cfgdb.call('compare', '1', '99').catch(() => answered.push('no such revision')),
  ]);
  assert.deepEqual(answered, ['who changed it', 'there is none', 'no such revision']);
});
