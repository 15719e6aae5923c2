// Two thousand clients that connect at once and watch a hundred measurements each.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { countersArgs, makeCounters, tick } from './counters-plant.ts';
import { hasProcMemory } from './process-memory.ts';
import { startServer } from './server-process.ts';
import { until } from './until.ts';
import { WatchingProcess } from './watching-process.ts';

const [clients, points, each] = [2000, 10_000, 100];
const ticks = 5;
/** The server takes so many clients of the channel where it may open this many files. */
const files = 2 * clients;
const prelude = `ulimit -n ${files} 2>/dev/null || ulimit -n $(ulimit -Hn)`;
const wantedMs = 5000;

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);

function mostFiles(): number {
  try {
    const limit = execFileSync('sh', ['-c', `${prelude}; ulimit -n`], { encoding: 'utf8' }).trim();
    return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return 0;
  }
}

function residentBytes(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return Number(kibibytes) * 1024;
}

const limit = mostFiles();
const skip = limit < files ? `this machine allows ${limit} open files a process, ${files} are needed` : false;

test(`${clients} clients that connect at once are all served, with the present values and every change`, {
  skip,
}, async (t) => {
  const server = await startServer(t, { data: folder, args: countersArgs, prelude });
  await makeCounters(server, { points, periodMs: 1000, alarms: [] });
  await until('the counters are linked', async () => (await tick(server, 0)) === 204);
  const watching = new WatchingProcess(t, prelude);
  const before = hasProcMemory ? residentBytes(server.pid) : 0;
  const { elapsedMs } = await watching.watch({ url: server.url, clients, points, each, atOnce: 200 });
  const present = await watching.seeAll(0);
  assert.deepEqual([present.gaps, present.updates], [0, clients * each]);
  const after = hasProcMemory ? residentBytes(server.pid) : 0;

  const seeing = watching.seeAll(ticks);
  assert.equal(await tick(server, ticks), 204);
  const { gaps, updates, p99Ms } = await seeing;
  assert.deepEqual([gaps, updates], [0, clients * each * (1 + ticks)]);
  console.log(
    `${clients} clients connected and watching after ${Math.round(elapsedMs)} ms (wanted: ${wantedMs}); ` +
      `${((after - before) / 1024 / clients).toFixed(1)} KiB resident a client; ` +
      `p99 from a change of all ${points} points to a client: ${p99Ms} ms`,
  );
});
