// The archive beside a row table in SQLite, PostgreSQL, VictoriaMetrics and InfluxDB, with one data set: writing, room on
// disk, and reading. Each peer takes turns with the archive; one that is not on this machine is left out.

import { type DataSet, entropyBytes, makeData, randomSource, scanUs, startUs } from './archive-data.ts';
import { httpReads } from './archive-http.ts';
import { OurStore } from './archive-ours.ts';
import { atLeast, atMost, type Benchmark, median, type Result, type Say, takeTurns, timed } from './measure.ts';
import { startInfluxdb } from './peers/influxdb.ts';
import type { Peer, StartPeer } from './peers/peer.ts';
import { startPostgresql } from './peers/postgresql.ts';
import { startSqliteRows } from './peers/sqlite-rows.ts';
import { startVictoriaMetrics } from './peers/victoria-metrics.ts';

const seriesCount = 1000;
const windowRecords = 1000;
const windowCount = 100;
const rounds = 9;
const warmUps = 2;

interface Contender {
  readonly name: string;
  readonly start: StartPeer;
  /** How many times its rate of writing ours should be. */
  readonly writing?: number;
}

const contenders: readonly Contender[] = [
  { name: 'SQLite rows', start: startSqliteRows, writing: 15 },
  { name: 'PostgreSQL', start: startPostgresql, writing: 8 },
  { name: 'VictoriaMetrics', start: startVictoriaMetrics, writing: 1.2 },
  { name: 'InfluxDB', start: startInfluxdb },
];

export const archive: Benchmark = {
  name: 'archive',
  title: `The archive, ${seriesCount} series, beside databases that keep rows and time series`,
  async run(say, { quick }) {
    const scans = quick ? 2 * windowRecords : 10_000;
    const results = [await room(scans, 'jitter', 2.3, say)];
    const data = makeData(seriesCount, scans, 'shared');
    results.unshift(await room(scans, 'shared', 1.2, say));
    await using cleanup = new AsyncDisposableStack();
    const ours = new OurStore(cleanup);
    const rates = [data.records / (await ours.load(data))];
    await ours.compact();
    for (const contender of contenders) {
      results.push(...(await compare(contender, data, ours, rates, say)));
    }
    say(
      `ours: ${millions(median(rates))} records a second written, commits at most ${ours.longestGapMs.toFixed(0)} ms apart`,
    );
    return results;
  },
};

/** Bytes a record on disk after compaction. */
async function room(scans: number, form: 'shared' | 'jitter', bound: number, say: Say): Promise<Result> {
  const data = makeData(seriesCount, scans, form);
  await using cleanup = new AsyncDisposableStack();
  const store = new OurStore(cleanup);
  const rate = data.records / (await store.load(data));
  await store.compact();
  const bytes = (await store.bytes()) / data.records;
  const least = entropyBytes.value + (form === 'jitter' ? entropyBytes.jitter : 0);
  say(`ours, ${form} times: ${millions(rate)} a second, ${bytes.toFixed(2)} B a record; entropy ${least.toFixed(2)} B`);
  return atMost(`bytes a record on disk, ${form} times`, bytes, bound);
}

async function compare(
  { name, start, writing }: Contender,
  data: DataSet,
  ours: OurStore,
  rates: number[],
  say: Say,
): Promise<Result[]> {
  await using cleanup = new AsyncDisposableStack();
  const peer = await start(cleanup);
  if (peer === undefined) {
    say(`${name} is not on this machine: bench/install-peers.sh brings it`);
    return [];
  }
  const before = await ourRate(data);
  const peerRate = data.records / (await peer.load(data));
  const beside = [before, await ourRate(data)];
  rates.push(...beside);
  await peer.compact();
  const bytes = (await peer.bytes()) / data.records;
  say(`${peer.name}: ${millions(peerRate)} a second written, ${bytes.toFixed(2)} B a record`);
  const ratio = median(beside) / peerRate;
  const what = `records a second written / ${peer.name}`;
  return [
    writing === undefined ? { what, figure: ratio.toFixed(2) } : atLeast(what, ratio, writing),
    ...(await reads(peer, data, ours, say)),
    ...(name === 'VictoriaMetrics' ? await httpReads(peer, data, ours, say) : []),
  ];
}

async function ourRate(data: DataSet): Promise<number> {
  await using cleanup = new AsyncDisposableStack();
  const store = new OurStore(cleanup);
  return data.records / (await store.load(data));
}

/** One series whole, and windows at random: both sides read the same in each turn. */
async function reads(peer: Peer, data: DataSet, ours: OurStore, say: Say): Promise<Result[]> {
  const whole = (side: Peer) => {
    const random = randomSource(7);
    return () => readTimed(side, data, random, 1, data.scans);
  };
  const windows = (side: Peer) => {
    const random = randomSource(11);
    return () => readTimed(side, data, random, windowCount, windowRecords);
  };
  await takeTurns(warmUps, whole(ours), whole(peer), windows(ours), windows(peer));
  const [ourWhole = 1, peerWhole = 0] = await takeTurns(rounds, whole(ours), whole(peer));
  const [ourWindows = 1, peerWindows = 0] = await takeTurns(rounds, windows(ours), windows(peer));
  say(`one series whole: ours ${ourWhole.toFixed(2)} ms, ${peer.name} ${peerWhole.toFixed(2)} ms`);
  say(`${windowCount} windows: ours ${ourWindows.toFixed(1)} ms, ${peer.name} ${peerWindows.toFixed(1)} ms`);
  return [
    atLeast(`one series whole, time of ${peer.name} / ours`, peerWhole / ourWhole, 10),
    atLeast(`${windowCount} windows, time of ${peer.name} / ours`, peerWindows / ourWindows, 10),
  ];
}

/** Milliseconds of so many reads of so many records each, of series and from scans at random. */
async function readTimed(
  side: Peer,
  { series, scans }: DataSet,
  random: () => number,
  count: number,
  records: number,
): Promise<number> {
  let elapsed = 0;
  for (let each = 0; each < count; each++) {
    const { name } = series[random() % series.length] ?? { name: '' };
    const scan = random() % (scans - records + 1);
    const sinceUs = startUs + scan * scanUs - scanUs / 2;
    let counted = () => 0;
    elapsed += await timed(async () => {
      counted = await side.read(name, sinceUs, sinceUs + records * scanUs);
    });
    if (counted() !== records) throw new Error(`${side.name} gave ${counted()} of ${records} records of ${name}`);
  }
  return elapsed;
}

function millions(recordsAMs: number): string {
  return `${(recordsAMs / 1000).toFixed(2)} million`;
}
