// Sites that send what they archive over the bus into PostgreSQL: whether that is there once, how long a parcel takes, and what it costs.
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@telltale/stack-kit/testing';
import { withoutNats } from '../test/engines/nats.ts';
import { withoutPostgres } from '../test/engines/postgres-programs.ts';
import { atLeast, atMost, type Benchmark, type Result, type Say } from './measure.ts';
import { Pattern } from './pattern-archive.ts';
import { siteStarts, total, UplinkCentre } from './uplink-centre.ts';

interface Load {
  readonly what: string;
  readonly sites: number;
  readonly points: number;
  readonly seconds: number;
  readonly processes: number;
  readonly hasStandby: boolean;
}

const periodMs = 1000;
/** What was sent at first is compiled anew everywhere. */
const warmScans = 10;

export const uplinkLoad = benchmarkOf('uplink-load', {
  what: '100,000 records a second, synchronous standby',
  sites: 100,
  points: 1000,
  seconds: 60,
  processes: 1,
  hasStandby: true,
});

export const uplinkPeak = benchmarkOf('uplink-peak', {
  what: '1 million records a second',
  sites: 100,
  points: 10_000,
  seconds: 30,
  processes: 2,
  hasStandby: false,
});

function benchmarkOf(name: string, load: Load): Benchmark {
  return {
    name,
    title: `What sites send over three servers of NATS and two archivers into PostgreSQL: ${load.what}`,
    async run(say, { quick }) {
      const reason = withoutNats || withoutPostgres();
      if (reason === false) return await measure(quick ? { ...load, seconds: load.seconds / 5 } : load, say);
      say(reason);
      return [];
    },
  };
}

async function measure({ what, sites, points, seconds, processes, hasStandby }: Load, say: Say): Promise<Result[]> {
  await using cleanup = new AsyncDisposableStack();
  const centre = await UplinkCentre.start(cleanup, { hasStandby });
  const startMs = Math.ceil(Date.now() / 1000) * 1000 + 5000;
  const scansAtMost = warmScans + seconds;
  const starts = siteStarts(sites, startMs, periodMs);
  const started = await centre.startSites({ sites: starts, processes, points, periodMs, scansAtMost, gatherMs: 0 });
  await sleep(Math.max(0, startMs + warmScans * periodMs - Date.now()));
  const [before, sentBefore, beganMs] = [centre.busyMs(), total(started, ({ sent }) => sent), performance.now()];
  await sleep(seconds * 1000);
  const [after, sentAfter, tookMs] = [centre.busyMs(), total(started, ({ sent }) => sent), performance.now() - beganMs];
  const behind = total(started, ({ scanned = 0, sent = 0 }) => scanned - sent);
  await until('all of it is in the store', () => started.every(({ said }) => said.answers !== undefined), {
    deadlineMs: 600_000,
  });
  const parts = Object.keys(after).map((part) => [part, ((after[part] ?? 0) - (before[part] ?? 0)) / tookMs] as const);
  say(`${what}: cores of ${parts.map(([part, cores]) => `${part} ${cores.toFixed(2)}`).join(', ')}`);
  const verdict = await centre.judge(new Pattern(points), starts, scansAtMost, periodMs);
  const answers = started
    .flatMap(({ said }) => said.answers ?? [])
    .flatMap((ofSite) => ofSite.slice(warmScans))
    .sort((a, b) => a - b);
  const at = (share: number) => answers[Math.ceil(share * answers.length) - 1] ?? 0;
  const cores = parts.reduce((sum, [, own]) => sum + own, 0);
  const millions = (sentAfter - sentBefore) / tookMs / 1000;
  say(`${what}: ${behind} records were not in the store when the time was over`);
  const all: Result[] = [
    { what: `records, ${what}`, figure: String(verdict.records) },
    atMost(`lost, ${what}`, verdict.lost + verdict.wrong, 0),
    atMost(`there twice, ${what}`, verdict.double, 0),
    { what: `ms until a parcel was committed, p50, ${what}`, figure: at(0.5).toFixed(1) },
  ];
  const wanted = (sites * points) / 1e6;
  if (!hasStandby) return [...all, atLeast(`millions of records a second, ${what}`, millions, 0.99 * wanted)];
  return [
    ...all,
    atMost(`the same, p99`, at(0.99), 250),
    atMost(`cores of all parts of the centre, ${what}`, cores, 0.6),
  ];
}
