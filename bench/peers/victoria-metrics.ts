// VictoriaMetrics as a peer: its JSON lines in, its export out. It keeps milliseconds and no quality, and what it has
// answered for is on disk some seconds later.
import { join } from 'node:path';
import { freePort } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { DataSet } from '../archive-data.ts';
import { timed } from '../measure.ts';
import { HttpPeer } from './http.ts';
import { bytesIn, cpuSecondsOf, Daemon, has, type Peer, steady } from './peer.ts';

const command = 'victoria-metrics';
/** At its rate this many scans of 1,000 points are about 100 ms. */
const scansABody = 200;
const bodiesAtOnce = 4;

export async function startVictoriaMetrics(cleanup: AsyncDisposableStack): Promise<Peer | undefined> {
  if (!has(command)) return undefined;
  const folder = temporaryFolder(cleanup);
  const port = await freePort();
  const args = [
    `-storageDataPath=${join(folder, 'data')}`,
    `-httpListenAddr=127.0.0.1:${port}`,
    '-retentionPeriod=100y',
  ];
  const daemon = new Daemon(cleanup, { folder, command, args, signal: 'SIGINT' });
  const http = new HttpPeer(`http://127.0.0.1:${port}`);
  cleanup.defer(() => http.close());
  await daemon.ready(async () => (await http.ask('GET', '/health')).length > 0);
  const size = () => bytesIn(join(folder, 'data'));
  return {
    name: 'VictoriaMetrics',
    async load(data) {
      const sentMs = await http.postAll('/api/v1/import', bodiesOf(data), bodiesAtOnce);
      // What it has answered for still waits to be taken in; this does not bring it to disk, but makes it readable.
      return sentMs + (await timed(() => http.ask('GET', '/internal/force_flush')));
    },
    async compact() {
      await http.ask('GET', '/internal/force_merge');
      await steady(size, 5, 120);
    },
    bytes: async () => size(),
    async read(series, sinceUs, untilUs) {
      const [start, end] = [sinceUs / 1e6, (untilUs - 1000) / 1e6];
      const answer = await http.ask('GET', `/api/v1/export?match[]=${series}&start=${start}&end=${end}`);
      return () => countRecords(answer);
    },
    cpuSeconds: () => cpuSecondsOf(daemon.pid),
  };
}

/** A line a series with the records of some scans. */
function bodiesOf({ series, scans, times, values }: DataSet): Buffer[] {
  const bodies: Buffer[] = [];
  for (let from = 0; from < scans; from += scansABody) {
    const to = Math.min(scans, from + scansABody);
    const lines = series.map(({ name }, number) => {
      const [ms, numbers]: [number[], number[]] = [[], []];
      for (let scan = from; scan < to; scan++) {
        const at = scan * series.length + number;
        ms.push(Math.round((times[at] as number) / 1000));
        numbers.push(values[at] as number);
      }
      return `{"metric":{"__name__":"${name}"},"values":[${numbers}],"timestamps":[${ms}]}\n`;
    });
    bodies.push(Buffer.from(lines.join('')));
  }
  return bodies;
}

function countRecords(answer: Buffer): number {
  return answer
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .reduce((sum, line) => sum + (JSON.parse(line) as { values: number[] }).values.length, 0);
}
