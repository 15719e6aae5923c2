// Imports by way of the thread that parses them: they are those of the plain parser, bounded, and end when they should.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, type TestContext, test } from 'node:test';
import { MessageChannel, type Worker } from 'node:worker_threads';
import { Batch, type BatchMessage, ProblemError } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { until } from '../../../../../test/until.ts';
import { Link, messagePort } from '../../threads/index.ts';
import { backfill } from './backfill.ts';
import type { ImportClient, ImportKey, ImportThread } from './import-protocol.ts';
import { type ImportRequest, Imports, idleMs, leastBytes, limits, lookMs } from './imports.ts';
import { mostInFlight } from './running-import.ts';
import { serveImport } from './serve-import.ts';

type Take = (key: ImportKey, batch: BatchMessage) => Promise<void>;

const level: ImportKey = { kind: 'measurements', name: 'level', datatype: 'd' };
const csv = (body: Readable, more: Partial<ImportRequest> = {}): ImportRequest => ({
  key: level,
  type: 'text/csv',
  body,
  ...more,
});
const header = 'time,value,quality\n';
const isProblem = (problem: string, detail: RegExp) => (error: unknown) =>
  error instanceof ProblemError && error.problem === problem && detail.test(error.message);

/** Counts what is stored, but for what the test takes itself. */
function importsOf(t: TestContext, take: Take = () => Promise.resolve()) {
  const clock = new ManualClock();
  const stored = { records: 0 };
  const imports = new Imports({
    clock,
    take: async (key, batch) => {
      const { count } = batch;
      await take(key, batch);
      stored.records += count;
    },
  });
  cleanupOf(t).defer(() => imports.close());
  return { imports, clock, stored };
}

function recordsOf(message: BatchMessage): unknown[] {
  const batch = Batch.from(message);
  return Array.from({ length: batch.count }, (_, at) => [batch.times[at], batch.valueAt(at), batch.qualities[at]]);
}

/** What was stored, and what went wrong. */
async function outcomeOf(work: (take: (batch: BatchMessage) => Promise<void>) => Promise<void>): Promise<unknown> {
  const stored: unknown[] = [];
  const take = async (batch: BatchMessage) => {
    stored.push(...recordsOf(batch));
  };
  try {
    await work(take);
    return { stored };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { stored, problem: error.problem, detail: error.message };
  }
}

/** A body whose client sends what it is told to. */
function openBody(t: TestContext, ...chunks: string[]): Readable {
  const body = new Readable({ read: () => undefined });
  cleanupOf(t).defer(() => void body.destroy());
  for (const chunk of chunks) body.push(chunk);
  return body;
}

describe('an import', () => {
  const hostile = ['"', ',', '\n', '\r\n', '[', ']', '{', '}', '\\', 'é', '💧', '\0', '1e3', 'null', '-1', ' '];
  const time = fc.integer({ min: 0, max: 2_000_000_000 });
  const datatype = fc.constantFrom('d', 's', 'l', 'b' as const);
  const record = fc.tuple(time, fc.oneof(fc.integer(), fc.constantFrom(...hostile)), fc.integer({ min: -1, max: 260 }));
  const jsonText = fc.tuple(datatype, fc.array(record, { maxLength: 30 })).map(([letter, records]) => ({
    letter,
    type: 'application/json',
    text: JSON.stringify(records.map(([s, value, quality]) => [`${letter}${value}`, [s, 0], quality])),
  }));
  const csvText = fc.tuple(datatype, fc.array(record, { maxLength: 30 })).map(([letter, records]) => ({
    letter,
    type: 'text/csv',
    text: `${header}${records.map((fields) => `${fields.join(',')}\n`).join('')}`,
  }));
  /** Something else is put somewhere, or nothing. */
  const damage = fc.option(
    fc.tuple(fc.nat(), fc.constantFrom(...hostile.map((text) => Buffer.from(text)), Buffer.of(0xff))),
    {
      freq: 2,
    },
  );
  const cuts = fc.array(fc.nat(), { maxLength: 6 });

  test('stores what the plain parser stores and says what it says, however the body is cut', async (t) => {
    let toPlace: (batch: BatchMessage) => Promise<void> = () => Promise.resolve();
    const { imports } = importsOf(t, (_key, batch) => toPlace(batch));
    let [whole, refused] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fc.oneof(jsonText, csvText), damage, cuts, async ({ letter, type, text }, harm, places) => {
        const sound = Buffer.from(text);
        const [place, bad] = harm ?? [0, Buffer.of()];
        const at = place % (sound.length + 1);
        const bytes = Buffer.concat([sound.subarray(0, at), bad, sound.subarray(at)]);
        const ends = [...places.map((cut) => cut % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b);
        const chunks = ends.slice(1).map((end, index) => bytes.subarray(ends[index], end));
        const key = { ...level, datatype: letter };
        const plain = await outcomeOf((take) => backfill({ ...key, type, body: Readable.from(chunks), take }));
        const threaded = await outcomeOf((take) => {
          toPlace = take;
          return imports.import({ key, type, body: Readable.from(chunks) });
        });
        assert.deepEqual(threaded, plain);
        if ((plain as { problem?: string }).problem === undefined) whole++;
        else refused++;
      }),
      { numRuns: 300 },
    );
    assert.ok(whole > 20 && refused > 20, `${whole} were taken whole, ${refused} were refused`);
  });

  test('that breaks far behind leaves every record before that place', async (t) => {
    const times: number[] = [];
    const { imports } = importsOf(t, async (_key, { count, ...batch }) => {
      times.push(...Batch.from({ count, ...batch }).times.subarray(0, count));
    });
    const rows = Array.from({ length: 100_000 }, (_, at) => `${at},1,192\n`);
    const body = Readable.from([Buffer.from(`${header}${rows.join('')}x,1,192\n100001,1,192\n`)]);
    await assert.rejects(
      imports.import(csv(body)),
      isProblem('invalid-record', /^Record 100001: "x" is no time.* The 100000 records before it were taken\.$/),
    );
    assert.deepEqual(
      times,
      rows.map((_, at) => at * 1_000_000),
    );
  });

  test('has few bytes under way while the disk is slow, and its client waits', async (t) => {
    const disk = Promise.withResolvers<void>();
    const { imports, stored } = importsOf(t, () => disk.promise);
    const row = '1600000000,1,192\n';
    const chunk = Buffer.from(row.repeat(4000));
    const chunks = 200;
    let [sent, most] = [0, 0];
    function* rows() {
      yield Buffer.from(header);
      for (; sent < chunks; sent++) {
        most = Math.max(most, imports.counts.bytesInFlight);
        yield chunk;
      }
    }
    const importing = imports.import(csv(Readable.from(rows(), { highWaterMark: 1 })));
    await until('there is no more room', async () => imports.counts.bytesInFlight > mostInFlight - chunk.length);
    // Two batches of 65,536 records, and what is in flight; then a chunk here and one in the stream.
    assert.ok(sent * chunk.length <= 2 * 65_536 * row.length + mostInFlight + 3 * chunk.length, `${sent} chunks`);
    assert.equal(stored.records, 0);
    disk.resolve();
    await importing;
    assert.equal(stored.records, chunks * 4000);
    assert.ok(most <= mostInFlight, `${most} bytes were in flight`);
  });

  test('ends with its client, stores no more, and leaves room for the next', async (t) => {
    const { imports, stored } = importsOf(t);
    const body = openBody(t, header, '1,1,192\n');
    const importing = imports.import(csv(body));
    await until('it runs', async () => imports.counts.running === 1);
    body.destroy(new ProblemError('malformed-request', 'The body ended too early.'));
    await assert.rejects(importing, isProblem('malformed-request', /too early/));
    assert.deepEqual([imports.counts.running, stored.records], [0, 0]);
    await imports.import(csv(Readable.from([Buffer.from(`${header}2,2,192\n`)])));
    assert.equal(stored.records, 1);
  });

  test('that is cancelled is not parsed on, though nobody says what became of its batch', async () => {
    const { port1, port2 } = new MessageChannel();
    const serving = serveImport({ key: level, type: 'text/csv', port: port2 });
    const bytes = Buffer.from(`${header}${'1,1,192\n'.repeat(200_000)}`);
    let batches = 0;
    const thread = new Link<ImportThread, ImportClient>(messagePort(port1), {
      parsed: () => {},
      batch: () => {
        batches++;
        port1.close();
        return new Promise(() => {});
      },
    });
    thread.notify('bytes', [new Uint8Array(bytes)]);
    await serving;
    assert.equal(batches, 1);
  });

  test('that the disk refuses says why, and how much was stored before', async (t) => {
    let batches = 0;
    const { imports } = importsOf(t, async () => {
      if (++batches === 2) throw new ProblemError('disk-failing', 'No space is left.');
    });
    const rows = Array.from({ length: 200_000 }, (_, at) => `${at},1,192\n`);
    const body = Readable.from([Buffer.from(`${header}${rows.join('')}`)]);
    await assert.rejects(
      imports.import(csv(body)),
      isProblem('disk-failing', /^No space is left\. The \d+ records before it were taken\.$/),
    );
    assert.equal(batches, 2);
  });

  test('fails with what the archive throws', async (t) => {
    const { imports } = importsOf(t, () => Promise.reject(new TypeError('broken')));
    await assert.rejects(imports.import(csv(Readable.from([Buffer.from(`${header}1,1,192\n`)]))), /TypeError: broken/);
    assert.equal(imports.counts.running, 0);
  });
});

describe('imports', () => {
  test('run a few at once, the others wait unread, and too many are refused', async (t) => {
    const { imports, stored } = importsOf(t);
    const all = limits.inside + limits.queued;
    const bodies = Array.from({ length: all }, () => openBody(t, header, '1,1,192\n'));
    const importing = bodies.map((body, client) => imports.import(csv(body, { client })));
    await until('they run', async () => imports.counts.running === limits.inside);
    assert.equal(imports.counts.queued, limits.queued);
    assert.ok(bodies.slice(limits.inside).every((body) => body.readableLength > 0));
    const tooMany = imports.import(csv(openBody(t), { client: 'last' }));
    await assert.rejects(tooMany, isProblem('overloaded', /^Too many imports wait\.$/));
    for (const body of bodies) body.push(null);
    await Promise.all(importing);
    assert.equal(stored.records, all);
  });

  test('that wait are forgotten with their client', async (t) => {
    const { imports } = importsOf(t);
    const bodies = Array.from({ length: limits.inside }, () => openBody(t, header));
    const running = bodies.map((body, client) => imports.import(csv(body, { client })));
    const gone = new AbortController();
    const pending = imports.import(csv(openBody(t), { client: 'gone', signal: gone.signal }));
    assert.equal(imports.counts.queued, 1);
    gone.abort();
    await assert.rejects(pending, isProblem('malformed-request', /closed the connection/));
    assert.equal(imports.counts.queued, 0);
    for (const body of bodies) body.push(null);
    await Promise.all(running);
  });

  test('give way where others wait and their clients send next to nothing; the others go on', async (t) => {
    const { imports, clock } = importsOf(t);
    const bodies = Array.from({ length: limits.inside }, () => openBody(t, header));
    const running = bodies.map((body, client) => imports.import(csv(body, { client })));
    const last = openBody(t, header);
    const pending = imports.import(csv(last, { client: 'last' }));
    await until(
      'all is parsed',
      async () => imports.counts.running === limits.inside && imports.counts.bytesInFlight === 0,
    );
    clock.advance(lookMs);
    const busy = bodies.pop();
    const rows = '1,1,192\n'.repeat(leastBytes / 8);
    busy?.push(rows);
    await until('it is parsed', async () => busy?.readableLength === 0 && imports.counts.bytesInFlight === 0);
    clock.advance(lookMs);
    const slow = running.slice(0, -1);
    for (const each of slow) await assert.rejects(each, isProblem('overloaded', /^Others wait, and less than 65536/));
    last.push(null);
    busy?.push(null);
    await Promise.all([pending, running.at(-1)]);
  });

  test('have a thread from the first one until there was none for a while, and again', async (t) => {
    const { imports, clock } = importsOf(t);
    assert.equal(imports.hasThread, false);
    for (let round = 0; round < 2; round++) {
      await imports.import(csv(Readable.from([Buffer.from(header)])));
      clock.advance(idleMs - 1);
      assert.equal(imports.hasThread, true);
      const body = openBody(t, header);
      const another = imports.import(csv(body));
      await until('it runs', async () => imports.counts.running === 1);
      clock.advance(idleMs);
      assert.equal(imports.hasThread, true, 'there is one under way');
      body.push(null);
      await another;
      clock.advance(idleMs);
      assert.equal(imports.hasThread, false);
    }
  });

  test('fail with a thread that dies, and the next ones have another', async (t) => {
    const { imports, stored } = importsOf(t);
    const started = once(process, 'worker');
    const lost = assert.rejects(imports.import(csv(openBody(t, header))), /exit code/);
    const [thread] = (await started) as [Worker];
    thread.terminate();
    await lost;
    await imports.import(csv(Readable.from([Buffer.from(`${header}1,1,192\n`)])));
    assert.equal(stored.records, 1);
  });

  test('under way and waiting fail when the service stops, and no thread is left', async (t) => {
    const { imports } = importsOf(t);
    const all = Array.from({ length: limits.inside + 1 }, (_, client) => imports.import(csv(openBody(t), { client })));
    await until('they run', async () => imports.counts.running === limits.inside);
    const over = Promise.all(all.map((each) => assert.rejects(each, isProblem('stopping', /stopping/))));
    await imports.close();
    await over;
    assert.equal(imports.hasThread, false);
  });
});
