// From the command to the first answer: an empty server beside bare Fastify, from a build that was there, was not
// compiled, or was not there; and a server with many configured objects.
import { existsSync, globSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { startServer } from '../test/server-process.ts';
import { withChild } from './child.ts';
import { atMost, type Benchmark, type Result, type Say, takeTurns, timed } from './measure.ts';
import { connector, measurements, putAll } from './plant.ts';
import { post } from './server.ts';

const count = 100_000;
const mostSeconds = 3;
const cacheFolder = fileURLToPath(new URL('../node_modules/.cache/telltale', import.meta.url));
const aside = `${cacheFolder}-aside`;

export const start: Benchmark = {
  name: 'start',
  title: `Start to the first answer, empty against bare Fastify, and with ${count} configured objects`,
  async run(say, { quick }) {
    const rounds = quick ? 3 : 9;
    await using cleanup = new AsyncDisposableStack();
    const [full, empty] = [temporaryFolder(cleanup), temporaryFolder(cleanup)];
    const server = await startServer(cleanup, { data: full });
    await server.send('PUT', `/connectors/${connector.name}`, connector);
    await post(`${server.config}/cfgdb/txn?render=1`, putAll(measurements(count)));
    await server.end();
    return [...(await besideFastify(empty, rounds, say)), ...(await withObjects(full, empty, rounds, say))];
  },
};

/** Whoever works in this folder meanwhile finds the builds gone for a while. */
async function besideFastify(data: string, rounds: number, say: Say): Promise<Result[]> {
  await startOn(data);
  await startOn(data);
  const cold = async () => {
    if (existsSync(cacheFolder)) renameSync(cacheFolder, aside);
    try {
      return await startOn(data);
    } finally {
      rmSync(cacheFolder, { recursive: true, force: true });
      renameSync(aside, cacheFolder);
    }
  };
  const uncompiled = async () => {
    for (const each of globSync(`${cacheFolder}/server-*/compiled`)) rmSync(each, { recursive: true });
    const elapsed = await startOn(data);
    await startOn(data); // for the next one that is warm
    return elapsed;
  };
  const [bareMs = 1, warmMs = 0, uncompiledMs = 0, coldMs = 0] = await takeTurns(
    rounds,
    bareFastify,
    () => startOn(data),
    uncompiled,
    cold,
  );
  const figures = [bareMs, warmMs, uncompiledMs, coldMs].map((ms) => ms.toFixed(0));
  say(
    `bare Fastify ${figures[0]} ms; empty server ${figures[1]} ms, not compiled ${figures[2]} ms, not built ${figures[3]} ms`,
  );
  return [
    atMost('empty start / bare Fastify, warm', warmMs / bareMs, 2),
    atMost('empty start / bare Fastify, cold: built, not compiled', uncompiledMs / bareMs, 4),
    atMost('empty start / bare Fastify, cold: nothing built', coldMs / bareMs, 4),
  ];
}

async function withObjects(full: string, empty: string, rounds: number, say: Say): Promise<Result[]> {
  const [fullMs = 0, emptyMs = 1] = await takeTurns(
    rounds,
    () => startOn(full),
    () => startOn(empty),
  );
  say(`${count} objects ${fullMs.toFixed(0)} ms, empty ${emptyMs.toFixed(0)} ms`);
  const seconds = fullMs / 1000;
  return [
    {
      what: `start with ${count} objects, in seconds`,
      figure: seconds.toFixed(2),
      wanted: `< ${mostSeconds}`,
      holds: seconds < mostSeconds,
    },
    { what: `start with ${count} objects / empty start`, figure: (fullMs / emptyMs).toFixed(2) },
  ];
}

async function startOn(data: string): Promise<number> {
  await using cleanup = new AsyncDisposableStack();
  return await timed(async () => isReady((await startServer(cleanup, { data })).url));
}

async function bareFastify(): Promise<number> {
  const begin = performance.now();
  return withChild('bare-fastify.js', [], async (url) => {
    await isReady(url);
    return performance.now() - begin;
  });
}

async function isReady(url: string): Promise<void> {
  const { status } = await fetch(`${url}/readyz`);
  if (status !== 200) throw new Error(`${url}/readyz answered ${status}`);
}
