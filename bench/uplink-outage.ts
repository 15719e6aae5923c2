// A site that was without a bus for long: how fast what waited goes to the store, and how far behind what is recorded meanwhile comes.
// OUTAGE_MILLIONS=86.4 is a day of 1,000 records a second.
import { systemClock } from '@telltale/schema';
import { until } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { PartProcess } from '../packages/server/test/bus/part-process.ts';
import { withoutNats } from '../test/engines/nats.ts';
import { withoutPostgres } from '../test/engines/postgres-programs.ts';
import { atLeast, atMost, type Benchmark } from './measure.ts';
import type { OutageSiteOptions, OutageSiteSaid } from './outage-site.ts';
import { Pattern } from './pattern-archive.ts';
import { SiteJudge, UplinkCentre } from './uplink-centre.ts';

const millions = Number(process.env.OUTAGE_MILLIONS ?? 8.64);
const points = 1000;
const periodMs = 1000;
const patient = { deadlineMs: 3_600_000 };

export const uplinkOutage: Benchmark = {
  name: 'uplink-outage',
  title: 'What waited in the archive of a site while it had no bus',
  async run(say, { quick }) {
    const reason = withoutNats || withoutPostgres();
    if (reason !== false) {
      say(reason);
      return [];
    }
    await using cleanup = new AsyncDisposableStack();
    const centre = await UplinkCentre.start(cleanup, { hasStandby: false });
    const scans = Math.ceil(((quick ? millions / 10 : millions) * 1e6) / points);
    const script = new URL('./outage-site.ts', import.meta.url);
    const site = new PartProcess<OutageSiteOptions, OutageSiteSaid>(cleanup, script);
    const [id, startMs] = ['site0', Math.floor(systemClock.now() / 1000) - scans * periodMs];
    const folder = temporaryFolder(cleanup);
    await site.start({ folder, url: centre.url, id, points, scans, startMs });
    await until('the archive is full', () => site.said.sent !== undefined, patient);
    const [beganMs, before] = [performance.now(), centre.busyMs()];
    const beganUs = systemClock.now();
    // What is recorded within a second or two always waits.
    await until('nothing waits', () => (site.said.sent?.sent ?? 0) >= scans * points, patient);
    await until('nothing waits', () => (site.said.sent?.waiting ?? scans * points) <= 3 * points, patient);
    const tookMs = performance.now() - beganMs;
    const after = centre.busyMs();
    site.tell({});
    await until('all of it is sent', () => site.said.sent?.isIdle === true, patient);

    const all = site.said.scans as number;
    const judge = new SiteJudge(new Pattern(points), all, startMs, periodMs);
    let mostLagUs = 0;
    for await (const { receivedUs, section } of centre.sectionsOf(id)) {
      judge.take(section);
      const newest = section.columns.times
        .subarray(0, section.columns.count)
        .reduce((most, time) => Math.max(most, time), 0);
      const oldest = section.columns.times
        .subarray(0, section.columns.count)
        .reduce((least, time) => Math.min(least, time), newest);
      if (oldest > beganUs && receivedUs < beganUs + tookMs * 1000)
        mostLagUs = Math.max(mostLagUs, receivedUs - oldest);
    }
    const { records, lost, double, wrong } = judge.verdict;
    const parts = Object.keys(after).map(
      (part) => `${part} ${(((after[part] ?? 0) - (before[part] ?? 0)) / tookMs).toFixed(2)}`,
    );
    say(
      `${scans * points} records waited, ${records} are in the store after ${(tookMs / 1000).toFixed(0)} s; cores of ${parts.join(', ')}`,
    );
    return [
      atLeast('millions of records a second of what waited', (scans * points) / tookMs / 1000, 0.3),
      atMost('s that what is recorded meanwhile comes later, at most', mostLagUs / 1e6, 10),
      atMost('records lost, there twice or wrong', lost + double + wrong, 0),
    ];
  },
};
