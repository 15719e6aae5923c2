// Many queries at once, of an archive with its threads: how many are under way, and what they hold.
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { until } from '../../../../test/until.ts';
import { plainArchive } from '../../test/plain-archive.ts';
import { packAlarm } from './alarm-text.ts';
import type { Archive } from './archive.ts';
import type { ArchiveReader, QueryResult, ReadRequest } from './archive-access.ts';

const startUs = 1_750_000_000_000_000;
const plain: ReadRequest = {
  kind: 'measurements',
  names: ['level'],
  known: [],
  sinceUs: startUs,
  untilUs: startUs + 86_400_000_000,
  form: 'json',
};
/** 86,400,000,000 records, if anybody took them. */
const endless = { ...plain, resampleUs: 1 };

let archive: Archive;
let clock: ManualClock;

beforeEach(async (t) => {
  clock = new ManualClock();
  archive = plainArchive(t, clock, (text) => assert.fail(text));
  await archive.open();
  await store('level', 100);
});

async function store(name: string, count: number, from = 0): Promise<void> {
  const { records } = archive;
  const ref = records.refOf({ kind: 'measurements', name, datatype: 'd' });
  for (let at = from; at < from + count; at++) records.batch.number(ref, at, 0xc0, startUs + at * 1_000_000);
  records.added();
  await records.allStored();
}

/** Asks so often; what was given, and what was refused. Readings that wait are neither yet. */
function ask(times: number, clientOf: (at: number) => unknown, signal?: AbortSignal, request: ReadRequest = endless) {
  const given: QueryResult[] = [];
  const problems: string[] = [];
  for (let at = 0; at < times; at++) {
    archive.read(request, { client: clientOf(at), signal }).then(
      (query) => given.push(query),
      (error: { problem: string }) => problems.push(error.problem),
    );
  }
  return { given, problems };
}

async function answerOf(reader: ArchiveReader): Promise<string> {
  const query = await archive.read({ ...plain, limit: 1 }, reader);
  return String(query.takeWhole()?.bytes);
}

const short = '{"level":[["d0",[1750000000,0],192]]}';

describe('queries that nobody takes', () => {
  test('are 1,500 of endless answers: few are under way, with a few pages, and a short one is answered', async () => {
    const { given, problems } = ask(1500, (at) => at);
    await until('each is under way, waits or is refused', async () => {
      return given.length + archive.queries.queued + problems.length === 1500 && archive.queries.queued < 50;
    });
    const { underWay, queued, refused, pages } = archive.queries;
    assert.deepEqual([given.length, queued, underWay], [16, 48, 16]);
    assert.equal(refused, 1500 - 64);
    assert.ok(problems.every((problem) => problem === 'overloaded'));
    assert.ok(pages <= 16 * 2, `${pages} pages`);
    assert.equal(await answerOf({ client: 'another' }), short);
    for (const query of given) query.cancel();
    await until('those that waited go on', async () => given.length === 32);
    assert.equal(archive.queries.queued, 32);
  });

  test('give way after a while, where others wait', async () => {
    const { given } = ask(20, (at) => at);
    await until('some wait', async () => given.length === 16 && archive.queries.queued === 4);
    clock.advance(4000);
    assert.deepEqual([given.length, archive.queries.underWay], [16, 16]);
    clock.advance(2000);
    await until('those that waited go on', async () => given.length === 20);
    const broken = given[0]?.[Symbol.asyncIterator]();
    await assert.rejects(async () => broken?.next(), { problem: 'overloaded' });
  });

  test('of one client hold up that client alone', async () => {
    const { given, problems } = ask(70, () => 'greedy');
    await until('each is under way, waits or is refused', async () => {
      return given.length === 4 && archive.queries.queued === 16 && problems.length === 50;
    });
    const other = await archive.read(endless, { client: 'another' });
    assert.equal(archive.queries.queued, 16);
    other.cancel();
  });

  test('are forgotten when their client goes while they wait', async () => {
    const leaving = new AbortController();
    const { given, problems } = ask(20, () => 'one', leaving.signal);
    await until('most wait', async () => given.length === 4 && archive.queries.queued === 16);
    leaving.abort();
    await until('they are gone', async () => problems.length === 16);
    assert.deepEqual([archive.queries.queued, archive.queries.underWay], [0, 4]);
  });
});

test('queries without a page yet end with their client, those included that are let in by the end of others', async () => {
  const { records } = archive;
  const ref = records.refOf({ kind: 'alarms', name: 'high', datatype: 's' });
  records.batch.text(ref, packAlarm({ state: 'INACT_ACK', description: '', authority: 'trigger' }), 0, startUs);
  await records.allStored();
  // Looks for an active one at each microsecond of a day.
  const silent: ReadRequest = { ...endless, kind: 'alarms', names: ['high'], activeOnly: true };
  const leaving = new AbortController();
  const inside = ask(4, () => 'one', leaving.signal, silent);
  await until('they are under way', async () => archive.queries.underWay === 4);
  assert.equal(await answerOf({ client: 'another' }), short); // who came before has had a first turn
  const queued = ask(16, () => 'one', leaving.signal, silent);
  assert.deepEqual([archive.queries.underWay, archive.queries.queued], [4, 16]);
  leaving.abort();
  assert.equal(await answerOf({ client: 'another' }), short);
  assert.deepEqual([inside.problems.length, queued.problems.length], [4, 16]);
  assert.deepEqual([archive.queries.underWay, archive.queries.queued], [0, 0]);
});

describe('plain queries of many records that nobody takes', () => {
  const many = { ...plain, names: ['many'] };
  beforeEach(() => store('many', 50_000)); // 1.5 MB of JSON, which no first page has room for

  test('hold one page each while they wait, and a few where they go on', async () => {
    const { given, problems } = ask(100, (at) => at, undefined, many);
    await until('each is under way, waits or is refused', async () => {
      const { queued, pages } = archive.queries;
      return given.length === 16 && queued + problems.length === 84 && queued <= 48 && pages === 16 * 2 + queued;
    });
    const { underWay, queued, pages } = archive.queries;
    assert.deepEqual([underWay, queued, problems.length, pages], [64, 48, 36, 16 * 2 + 48]);
    assert.ok(problems.every((problem) => problem === 'overloaded'));
    assert.equal(await answerOf({ client: 'another' }), short);
  });

  test('hold nothing any more when their clients are gone, those that wait included', async () => {
    const leaving = new AbortController();
    const { given, problems } = ask(30, (at) => at, leaving.signal, many);
    await until('some wait', async () => given.length === 16 && archive.queries.queued === 14);
    leaving.abort();
    await until('those that waited are gone', async () => problems.length === 14);
    assert.deepEqual([archive.queries.underWay, archive.queries.queued], [16, 0]);
    for (const query of given) query.cancel();
    assert.deepEqual([archive.queries.underWay, archive.queries.pages], [0, 0]);
    const whole = await archive.read(many);
    let bytes = 0;
    for await (const page of whole) bytes += page.length;
    assert.ok(bytes > 1_000_000, `${bytes} bytes`);
  });
});

test('queries of records that are still in memory hold copies of 32 MiB at most, and short ones go on beside them', async () => {
  for (let from = 0; from < 300_000; from += 50_000) await store('new', 50_000, from); // 18 bytes a record
  const recent = { ...plain, names: ['new'], untilUs: startUs + 300_000_000_000 };
  const { given, problems } = ask(30, (at) => at, undefined, recent);
  const fit = Math.floor((32 << 20) / (300_000 * 18));
  await until('each is under way or refused', async () => given.length + problems.length === 30);
  assert.deepEqual([given.length, new Set(problems)], [fit, new Set(['overloaded'])]);
  assert.equal(await answerOf({ client: 'another' }), short);
  for (const query of given) query.cancel();
  const again = await archive.read(recent);
  again.cancel();
});

test('those of a machine with many connections leave room for who proves to be somebody', async () => {
  const given: QueryResult[] = [];
  for (let connection = 0; connection < 300; connection++) {
    archive.read(endless, { client: '127.0.0.1', connection }).then(
      (query) => given.push(query),
      () => undefined,
    );
  }
  await until('they are under way, or wait', async () => given.length === 12 && archive.queries.queued === 36);
  const query = await archive.read(endless, { client: 'module', connection: 300 });
  query.cancel();
  assert.deepEqual([archive.queries.underWay, archive.queries.queued], [12, 36]);
});

test('one that is long by what is asked has no first turn: while it waits, nothing is made of it', async () => {
  const { given } = ask(20, (at) => at);
  await until('some wait', async () => given.length === 16 && archive.queries.queued === 4);
  assert.equal(archive.queries.underWay, 16);
  for (const query of given) query.cancel();
  await until('those that waited go on', async () => given.length === 20);
});

test('an endless answer is made page by page, as it is taken', async () => {
  const query = await archive.read(endless);
  let bytes = 0;
  for await (const page of query) {
    bytes += page.length;
    assert.ok(archive.queries.pages <= 2);
    if (bytes > 20 << 20) break;
  }
  assert.deepEqual([archive.queries.underWay, archive.queries.pages], [0, 0]);
});
