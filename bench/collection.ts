// Reading a whole collection, against JSON.stringify of the same map served by bare node:http.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { atLeast, type Benchmark, takeTurns } from './measure.ts';
import { connector, measurements, putAll } from './plant.ts';
import { post, withServer } from './server.ts';

const count = 20_000;
const secondsATurn = 2;
const rounds = 5;

export const collection: Benchmark = {
  name: 'collection',
  title: `GET /measurements/ of ${count} objects, against JSON.stringify served by bare node:http`,
  run: (say) =>
    withServer(async (server) => {
      await server.send('PUT', `/connectors/${connector.name}`, connector);
      await post(`${server.config}/cfgdb/txn?render=1`, putAll(measurements(count)));
      return withBareServer(async (bareUrl) => {
        const ourUrl = `${server.config}/measurements/`;
        const bytes = [await lengthOf(ourUrl), await lengthOf(bareUrl)];
        if (bytes[0] !== bytes[1]) throw new Error(`the two answers differ: ${bytes.join(' and ')} bytes`);
        const ours = () => answersASecond(ourUrl);
        const bare = () => answersASecond(bareUrl);
        await takeTurns(1, ours, bare);
        const [ourRate = 0, bareRate = 1] = await takeTurns(rounds, ours, bare);
        say(
          `${((bytes[0] ?? 0) / 1e6).toFixed(1)} MB an answer: ours ${ourRate.toFixed(1)}, bare ${bareRate.toFixed(1)} a second`,
        );
        return [atLeast(`whole collections a second / bare node:http`, ourRate / bareRate, 1)];
      });
    }),
};

async function lengthOf(url: string): Promise<number> {
  return (await (await fetch(url)).arrayBuffer()).byteLength;
}

async function answersASecond(url: string): Promise<number> {
  const load = fileURLToPath(new URL('./load.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [load, url, String(secondsATurn)]);
  return Number(stdout);
}

async function withBareServer<T>(work: (url: string) => Promise<T>): Promise<T> {
  const file = fileURLToPath(new URL('./bare-http.ts', import.meta.url));
  const child = spawn(process.execPath, [file, String(count)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  try {
    const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    return await work(url);
  } finally {
    child.kill();
    await ended;
  }
}
