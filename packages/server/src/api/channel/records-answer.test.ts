import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { type ChannelRequestFields, channelRequests, ProblemError, type ProblemName } from '@telltale/schema';
import { ArchiveBench } from '../../../test/archive-bench.ts';
import { openGate } from '../../../test/plain-http.ts';
import { localCaller } from '../../access/index.ts';
import { Slices } from '../../runtime/index.ts';
import { Backlog } from './backlog.ts';
import type { ChannelClient } from './channel-client.ts';
import { type GatheredRecords, mostAnswerBytes, RecordsAnswer } from './records-answer.ts';
import { RequestHandler, type RequestHandlerParts } from './request-handler.ts';
import type { Watches } from './watches.ts';

const MiB = 1 << 20;
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
const bench = new ArchiveBench();
const { archive } = bench;
const client = { isOpen: true, caller: localCaller, gone: () => new AbortController().signal };
const backlog = new Backlog();
const parts: RequestHandlerParts = {
  implementations: bench.implementations,
  watches: {} as Watches,
  slices: new Slices(),
  gate: openGate,
  records: new RecordsAnswer(backlog),
};
const asked = { archive: 'measurements', name: 'level', t_since: 1, t_until: 9 } as const;
type Fields = Partial<ChannelRequestFields<'ReadArchive'>>;

async function readBy(
  reader: object,
  fields: Fields = {},
  handler = new RequestHandler(channelRequests.ReadArchive, parts),
) {
  const { more } = await handler.handle(reader as ChannelClient, { ...asked, ...fields });
  return more?.records as GatheredRecords;
}

const read = (fields: Fields = {}) => readBy(client, fields);

/** Of an answer that is given back. */
async function text(fields: Fields = {}): Promise<string> {
  const { pieces, release } = await read(fields);
  release();
  return Buffer.concat(pieces).toString();
}

const isProblem = (name: ProblemName) => (error: unknown) => error instanceof ProblemError && error.problem === name;

beforeEach(() => {
  archive.script = undefined;
  archive.cancelled = 0;
  client.isOpen = true;
});

describe('the archive over the channel', () => {
  test('gives the list of records, of one name, whatever it is called', async () => {
    for (const name of ['level', '__proto__']) {
      archive.add({ kind: 'measurements', name, datatype: 'd' }, 1_000_000, 'd1');
      assert.equal(await text({ name }), '[["d1",[1,0],192]]');
    }
    assert.equal(await text({ name: 'of_s' }), '[]');
    await assert.rejects(read({ name: 'other' }), isProblem('unknown-object'));
    await assert.rejects(read({ name: 'no name"' }), isProblem('unknown-object'));
    await assert.rejects(read({ t_until: 0.5 }), isProblem('invalid-interval'));
  });

  test('hands the options on, and refuses those that do not go together', async () => {
    await text({ archive: 'alarms', name: 'high', active: true, limit: 3 });
    const { activeOnly, limit } = archive.requests.at(-1) ?? assert.fail();
    assert.deepEqual([activeOnly, limit], [true, 3]);
    await assert.rejects(read({ resample: 1, 'max-points': 9 }), isProblem('invalid-query'));
    await assert.rejects(
      read({ archive: 'alarms', name: 'high', resample: 1, aggregate: 'avg' }),
      isProblem('invalid-query'),
    );
  });

  test('refuses an answer that is too long, and ends the reading', async () => {
    archive.script = async function* () {
      for (;;) yield Buffer.alloc(1 << 20);
    };
    await assert.rejects(read(), isProblem('answer-too-long'));
    assert.equal(archive.cancelled, 1);
  });

  test('ends the reading of a client that is gone', async () => {
    archive.script = async function* () {
      yield Buffer.from('{"level":[');
      client.isOpen = false;
      for (;;) yield Buffer.from(' ');
    };
    await assert.rejects(read());
    assert.equal(archive.cancelled, 1);
  });

  test('ends the reading of a client that goes while it waits for a page', async () => {
    const leaving = new AbortController();
    archive.script = async function* () {
      yield Buffer.from('{"level":[');
      await new Promise(() => undefined);
    };
    const reading = readBy({ ...client, gone: () => leaving.signal });
    const refused = assert.rejects(reading, isProblem('malformed-request'));
    await nextTurn();
    leaving.abort();
    await nextTurn();
    assert.equal(archive.cancelled, 1);
    await refused;
  });

  test('gives the same list however the answer is cut into pages', async () => {
    const answer = '{"level":[["d1",[1,0],192]]}';
    for (let at = 0; at <= answer.length; at++) {
      archive.script = async function* () {
        yield Buffer.from(answer.slice(0, at));
        yield Buffer.from(answer.slice(at));
      };
      if (at < answer.length) assert.equal(await text(), '[["d1",[1,0],192]]', `cut at ${at}`);
    }
  });

  test('gathers no more than fits beside all that waits for clients, and goes on when answers were taken', async () => {
    archive.script = async function* () {
      yield Buffer.concat([Buffer.from('{"level":['), Buffer.alloc(mostAnswerBytes - 1000, ' '), Buffer.from(']}')]);
    };
    const answers = await Promise.all([read(), read()]);
    await assert.rejects(read(), isProblem('overloaded'));
    assert.equal(backlog.bytes, 2 * (mostAnswerBytes - 1000 + 12), 'what was refused is not held');
    for (const { release } of answers) release();
    (await read()).release();
    assert.equal(backlog.bytes, 0);
  });

  test('gathers two long answers at a time, one of a client, and the others behind them, beside short ones', async () => {
    let [underWay, most] = [0, 0];
    const turns = Array.from({ length: 6 }, () => Promise.withResolvers<void>());
    archive.script = async function* () {
      yield Buffer.from('{"level":[');
      yield Buffer.alloc(MiB, ' ');
      most = Math.max(most, ++underWay);
      await turns.shift()?.promise;
      underWay--;
      yield Buffer.from(']}');
    };
    const ends = turns.map(({ resolve }) => resolve);
    const readings = Array.from({ length: 6 }, () => readBy({ ...client }));
    while (underWay < 2) await nextTurn();
    archive.script = undefined;
    assert.equal(await text({ name: 'of_s' }), '[]');
    for (const end of ends) {
      end();
      await nextTurn();
    }
    for (const { release } of await Promise.all(readings)) release();
    assert.equal(most, 2);
  });

  test('lets one that waits go when its client does, and the next one in its place', async () => {
    archive.script = async function* () {
      yield Buffer.from('{"level":[');
      await nextTurn();
      yield Buffer.alloc(MiB, ' ');
      await nextTurn();
      yield Buffer.from(']}');
    };
    const leaving = new AbortController();
    const readings = [client, client, { ...client, gone: () => leaving.signal }, client].map((each) =>
      readBy({ ...each }),
    );
    leaving.abort();
    const settled = await Promise.allSettled(readings);
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    );
    for (const each of settled) if (each.status === 'fulfilled') each.value.release();
    assert.equal(backlog.bytes, 0);
  });

  test('erases', async () => {
    const handler = new RequestHandler(channelRequests.EraseArchive, parts);
    const erase = async (name: string) => handler.handle(client as ChannelClient, { ...asked, name });
    archive.add({ kind: 'measurements', name: 'level', datatype: 'd' }, 1_000_000, 'd1');
    await erase('level');
    assert.deepEqual(archive.records('measurements', 'level'), []);
    await assert.rejects(erase('other'), isProblem('unknown-object'));
  });

  test('is refused where there is none', async () => {
    const none = new RequestHandler(channelRequests.ReadArchive, { ...parts, implementations: {} });
    await assert.rejects(readBy(client, {}, none), isProblem('starting'));
  });
});
