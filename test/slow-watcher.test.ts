// A client that watches and never reads, beside clients that do: what it costs the server and the others, and what it
// is told when it reads again.
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { ChannelSocket } from './channel-socket.ts';
import { counterName, counterNumber, countersArgs, makeCounters, tick } from './counters-plant.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';
import { WatchingProcess } from './watching-process.ts';

const MiB = 1 << 20;
/** 20,000 updates a second, for 50 clients. */
const [points, periodMs, clients] = [1000, 50, 50];
const [warmUpTicks, aloneTicks, besideTicks, catchUpTicks] = [60, 160, 240, 60];
const alarms = ['a0', 'a1', 'a2', 'a3', 'a4'];
/** What a client that does not keep up may cost. */
const mostBytes = 8 * MiB;
/** What counting may err by: of Buffers, those of messages under way; of the heap, compiled code that comes and goes. */
const [bufferTolerance, heapTolerance] = [1 * MiB, 8 * MiB];
const wantedFactor = 2;
const mostFactor = 5;

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
const memoryFile = join(folder, 'memory');

interface Memory {
  readonly residentBytes: number;
  readonly heapBytes: number;
  /** Buffers, above all: what waits for clients. */
  readonly externalBytes: number;
}

async function memoryOf(server: ServerProcess): Promise<Memory> {
  rmSync(memoryFile, { force: true });
  process.kill(server.pid, 'SIGUSR2');
  return until('the server tells its memory', async () => {
    try {
      return JSON.parse(readFileSync(memoryFile, 'utf8'));
    } catch {
      return undefined;
    }
  });
}

/** The client that does not read, and what it was sent. */
class SlowClient {
  readonly values = new Map<number, number>();
  readonly authorities: string[] = [];
  delivered = 0;
  skipped = 0;
  backwards = 0;
  #isPresent = true;

  take(message: Buffer): void {
    const reported = JSON.parse(message.toString());
    if (reported.notification === 'AlarmStateChangeNotification') {
      for (const { authority } of reported.changes) if (authority !== '') this.authorities.push(authority);
      return;
    }
    for (const { name, vtq } of reported.updates) {
      const [number, value] = [counterNumber(name), Number(vtq[0].slice(1))];
      if (value <= (this.values.get(number) ?? -1)) this.backwards++;
      this.values.set(number, value);
    }
    if (this.#isPresent) this.#isPresent = false;
    else this.delivered += reported.updates.length;
    this.skipped += reported.skipped ?? 0;
  }
}

test('a client that never reads costs 8 MiB at most and the others nothing, and loses no alarm', async (t) => {
  const preload = new URL('./report-memory.ts', import.meta.url).href;
  const env = { NODE_OPTIONS: `--expose-gc --import ${preload}`, MEMORY_FILE: memoryFile };
  const server = await startServer(t, { data: join(folder, 'data'), args: countersArgs, env });
  await makeCounters(server, { points, periodMs, alarms });
  await until('the counters are linked', async () => (await tick(server, 0)) === 204);
  const healthy = new WatchingProcess(t);
  await healthy.watch({ url: server.url, clients, points, each: points, atOnce: clients });
  let ticks = 0;
  const run = async (more: number) => {
    ticks += more;
    const seen = healthy.seeAll(ticks);
    assert.equal(await tick(server, more), 204);
    return seen;
  };
  await run(warmUpTicks);
  const alone = await run(aloneTicks);
  const memoryAlone = await memoryOf(server);

  const slow = new SlowClient();
  const channel = await ChannelSocket.open(server.url, (message) => slow.take(message));
  await channel.ask({ request: 'WatchAlarms', alarms: 'all' });
  const names = Array.from({ length: points }, (_, number) => counterName(number));
  await channel.ask({ request: 'WatchMeasurements', measurements: names });
  await until('it has the present values', async () => slow.values.size === points);
  channel.pause();
  const running = run(besideTicks);
  const authorities = await operateAlarms(server, 300);
  const beside = await running;
  const memoryBeside = await memoryOf(server);

  const cost = (of: keyof Memory) => memoryBeside[of] - memoryAlone[of];
  const inMiB = (of: keyof Memory) => (cost(of) / MiB).toFixed(1);
  const factor = beside.p99Ms / alone.p99Ms;
  console.log(
    `cost of the slow client in MiB: ${inMiB('externalBytes')} of Buffers, ${inMiB('heapBytes')} of heap, ` +
      `${inMiB('residentBytes')} resident; ` +
      `p99 of the others: ${alone.p99Ms} ms without it, ${beside.p99Ms} ms with it, a factor of ${factor.toFixed(2)} ` +
      `(wanted: at most ${wantedFactor}); p50: ${alone.p50Ms} ms, ${beside.p50Ms} ms`,
  );
  assert.ok(cost('externalBytes') <= mostBytes + bufferTolerance, `${cost('externalBytes')} bytes of Buffers`);
  const whole = cost('externalBytes') + cost('heapBytes');
  assert.ok(whole <= mostBytes + bufferTolerance + heapTolerance, `${whole} bytes`);
  assert.ok(factor <= mostFactor, `the others wait ${factor} times as long`);

  const catchingUp = run(catchUpTicks);
  channel.resume();
  const { gaps, updates } = await catchingUp;
  assert.deepEqual([gaps, updates], [0, clients * points * (1 + ticks)], 'the others missed changes');
  await until('it has the newest value of everything', async () =>
    [...slow.values.values()].every((value) => value === ticks),
  );
  await until('it has every alarm', async () => slow.authorities.length >= authorities.length);
  assert.deepEqual(slow.authorities, authorities);
  assert.ok(slow.skipped > 0, 'nothing was skipped');
  assert.equal(slow.delivered + slow.skipped, (besideTicks + catchUpTicks) * points);
  assert.equal(slow.backwards, 0, 'a value was told after a newer one');
  await channel.close();
});

/** One transition after the other, each with an authority of its own. */
async function operateAlarms(server: ServerProcess, transitions: number): Promise<string[]> {
  const opcodes = ['activate', 'acknowledge', 'deactivate'];
  const authorities: string[] = [];
  for (let number = 0; number < transitions; number++) {
    const name = alarms[Math.floor(number / opcodes.length) % alarms.length];
    const authority = `op${number}`;
    const path = `/data/alarms/${name}/${opcodes[number % opcodes.length]}?authority=${authority}`;
    const response = await fetch(server.url + path, { method: 'POST' });
    assert.equal(response.status, 204, await response.text());
    authorities.push(authority);
  }
  return authorities;
}
