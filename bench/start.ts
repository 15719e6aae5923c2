// From the command to ready, with many configured objects and with none.
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { startServer } from '../test/server-process.ts';
import { type Benchmark, takeTurns, timed } from './measure.ts';
import { connector, measurements, putAll } from './plant.ts';
import { post } from './server.ts';

const count = 100_000;
const rounds = 7;
const mostSeconds = 3;

export const start: Benchmark = {
  name: 'start',
  title: `Start to ready with ${count} configured objects, against an empty start`,
  async run(say) {
    await using cleanup = new AsyncDisposableStack();
    const [full, empty] = [temporaryFolder(cleanup), temporaryFolder(cleanup)];
    const server = await startServer(cleanup, { data: full });
    await server.send('PUT', `/connectors/${connector.name}`, connector);
    await post(`${server.config}/cfgdb/txn?render=1`, putAll(measurements(count)));
    await server.end();
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
        wanted: '< 3.0',
        holds: seconds < mostSeconds,
      },
      { what: `start with ${count} objects / empty start`, figure: (fullMs / emptyMs).toFixed(2) },
    ];
  },
};

async function startOn(data: string): Promise<number> {
  await using cleanup = new AsyncDisposableStack();
  return await timed(async () => void (await startServer(cleanup, { data })));
}
