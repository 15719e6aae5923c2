// Gaps that are filled from the history of a server: a provider of this stack, whose archive the test plays.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Batch, systemClock } from '@telltale/schema';
import { type ConnectorHistory, type LastRecorded, Refused } from '@telltale/stack-kit';
import { connectorOptions, until } from '@telltale/stack-kit/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { createConnector } from '../src/connector.ts';
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
  const state = { isFailing: false, asked: 0 };
  const history: ConnectorHistory = {
    publish: async (batch: Batch) => {
      if (state.isFailing) throw new Refused('the disk is full');
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
  const connector = createConnector(
    connectorOptions({
      variables: read?.values as Parameters<typeof createConnector>[0]['variables'],
      folder: temporaryFolder(t),
      log: { debug: say, info: say, warn: say, error: say },
      history,
    }),
  );
  const measurement = (id: number, name: string) => {
    return { id, name, address: `ns=2;s=At.${name}`, datatype: 'd' as const, properties: {} };
  };
  connector.setPoints({ measurements: [measurement(1, 'level'), measurement(2, 'plain')], commands: [] });
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
  cleanupOf(t).defer(() => connector.close());
  return { served, published, log, state, link };
}

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
