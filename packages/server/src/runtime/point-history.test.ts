// The archive as a provider reads it, through its thread: pages against a plain filter over the records.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Datatype, type Measurement, ProblemError, type Value } from '@telltale/schema';
import type { AggregateRequest, HistoryPage, HistoryRecord, HistoryRequest } from '@telltale/stack-kit';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { LinePanel } from '../../test/line-panel.ts';
import { openArchive } from '../../test/open-archive.ts';
import { RuntimeBench } from '../../test/runtime-bench.ts';
import type { SeriesKey } from '../archive/index.ts';

const startUs = 1_700_000_000_000_000;
const endUs = Number.MAX_SAFE_INTEGER;

type Plain = readonly [value: Value, quality: number, timeUs: number];

/** A provider that serves the measurement `level` and the command `setpoint`, and an archive with their records. */
async function bench(t: Scope, measurement: Partial<Measurement> = {}) {
  const runtime = await RuntimeBench.start();
  cleanupOf(t).defer(() => runtime.close());
  const archive = await openArchive(t);
  runtime.readArchive = (...read) => archive.read(...read);
  const ids = new Map<string, number>();
  const panel = await LinePanel.start((message) => {
    if (message.kind !== 'points') return;
    for (const { id, text } of message.points) ids.set(text.split(' ').slice(0, 2).join(' '), id);
  });
  cleanupOf(t).defer(() => panel.close());
  const providerAddresses = { p: 'x' };
  await runtime.render({
    providers: [{ name: 'p', stackName: 'line_panel', vars: { port: panel.port } }],
    measurements: [{ name: 'level', datatype: 'd', providerAddresses, archMode: 'change', ...measurement }],
    commands: [{ name: 'setpoint', datatype: 'l', providerAddresses, archMode: 'change' }],
  });
  await runtime.until(() => ids.size === 2);
  const ask = async (id: number | undefined, wish: { read: HistoryRequest } | { aggregate: AggregateRequest }) => {
    const outcome = await panel.ask({ id: id ?? -1, ...wish });
    if (!outcome.startsWith('{') && !outcome.startsWith('[')) throw new Error(outcome);
    return JSON.parse(outcome) as unknown;
  };
  const store = async (key: SeriesKey, records: readonly Plain[]) => {
    const ref = archive.records.refOf(key);
    for (const [value, quality, timeUs] of records) archive.records.batch.value(ref, value, quality, timeUs);
    archive.records.added();
    await archive.records.allStored();
  };
  const read = async (read: HistoryRequest, point = 'measurement level') =>
    (await ask(ids.get(point), { read })) as HistoryPage;
  const aggregate = async (aggregate: AggregateRequest) =>
    (await ask(ids.get('measurement level'), { aggregate })) as readonly HistoryRecord[];
  return { runtime, archive, panel, ids, read, aggregate, store };
}

const level: SeriesKey = { kind: 'measurements', name: 'level', datatype: 'd' };

function shown(datatype: Datatype, [value, quality, timeUs]: Plain): HistoryRecord {
  return { datatype, value, quality, timeUs };
}

describe('the archive for a provider', () => {
  test('pages of any size, forwards and backwards, give every record of the interval once and in order', async (t) => {
    const { read, store } = await bench(t);
    const record = fc.tuple(fc.integer({ min: 0, max: 999 }), fc.constantFrom(0xc0, 0x44, 0x18), fc.nat({ max: 30 }));
    const [records] = fc.sample(fc.array(record, { minLength: 60, maxLength: 60 }), { numRuns: 1, seed: 7 });
    const plain = (records ?? [])
      .map(([value, quality, at]): Plain => [value / 4, quality, startUs + at * 1000])
      .sort((a, b) => a[2] - b[2]);
    await store(level, plain);
    const time = fc.integer({ min: -1, max: 32 }).map((at) => startUs + at * 1000);
    await fc.assert(
      fc.asyncProperty(
        time,
        time,
        fc.boolean(),
        fc.integer({ min: 1, max: 20 }),
        async (one, other, newestFirst, limit) => {
          const [sinceUs, untilUs] = [Math.min(one, other), Math.max(one, other)];
          const wanted = plain.filter(([, , timeUs]) => sinceUs <= timeUs && timeUs < untilUs);
          if (newestFirst) wanted.reverse();
          const found: HistoryRecord[] = [];
          let page: HistoryPage | undefined;
          do {
            page = await read({ sinceUs, untilUs, newestFirst, limit, cursor: page?.cursor });
            assert.ok(page.records.length <= limit);
            assert.equal(page.cursor !== undefined, found.length + page.records.length < wanted.length);
            found.push(...page.records);
          } while (page.cursor !== undefined);
          assert.deepEqual(
            found,
            wanted.map((each) => shown('d', each)),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  test('of more than a page of many records, the newest come first at once', async (t) => {
    const { read, store } = await bench(t);
    await store(
      level,
      Array.from({ length: 50_000 }, (_, at): Plain => [at, 0xc0, startUs + at * 1000]),
    );
    const { records, cursor } = await read({ sinceUs: 0, untilUs: endUs, newestFirst: true, limit: 2 });
    assert.deepEqual(
      records.map(({ value }) => value),
      [49_999, 49_998],
    );
    assert.deepEqual(cursor, { timeUs: startUs + 49_998_000, skip: 1 });
    const first = await read({ sinceUs: 0, untilUs: endUs, limit: 10_000 });
    assert.equal(first.records.length, 10_000);
    assert.deepEqual(first.cursor, { timeUs: startUs + 9_999_000, skip: 1 });
  });

  test('commands have exact integers and good quality; records of another datatype say so', async (t) => {
    const { read, store } = await bench(t);
    await store({ kind: 'commands', name: 'setpoint', datatype: 'l' }, [[2n ** 62n, 0, startUs]]);
    const page = await read({ sinceUs: 0, untilUs: endUs, limit: 5 }, 'command setpoint');
    assert.deepEqual(page.records, [{ datatype: 'l', value: String(2n ** 62n), quality: 0xc0, timeUs: startUs }]);
    await store({ ...level, datatype: 's' }, [['open', 0xc0, startUs]]);
    await store(level, [[1, 0xc0, startUs + 1]]);
    const mixed = await read({ sinceUs: 0, untilUs: endUs, limit: 5 });
    assert.deepEqual(
      mixed.records.map(({ datatype, value }) => [datatype, value]),
      [
        ['s', 'open'],
        ['d', 1],
      ],
    );
  });

  test('a page of long texts is cut, and the next one goes on behind it', async (t) => {
    const { read, store } = await bench(t, { datatype: 's' });
    const texts = Array.from({ length: 100 }, (_, at) => `${at} `.padEnd(65_000, 'x'));
    await store(
      { ...level, datatype: 's' },
      texts.map((text, at): Plain => [text, 0xc0, startUs + at]),
    );
    const found: unknown[] = [];
    let pages = 0;
    let page: HistoryPage | undefined;
    do {
      page = await read({ sinceUs: 0, untilUs: endUs, limit: 10_000, cursor: page?.cursor });
      found.push(...page.records.map(({ value }) => value));
      pages++;
    } while (page.cursor !== undefined);
    assert.deepEqual(found, texts);
    assert.ok(pages > 1);
  });

  test('aggregates are those of the archive, one a bucket', async (t) => {
    const { aggregate, store } = await bench(t);
    await store(level, [
      [10, 0xc0, startUs],
      [20, 0xc0, startUs + 5_000_000],
      [40, 0x18, startUs + 10_000_000],
    ]);
    const request = { sinceUs: startUs, untilUs: startUs + 20_000_000, stepUs: 10_000_000 };
    const [first, second] = await aggregate({ ...request, aggregate: 'avg' });
    assert.deepEqual(first, { datatype: 'd', value: 15, quality: 0xc0, timeUs: startUs });
    assert.equal((second?.quality ?? 0xc0) & 0xc0, 0);
    const counts = await aggregate({ ...request, aggregate: 'count' });
    assert.deepEqual(
      counts.map(({ value }) => value),
      ['2', '0'],
    );
  });

  test('what cannot be read is refused with the reason', async (t) => {
    const { runtime, read, aggregate, ids } = await bench(t);
    const whole = { sinceUs: 0, untilUs: endUs };
    await assert.rejects(read({ ...whole, limit: 10_001 }), /Refused the limit is 1 to 10000 records/);
    await assert.rejects(read({ sinceUs: 5, untilUs: 4, limit: 1 }), /Refused an interval/);
    await assert.rejects(read({ ...whole, limit: 1, cursor: { timeUs: 0.5, skip: 0 } }), /Refused this is no place/);
    await assert.rejects(aggregate({ ...whole, stepUs: 1, aggregate: 'avg' }), /Refused .* more than 10000 buckets/);
    runtime.readArchive = async () => {
      throw new ProblemError('overloaded', 'Too many wait.');
    };
    await assert.rejects(read({ ...whole, limit: 1 }), /Refused Too many wait\./);
    const id = ids.get('measurement level') as number;
    const asked = { kind: 'measurements', pointId: id, ...whole, newestFirst: false, limit: 1 } as const;
    const { signal } = new AbortController();
    await assert.rejects(runtime.runtime.providerHistory('another', asked, signal), /no longer configured so/);
  });

  test('what is read for a provider that is stopped is given up', async (t) => {
    const { runtime, panel, ids } = await bench(t);
    const { promise: given, resolve } = Promise.withResolvers<AbortSignal | undefined>();
    runtime.readArchive = (_, reader) => {
      resolve(reader?.signal);
      return new Promise((_resolve, reject) =>
        reader?.signal?.addEventListener('abort', () => reject(new Error('over'))),
      );
    };
    const id = ids.get('measurement level') as number;
    const outcome = panel.ask({ id, read: { sinceUs: 0, untilUs: endUs, limit: 1 } });
    const signal = await given;
    assert.equal(signal?.aborted, false);
    runtime.host.stop('provider', 'p');
    await runtime.until(() => signal?.aborted);
    assert.match(await outcome, /unknown|Refused the provider is stopped/);
  });
});
