// What archiving costs those who read live values: GET of one measurement while 50,000 records a second are written, and
// while 500,000 a second are imported, against a server with the same points that stand still.
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { type ServerProcess, startServer } from '../test/server-process.ts';
import { output } from './child.ts';
import { atMost, type Benchmark, takeTurns } from './measure.ts';
import { pause } from './peers/peer.ts';
import { post } from './server.ts';

const points = 5000;
const scanPeriodMs = 100;
const requestsASecond = 200;
const settleMs = 3000;

/** Records a second, where the server takes so many. */
const importedASecond = 500_000;

type Plant = 'still' | 'not archived' | 'archived' | 'importing';

export const archiveLatency: Benchmark = {
  name: 'archive-latency',
  title: `GET /measurements/:name while ${(points * 1000) / scanPeriodMs} records a second are archived, or ${importedASecond} imported`,
  async run(say, { quick }) {
    const [rounds, seconds] = quick ? [1, 5] : [5, 15];
    const halves: Record<Plant, number> = { still: 0, 'not archived': 0, archived: 0, importing: 0 };
    let imported = 0;
    const side = (plant: Plant) => async () => {
      const measured = await latency(plant, seconds);
      halves[plant] = measured.half;
      if (plant === 'importing') imported = measured.imported;
      return measured.most;
    };
    const [still = 1, live = 0, archived = 0, importing = 0] = await takeTurns(
      rounds,
      side('still'),
      side('not archived'),
      side('archived'),
      side('importing'),
    );
    const figures = (plant: Plant, most: number) => `${plant} ${halves[plant].toFixed(2)} and ${most.toFixed(2)}`;
    say(
      `ms of half and of 99 of 100: ${figures('still', still)}, ${figures('not archived', live)}, ${figures('archived', archived)}, ` +
        `${figures('importing', importing)}; ${imported} records a second were imported`,
    );
    return [
      atMost('p99 of one measurement, archiving / still', archived / still, 2),
      { what: 'p99 of one measurement, archiving / changing and not archived', figure: (archived / live).toFixed(2) },
      atMost('p50 of one measurement, importing / still', halves.importing / halves.still, 2),
      atMost('p99 of one measurement, importing / still', importing / still, 2),
    ];
  },
};

interface Latency {
  /** Milliseconds within which half and 99 of 100 requests were answered. */
  readonly half: number;
  readonly most: number;
  /** Records a second, meanwhile. */
  readonly imported: number;
}

/** On a server of its own. */
async function latency(plant: Plant, seconds: number): Promise<Latency> {
  await using cleanup = new AsyncDisposableStack();
  const server = await startServer(cleanup, { data: temporaryFolder(cleanup) });
  const isStill = plant === 'still' || plant === 'importing';
  const vars = { scanPeriodMs: isStill ? '60000' : String(scanPeriodMs) };
  await server.send('PUT', '/connectors/plc', { name: 'plc', stackName: 'simulator', vars });
  await post(`${server.config}/cfgdb/txn?render=1`, body(plant));
  await pause(settleMs);
  const url = `${server.url}/data/measurements/m7`;
  const archive = `${server.url}/data/archive/measurements`;
  const [answer, imported] = await Promise.all([
    output('latency-load.ts', [url, String(seconds), String(requestsASecond)]),
    plant === 'importing' ? output('import-load.ts', [archive, String(seconds), String(importedASecond)]) : '0',
  ]);
  if (plant === 'archived') await check(server, seconds);
  const [half = 0, most = 0] = answer.split(' ').map(Number);
  return { half, most, imported: Number(imported) };
}

function body(plant: Plant): Uint8Array {
  const operations = Array.from({ length: points }, (_, index) => {
    const name = `m${index}`;
    const address = `ramp(low=0, high=1000, period=${100 + index})`;
    const archMode = plant === 'archived' ? 'change' : 'none';
    const object = { name, datatype: 'd', connectorName: 'plc', address, archMode };
    return { operation: 'put', family: 'measurements', name, object };
  });
  return Buffer.from(JSON.stringify({ operations }));
}

/** That as much was written as the figure says, or nearly. */
async function check(server: ServerProcess, seconds: number): Promise<void> {
  const response = await fetch(`${server.url}/data/archive/measurements/m7/${-seconds}/0`);
  const { m7 = [] } = (await response.json()) as Record<string, unknown[]>;
  const wanted = (0.9 * seconds * 1000) / scanPeriodMs;
  if (m7.length < wanted) throw new Error(`only ${m7.length} of ${wanted} records were archived in ${seconds} s`);
}
