// The archive on a disk that takes nothing for a while: records wait, the oldest are dropped when there are too many, all
// are counted, and it recovers by itself.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { counterName, countersArgs, makeCounters, tick } from './counters-plant.ts';
import { disks, type Plant, plantOf } from './full-disk.ts';
import { startServer } from './server-process.ts';
import { until } from './until.ts';

const points = 200;
const name = counterName(0);

async function archived({ read }: Plant): Promise<number[]> {
  const found = await read<Record<string, [string, unknown, number][]>>(`/archive/measurements/${name}/1/0`);
  return (found[name] ?? []).map(([value]) => Number(value.slice(1)));
}

/** Everything that the archive was offered, by what became of it. */
async function outcomes({ figure }: Plant): Promise<Record<string, number>> {
  const of = (outcome: string) => figure(`archive_records_total\\{outcome="${outcome}"\\}`);
  const words = ['stored', 'dropped_no_room', 'dropped_invalid', 'suppressed_repeated', 'suppressed_no_value'];
  const others = ['suppressed_value_deadband', 'suppressed_time_deadband'];
  const found = await Promise.all([...words, ...others].map(async (word) => [word, await of(word)] as const));
  return { ...Object.fromEntries(found), pending: await figure('archive_waiting') };
}

const sum = (figures: Record<string, number>) => Object.values(figures).reduce((a, b) => a + b, 0);

describe('the archive on a disk that', () => {
  for (const [title, make] of Object.entries(disks)) {
    test(`${title} keeps records until there is room, drops the oldest where there are too many, and counts all`, async (t) => {
      const disk = make(t, 32);
      if (typeof disk === 'string') return t.skip(disk);
      const options = { data: disk.data, args: [...countersArgs, '--archive-buffer', '1000'] };
      const server = await startServer(t, options);
      await makeCounters(server, { points, periodMs: 1, alarms: [], archMode: 'change' });
      const live = plantOf(server);
      await until('the first value is archived', async () => (await archived(live)).includes(0));

      disk.fill(server);
      const filled = performance.now();
      const answer = await fetch(`${server.url}/data/archive/measurements/${counterName(1)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(Array.from({ length: 1000 }, (_, at) => [`i${at}`, [1_600_000_000 + at, 0], 192])),
      });
      assert.equal(answer.status, 503);
      t.diagnostic(`an import was answered after ${Math.round(performance.now() - filled)} ms`);
      await tick(server, 40); // its own value is not on disk, which it says
      await until('the archive notices', async () => (await live.figure('archive_failing')) === 1);
      t.diagnostic(`it noticed after ${Math.round(performance.now() - filled)} ms`);
      assert.equal((await live.ask('GET', '/readyz')).status, 503);
      // By the archive, or by the audit trail on the same disk, whichever notices first.
      assert.ok((await live.ask('DELETE', `/data/archive/measurements/${name}/1/0`)).status >= 500);
      await tick(server, 400);
      await until('the last value is live', async () => {
        return (await live.read<{ vtq: [string] }>(`/measurements/${name}`)).vtq[0] === 'i440';
      });
      const failing = await outcomes(live);
      assert.ok((failing.dropped_no_room ?? 0) > 0);
      assert.equal(await live.figure('archive_offered_total'), sum(failing));

      disk.free(server);
      await until('/readyz is well again', async () => (await live.ask('GET', '/readyz')).status === 200);
      await until('nothing waits', async () => (await live.figure('archive_waiting')) === 0);
      const figures = await outcomes(live);
      assert.equal(await live.figure('archive_offered_total'), sum(figures));
      assert.equal(figures.dropped_no_room, failing.dropped_no_room);
      assert.equal(figures.stored, (await live.read<{ records: number }>('/archive/stats')).records);
      const values = await archived(live);
      assert.deepEqual([values[0], values.at(-1)], [0, 440]);

      const { stdout, stderr } = await server.end('SIGKILL');
      const reported = `${stdout}${stderr}`.match(/\d+ records were discarded/g) ?? [];
      assert.equal(reported.length, 1, 'dropping is told, and not again and again');
      assert.deepEqual((await archived(plantOf(await startServer(t, options)))).slice(0, values.length), values);
    });
  }
});
