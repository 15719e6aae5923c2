// Gaps that are filled from the history of a server: a provider of this stack, whose archive the test plays.
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type Batch, systemClock } from '@telltale/schema';
import { type ConnectorHistory, type LastRecorded, Refused } from '@telltale/stack-kit';
import { connectorOptions, until } from '@telltale/stack-kit/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { createConnector } from '../src/connector.ts';
import { GapList } from '../src/gap-list.ts';
import stack from '../src/stack.ts';
import { historyOf, record } from './history-in-memory.ts';
import { point, Served } from './served.ts';

type Scope = Parameters<typeof Served.start>[0];
type Published = [value: number | undefined, quality: number, timeUs: number];

/** A connector to a server with the variables `level`, which has a history, and `plain`, which has none. */
async function bench(t: Scope, last: (round: number) => LastRecorded | undefined, vars: Record<string, string> = {}) {
  const served = await Served.start(t, [{ ...point(1, 'level', 'd'), isArchived: true }, point(2, 'plain', 'd')], [], {
    anonymous: 'true',
  });
  const published: Published[][] = [];
  const log: string[] = [];
  const state = { isFailing: false, batches: Number.POSITIVE_INFINITY, asked: 0 };
  const history: ConnectorHistory = {
    publish: async (batch: Batch) => {
      if (state.isFailing || published.length >= state.batches) throw new Refused('the disk is full');
      const { count } = batch;
      published.push(
        Array.from({ length: count }, (_, at): Published => {
          return [batch.valueAt(at) as number | undefined, batch.qualities[at] ?? 0, batch.times[at] ?? 0];
        }),
      );
      return { stored: count, dropped: 0 };
    },
    lastRecorded: async (points) => {
      state.asked++;
      return points.map(() => last(state.asked));
    },
  };
  const url = { endpointUrl: `opc.tcp://127.0.0.1:${served.port}/telltale`, securityMode: 'None' };
  const read = stack.connector?.readVariables({ ...url, ...vars });
  const say = (text: string) => log.push(text);
  const folder = temporaryFolder(t);
  const measurement = (id: number, name: string) => {
    return { id, name, address: `ns=2;s=At.${name}`, datatype: 'd' as const, properties: {} };
  };
  const start = () => {
    const started = createConnector(
      connectorOptions({
        variables: read?.values as Parameters<typeof createConnector>[0]['variables'],
        folder,
        log: { debug: say, info: say, warn: say, error: say },
        history,
      }),
    );
    cleanupOf(t).defer(() => started.close());
    started.setPoints({ measurements: [measurement(1, 'level'), measurement(2, 'plain')], commands: [] });
    return started;
  };
  let connector = start();
  /** A link, until the condition holds. */
  const link = async (what: string, isReached: () => boolean) => {
    const controller = new AbortController();
    await connector.connect(controller.signal);
    const running = connector.run(controller.signal);
    try {
      await until(what, async () => isReached());
    } finally {
      controller.abort();
      await running;
      await connector.close();
    }
  };
  /** Of what the connector knew, there is what is in its folder. */
  const restart = () => {
    connector = start();
  };
  return { served, published, log, state, link, restart, folder };
}

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const hasFilled = (log: readonly string[]) => log.some((line) => line.startsWith('history: the gaps of 1 points'));

describe('a gap', () => {
  test('is filled with what the server has kept, and the value of before the loss is in force again right after it', async (t) => {
    const nowUs = systemClock.now();
    const at = (seconds: number) => Math.floor(nowUs / 1e6) * 1e6 - 60_000_000 + seconds * 1_000_000;
    const { served, published, log, link } = await bench(t, () => ({ newestUs: at(20), soundUs: at(10) }));
    served.history = historyOf([
      record(at(5), 5),
      record(at(10), 10),
      record(at(25), 25, 0x18),
      record(at(30), 30),
      record(nowUs + 3_600_000_000, 99),
    ]);
    await link('it is filled', () => hasFilled(log));
    assert.deepEqual(published.flat(), [
      [10, 0xc0, at(10)],
      [10, 0xc0, at(20) + 1],
      [25, 0x18, at(25)],
      [30, 0xc0, at(30)],
    ]);
    assert.equal(log.filter((line) => line.startsWith('history')).length, 1, log.join('\n'));
  });

  test('is given up where the server goes on for ever with the same page', async (t) => {
    const nowUs = Math.floor(systemClock.now() / 1e6) * 1e6;
    const { served, published, log, link } = await bench(t, () => ({ newestUs: nowUs - 9e6, soundUs: undefined }));
    const records = Array.from({ length: 1000 }, (_, index) => record(nowUs - 8e6 + index * 1000, index));
    const cursor = { timeUs: nowUs - 7_001_000, skip: 1 };
    served.history = { ...historyOf([]), read: async () => ({ records, cursor }) };
    await link('it is given up', () => log.some((line) => /level: the server goes on without an end/.test(line)));
    assert.ok(published.length > 0 && published.length <= 20, `${published.length} pages`);
  });

  test('is filled whole though the server gives a time of another century between two pages', async (t) => {
    const nowUs = Math.floor(systemClock.now() / 1e6) * 1e6;
    const { served, published, log, link } = await bench(t, () => ({ newestUs: nowUs - 9e6, soundUs: undefined }));
    const first = Array.from({ length: 999 }, (_, index) => record(nowUs - 8e6 + index, index));
    const cursor = { timeUs: nowUs - 8e6, skip: 1 };
    const second = [record(nowUs - 7e6, 1000)];
    served.history = {
      ...historyOf([]),
      read: async (_, asked) =>
        asked.cursor === undefined
          ? { records: [...first, record(nowUs + 3e15)], cursor }
          : { records: second, cursor: undefined },
    };
    await link('it is filled', () => hasFilled(log));
    assert.deepEqual(
      published.flat().map(([value]) => value),
      [...first, ...second].map(({ value }) => value),
    );
  });

  test('of many records is filled page by page, no further back than it may', async (t) => {
    const nowUs = systemClock.now();
    const hourUs = 3_600_000_000;
    const { served, published, log, link } = await bench(
      t,
      () => ({ newestUs: nowUs - 5 * hourUs, soundUs: undefined }),
      {
        backfillMaxHours: '1',
      },
    );
    const all = Array.from({ length: 2500 }, (_, index) =>
      record(Math.floor(nowUs / 1000) * 1000 - 2_500_000 + index * 1000, index),
    );
    served.history = historyOf([record(nowUs - 2 * hourUs, -1), ...all]);
    await link('it is filled', () => hasFilled(log));
    assert.deepEqual(
      published.map(({ length }) => length),
      [1000, 1000, 500],
    );
    assert.deepEqual(
      published.flat().map(([value]) => value),
      all.map(({ value }) => value),
    );
  });

  test('that could not be filled is filled after the next link', async (t) => {
    const nowUs = Math.floor(systemClock.now() / 1000) * 1000;
    const last = (round: number) => (round === 1 ? { newestUs: nowUs - 10_000, soundUs: nowUs - 10_000 } : undefined);
    const { served, published, log, state, link } = await bench(t, last);
    served.history = historyOf([record(nowUs - 5000, 7)]);
    state.isFailing = true;
    await link('it fails', () => log.some((line) => line.includes('cannot be filled now: the disk is full')));
    state.isFailing = false;
    await link('it is filled', () => hasFilled(log));
    assert.deepEqual(published.flat(), [[7, 0xc0, nowUs - 5000]]);
  });

  test('that a restart cuts is filled after it, from where it was, though newer values are in the archive by then', async (t) => {
    const nowUs = Math.floor(systemClock.now() / 1000) * 1000;
    const at = (ms: number) => nowUs - 60_000_000 + ms * 1000;
    // After the restart, the newest record is a live one.
    const last = (round: number) => {
      return round === 1 ? { newestUs: at(500), soundUs: at(0) } : { newestUs: systemClock.now(), soundUs: undefined };
    };
    const { served, published, log, state, link, restart, folder } = await bench(t, last);
    const all = Array.from({ length: 2500 }, (_, index) => record(at(index), index));
    served.history = historyOf(all);
    const restated = [500, 0xc0, at(500) + 1] as Published;
    for (const batches of [0, 1]) {
      state.batches = batches;
      log.length = 0;
      await link('it is cut', () => log.some((line) => line.includes('cannot be filled now: the disk is full')));
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.startsWith('history')),
        ['history-gaps.json'],
      );
      restart();
    }
    assert.equal(published.length, 1);
    state.batches = Number.POSITIVE_INFINITY;
    await link('it is filled', () => hasFilled(log));
    const times = all.map(({ value, timeUs }): Published => [value as number, 0xc0, timeUs]);
    assert.deepEqual(published.flat().slice(0, 502), [...times.slice(0, 501), restated]);
    const distinct = new Map(published.flat().map((each) => [each[2], each]));
    assert.equal(distinct.size, 2501, 'each once, and the one that was in force');
    // One value is read twice: that at which it was cut.
    assert.equal(published.flat().length, 2502);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('history')),
      [],
    );
  });

  test('whose file is damaged is forgotten, and the log says so', async (t) => {
    const folder = temporaryFolder(t);
    const log: string[] = [];
    for (const text of ['', '{}', '[1]', '[["d level ns=2;s=At.level",[[1,-1,null]]]]', '[["__proto__",[{}]]]']) {
      writeFileSync(join(folder, 'history-gaps.json'), text);
      const gaps = new GapList({
        folder,
        clock: systemClock,
        log: { ...quiet, warn: (line) => log.push(line) },
        maxHours: 1,
      });
      log.length = 0;
      await gaps.note([], []);
      assert.match(log.join(), /what was missing before the restart is not known/, text);
      assert.equal(gaps.size, 0);
    }
  });

  test('is left alone where that is switched off', async (t) => {
    const { log, state, link } = await bench(t, () => ({ newestUs: 1, soundUs: 1 }), { backfill: 'off' });
    let isOver = false;
    systemClock.after(1500, () => {
      isOver = true;
    });
    await link('a while has passed', () => isOver);
    assert.equal(state.asked, 0);
    assert.ok(!hasFilled(log));
  });
});
