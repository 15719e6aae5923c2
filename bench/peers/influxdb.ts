// InfluxDB (version 1) as a peer: line protocol in, CSV out, microseconds and quality kept. It syncs its log before it
// answers.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { DataSet } from '../archive-data.ts';
import { HttpPeer } from './http.ts';
import { bytesIn, cpuSecondsOf, Daemon, has, type Peer, steady } from './peer.ts';

const command = 'influxd';
/** 5,000 records, as its own documents advise. */
const scansABody = 5;
const bodiesAtOnce = 4;

export async function startInfluxdb(cleanup: AsyncDisposableStack): Promise<Peer | undefined> {
  if (!has(command)) return undefined;
  const folder = temporaryFolder(cleanup);
  const [port, ownPort] = [await freePort(), await freePort()];
  const config = join(folder, 'influxdb.conf');
  writeFileSync(config, configuration(folder, port, ownPort));
  const daemon = new Daemon(cleanup, { folder, command, args: ['run', '-config', config] });
  const http = new HttpPeer(`http://127.0.0.1:${port}`);
  cleanup.defer(() => http.close());
  await daemon.ready(async () => {
    await http.ask('GET', '/ping');
    return true;
  });
  await http.ask('POST', `/query?q=${encodeURIComponent('CREATE DATABASE bench')}`);
  const size = () => bytesIn(join(folder, 'data')) + bytesIn(join(folder, 'wal'));
  return {
    name: 'InfluxDB',
    load: (data) => http.postAll('/write?db=bench&precision=u', bodiesOf(data), bodiesAtOnce),
    compact: () => steady(size, 15, 300),
    bytes: async () => size(),
    async read(series, sinceUs, untilUs) {
      const query = `SELECT v, q FROM r WHERE p = '${series}' AND time >= ${sinceUs}u AND time < ${untilUs}u`;
      const path = `/query?db=bench&epoch=u&q=${encodeURIComponent(query)}`;
      const answer = await http.ask('GET', path, undefined, { accept: 'application/csv' });
      return () => Math.max(0, answer.toString().trimEnd().split('\n').length - 1);
    },
    cpuSeconds: () => cpuSecondsOf(daemon.pid),
  };
}

/** Compacts when nothing has been written for some seconds, instead of hours. */
function configuration(folder: string, port: number, ownPort: number): string {
  return `reporting-disabled = true
bind-address = "127.0.0.1:${ownPort}"
[meta]
  dir = "${join(folder, 'meta')}"
[data]
  dir = "${join(folder, 'data')}"
  wal-dir = "${join(folder, 'wal')}"
  query-log-enabled = false
  cache-snapshot-write-cold-duration = "5s"
  compact-full-write-cold-duration = "8s"
[monitor]
  store-enabled = false
[http]
  bind-address = "127.0.0.1:${port}"
  log-enabled = false
[logging]
  level = "error"
`;
}

function bodiesOf({ series, scans, times, values, qualities }: DataSet): Buffer[] {
  const bodies: Buffer[] = [];
  for (let from = 0; from < scans; from += scansABody) {
    const to = Math.min(scans, from + scansABody);
    const lines: string[] = [];
    for (let scan = from; scan < to; scan++) {
      series.forEach(({ name }, number) => {
        const at = scan * series.length + number;
        lines.push(`r,p=${name} v=${values[at]},q=${qualities[at]}i ${times[at]}\n`);
      });
    }
    bodies.push(Buffer.from(lines.join('')));
  }
  return bodies;
}
