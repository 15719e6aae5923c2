// Reading whole series over HTTP from the real server on the archive's files, against the export of VictoriaMetrics: in
// records a second of the server's processor time, since the two have the same cores.
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { type ServerProcess, startServer } from '../test/server-process.ts';
import { type DataSet, scanUs, startUs } from './archive-data.ts';
import type { OurStore } from './archive-ours.ts';
import { atLeast, type Result, type Say, takeTurns } from './measure.ts';
import { HttpPeer } from './peers/http.ts';
import { cpuSecondsOf, type Peer } from './peers/peer.ts';

const seriesATurn = 100;
const rounds = 5;
const warmUps = 2;
const columns = 'application/vnd.telltale.columns';

export async function httpReads(peer: Peer, data: DataSet, ours: OurStore, say: Say): Promise<Result[]> {
  await using cleanup = new AsyncDisposableStack();
  const folder = temporaryFolder(cleanup);
  const archive = join(folder, 'archive');
  mkdirSync(archive);
  cpSync(ours.folder, archive, { recursive: true });
  const server = await startServer(cleanup, { data: folder });
  const http = new HttpPeer(server.url);
  cleanup.defer(() => http.close());
  return await compare(peer, data, server, http, say);
}

async function compare(peer: Peer, data: DataSet, server: ServerProcess, http: HttpPeer, say: Say): Promise<Result[]> {
  const [sinceUs, untilUs] = [startUs - scanUs / 2, startUs + data.scans * scanUs - scanUs / 2];
  const names = data.series.slice(0, seriesATurn).map(({ name }) => name);
  const ask = (name: string, accept: string) => {
    const path = `/data/archive/measurements/${name}/${sinceUs / 1e6}/${untilUs / 1e6}`;
    return http.ask('GET', path, undefined, { accept });
  };
  const seconds = async (cpuSeconds: () => number, read: (name: string) => Promise<unknown>) => {
    const before = cpuSeconds();
    for (const name of names) await read(name);
    return cpuSeconds() - before;
  };
  const ourSeconds = () => cpuSecondsOf(server.pid);
  const first = JSON.parse((await ask(names[0] ?? '', 'application/json')).toString()) as Record<string, unknown[]>;
  const counted = first[names[0] ?? '']?.length;
  if (counted !== data.scans) throw new Error(`the server gave ${counted} of ${data.scans} records`);
  const sides = [
    () => seconds(ourSeconds, (name) => ask(name, 'application/json')),
    () => seconds(ourSeconds, (name) => ask(name, columns)),
    () => seconds(peer.cpuSeconds, (name) => peer.read(name, sinceUs, untilUs)),
  ];
  await takeTurns(warmUps, ...sides);
  const [json = 1, binary = 1, theirs = 0] = await takeTurns(rounds, ...sides);
  const rate = (each: number) => `${((names.length * data.scans) / each / 1e6).toFixed(1)} million`;
  say(`a core-second over HTTP: JSON ${rate(json)}, columns ${rate(binary)}, ${peer.name} ${rate(theirs)} records`);
  return [
    atLeast(`records a core-second over HTTP as JSON / ${peer.name}`, theirs / json, 1.2),
    atLeast(`records a core-second over HTTP as columns / ${peer.name}`, theirs / binary, 3),
  ];
}
