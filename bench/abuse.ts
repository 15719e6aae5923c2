// What one hostile client can do to another: how much longer than on an idle server somebody waits for a measurement while
// each attack goes on, how long the refusals are, and how much memory the server takes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { hasProcMemory, peakBytes } from '../test/process-memory.ts';
import { startServer } from '../test/server-process.ts';
import { atMost, type Benchmark, type Result, type Say } from './measure.ts';
import { connector, measurements, plantSize, putAll } from './plant.ts';
import { post } from './server.ts';

const mostWaitMs = 50;
const mostRefusalBytes = 4096;
const mostMegabytes = 512;
/** Of 100,000 points, beyond what they take: some copies of the collection. */
const mostLargeMegabytes = 200;
const settleMs = 2000;
const idleMs = 2000;
/** After the attack, until what it left to do is done. */
const afterMs = 500;

const measurement = '/data/measurements/tank1_level';
const pointOfLarge = `/data/measurements/${measurements(1)[0]?.name}`;
const archive = '/data/archive/measurements/tank1_level/-60/0';

interface Row {
  readonly attack: string;
  readonly title: string;
  /** What the other client reads. */
  readonly path?: string;
  /** Run by the shell before the server. */
  readonly prelude?: string;
  /** How long the server may tolerate it, of what comes too slowly. */
  readonly mostLifeMs?: number;
  /** With a plant of 100,000 points in the place of the demo plant: what is asked for, it has. */
  readonly isLarge?: true;
}

const rows: readonly Row[] = [
  { attack: 'channel-100k-keys', title: 'a channel message of 100,000 unknown keys' },
  { attack: 'channel-600k-keys', title: 'a channel message of 600,000 unknown keys' },
  { attack: 'transaction-600k-keys', title: 'a transaction of 600,000 unknown keys' },
  { attack: 'transaction-51-mb', title: 'a transaction of 51 MB of unknown keys' },
  { attack: 'fields-of-commas', title: 'fields= and 250,000 commas' },
  { attack: 'fields-of-commas-6', title: 'the same, six at once' },
  { attack: 'fields-cross-site', title: 'the same from a foreign page' },
  { attack: 'parameters-40k', title: '40,000 unknown query parameters, six at once' },
  { attack: 'parameters-40k-nowhere', title: 'the same where there is no route' },
  { attack: 'pipelining', title: '20 connections pipeline 3,000 reads and take nothing' },
  { attack: 'bodies', title: '25 bodies of 60 MB at once' },
  { attack: 'archive-unread', title: '1,500 unread archive queries' },
  { attack: 'archive-unread', title: 'the same, for another reader of the archive', path: archive },
  { attack: 'channel-unended', title: '60 channel messages of 8 MB without their end' },
  { attack: 'headers-unended', title: '1,900 headers of 250 KB without their end' },
  { attack: 'idle-sockets', title: '600 idle sockets with ulimit -n 400', prelude: 'ulimit -n 400' },
  { attack: 'trickling-body', title: 'a body that trickles', mostLifeMs: 15_000 },
  { attack: 'trickling-headers', title: 'headers that trickle', mostLifeMs: 15_000 },
  { attack: 'idle-socket', title: 'an idle connection', mostLifeMs: 30_000 },
  { attack: 'read-all', title: 'ReadMeasurements of 100,000 points', isLarge: true },
  { attack: 'read-all-20', title: 'the same, by 20 clients', isLarge: true },
  { attack: 'read-fields-6', title: 'the same with fields, by six clients', isLarge: true },
  { attack: 'read-names', title: 'the same with 100,000 names', isLarge: true },
  { attack: 'read-database', title: 'ReadDatabase of 100,000 points', isLarge: true },
  { attack: 'get-all', title: 'GET /measurements/ of 100,000 points, six at once', isLarge: true },
  { attack: 'get-fields', title: 'the same with fields', isLarge: true },
  { attack: 'watch-all', title: 'a watch of all 100,000 points, and the end of the client', isLarge: true },
  { attack: 'watch-names', title: 'a watch of 100,000 names, and the end of the client', isLarge: true },
  { attack: 'unwatch-one', title: 'a watch of all, then the end of the watch of one', isLarge: true },
  { attack: 'unwatch-all', title: 'a watch of 100,000 names, then the end of the watch', isLarge: true },
];

export const abuse: Benchmark = {
  name: 'abuse',
  title: 'GET /measurements/:name while another client attacks, the demo plant or 100,000 points running',
  async run(say) {
    const results: Result[] = [];
    await using cleanup = new AsyncDisposableStack();
    const large = await largePlant(cleanup);
    for (const row of rows) results.push(...(await measure(row, large, say)));
    const held = results.filter(({ holds }) => holds === true).length;
    say(`${held} of ${results.length} bounds hold`);
    return results;
  },
};

/** A data folder in which it is configured. */
async function largePlant(cleanup: AsyncDisposableStack): Promise<string> {
  const data = temporaryFolder(cleanup);
  await using running = new AsyncDisposableStack();
  const server = await startServer(running, { data });
  await server.send('PUT', `/connectors/${connector.name}`, connector);
  await post(`${server.config}/cfgdb/txn?render=1`, putAll(measurements(plantSize)));
  return data;
}

async function measure(row: Row, large: string, say: Say): Promise<Result[]> {
  const { attack, title, prelude, mostLifeMs, isLarge = false } = row;
  const path = row.path ?? (isLarge ? pointOfLarge : measurement);
  await using cleanup = new AsyncDisposableStack();
  const data = isLarge ? large : temporaryFolder(cleanup);
  const args = isLarge ? [] : ['--demo'];
  const server = await startServer(cleanup, { data, args, ...(prelude && { prelude }) });
  const attacker = cleanup.use(new Attacker(attack, server.url));
  await attacker.ready();
  await wait(settleMs);
  const idle = await longestWaitMs(server.url + path, wait(idleMs));
  if (hasProcMemory) writeFileSync(`/proc/${server.pid}/clear_refs`, '5'); // the peak counts from here on
  const idleBytes = isLarge ? (peakBytes(server.pid) ?? 0) : 0;
  const doing = attacker.go();
  const during = await longestWaitMs(
    server.url + path,
    doing.then(() => wait(afterMs)),
  );
  const answered = await doing;
  const megabytes = ((peakBytes(server.pid) ?? 0) - idleBytes) / 1e6;
  const beyond = Math.max(0, during - idle);
  const refusals = 'lifeMs' in answered ? [] : answered.filter(({ status }) => status >= 400);
  const refusalBytes = Math.max(0, ...refusals.map(({ bytes }) => bytes));
  const life = 'lifeMs' in answered ? `, lived ${(answered.lifeMs / 1000).toFixed(1)} s` : '';
  say(
    `${title}: ${beyond.toFixed(0)} ms longer than idle (${idle.toFixed(0)} ms), ${summary(answered)}` +
      `, ${megabytes.toFixed(0)} MB${isLarge ? ' more' : ''}${life}`,
  );
  const memoryResult = isLarge
    ? atMost(`${title}: MB beyond idle`, megabytes, mostLargeMegabytes)
    : atMost(`${title}: MB of the server`, megabytes, mostMegabytes);
  return [
    atMost(`${title}: ms beyond idle`, beyond, mostWaitMs),
    ...(refusals.length === 0 ? [] : [atMost(`${title}: bytes of a refusal`, refusalBytes, mostRefusalBytes)]),
    ...(hasProcMemory ? [memoryResult] : []),
    ...('lifeMs' in answered && mostLifeMs !== undefined
      ? [atMost(`${title}: s until it is closed`, answered.lifeMs / 1000, mostLifeMs / 1000)]
      : []),
  ];
}

type Outcome = readonly { readonly status: number; readonly bytes: number }[] | { readonly lifeMs: number };

function summary(outcome: Outcome): string {
  if ('lifeMs' in outcome || outcome.length === 0) return 'no answers taken';
  const byStatus = Map.groupBy(outcome, ({ status }) => status);
  return [...byStatus]
    .map(
      ([status, all]) =>
        `${all.length} × ${status || 'cut off'} of ${Math.max(...all.map(({ bytes }) => bytes))} bytes`,
    )
    .join(', ');
}

/** The process that attacks: it has made everything ready before it is told to go. */
class Attacker {
  readonly #child;
  readonly #lines;
  readonly #ended;

  constructor(attack: string, url: string) {
    const file = fileURLToPath(new URL('./abuse-attacks.ts', import.meta.url));
    this.#child = spawn(process.execPath, [file, attack, url], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#ended = once(this.#child, 'close');
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async ready(): Promise<void> {
    if ((await this.#lines.next()).value !== 'ready') throw new Error('the attacker did not get ready');
  }

  async go(): Promise<Outcome> {
    this.#child.stdin.end('go\n');
    const { value } = await this.#lines.next();
    if (value === undefined) throw new Error('the attacker ended before its attack was over');
    return JSON.parse(value) as Outcome;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}

/** Asks again and again until `over`, one request after the other. */
async function longestWaitMs(url: string, over: Promise<unknown>): Promise<number> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  let isOver = false;
  const stop = () => {
    isOver = true;
  };
  over.then(stop, stop);
  let longest = 0;
  while (!isOver) {
    const start = performance.now();
    await ask(url, agent);
    longest = Math.max(longest, performance.now() - start);
    await wait(2);
  }
  agent.destroy();
  return longest;
}

/** Once more where the connection made room for another in the meantime, as any client does. */
async function ask(url: string, agent: http.Agent, isAgain = false): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      const request = http.get(url, { agent }, (response) => {
        response.resume().once('end', resolve).once('error', reject);
        if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      });
      request.once('error', reject);
    });
  } catch (error) {
    if (isAgain || (error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    await ask(url, agent, true);
  }
}
