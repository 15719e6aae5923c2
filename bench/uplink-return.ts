// The bus is gone for a while and comes back, with a thousand sites on it: how long until all are there again, and have sent what waited.
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@telltale/schema';
import { until } from '@telltale/stack-kit/testing';
import { Sites } from '../packages/server/src/bus/index.ts';
import { connectBus } from '../packages/server/test/bus-peers.ts';
import { withoutNats } from '../test/engines/nats.ts';
import { withoutPostgres } from '../test/engines/postgres-programs.ts';
import { atMost, type Benchmark } from './measure.ts';
import { Pattern } from './pattern-archive.ts';
import { siteStarts, total, UplinkCentre } from './uplink-centre.ts';

const points = 1000;
const periodMs = 10_000;
const processes = 4;
const outageMs = 30_000;
/** After they have come back, so that what waited is gone and more is sent. */
const afterMs = 60_000;
const patient = { deadlineMs: 600_000 };

export const uplinkReturn: Benchmark = {
  name: 'uplink-return',
  title: 'Sites that come back together after the bus was killed',
  async run(say, { quick }) {
    const reason = withoutNats || withoutPostgres();
    if (reason !== false) {
      say(reason);
      return [];
    }
    await using cleanup = new AsyncDisposableStack();
    const count = quick ? 100 : 1000;
    const centre = await UplinkCentre.start(cleanup, { hasStandby: false });
    const sites = new Sites({
      bus: await connectBus(cleanup, { url: centre.url, name: 'centre' }),
      clock: systemClock,
    });
    sites.start();
    cleanup.defer(() => sites.stop());
    const areThere = () => sites.all.filter(({ isUp }) => isUp).length === count;

    const starts = siteStarts(count, Date.now() + 10_000, periodMs);
    const scansAtMost = Math.ceil((60_000 + outageMs + afterMs) / periodMs);
    const started = await centre.startSites({
      sites: starts,
      processes,
      points,
      periodMs,
      scansAtMost,
      gatherMs: 1000,
    });
    await until('all sites are there', areThere, patient);
    const isSending = () => total(started, ({ sent }) => sent) >= 2 * count * points;
    await until('all sites send', isSending, patient);

    await Promise.all(centre.nats.servers.map((server) => server.kill()));
    await sleep(outageMs);
    await until('all sites are known to be away', () => sites.all.every(({ isUp }) => !isUp), patient);
    const waiting = total(started, ({ scanned = 0, sent = 0 }) => scanned - sent);
    const backMs = performance.now();
    await Promise.all(centre.nats.servers.map((server) => server.again()));
    await until('all sites are back', areThere, patient);
    const allBack = (performance.now() - backMs) / 1000;
    await until('nothing waits', () => total(started, ({ behind }) => behind) === 0, patient);
    const nothingWaits = (performance.now() - backMs) / 1000;

    await until('all of it is in the store', () => started.every(({ said }) => said.answers !== undefined), patient);
    const verdict = await centre.judge(new Pattern(points), starts, scansAtMost, periodMs);
    say(`${waiting} records waited when the bus came back; ${verdict.records} are in the store`);
    return [
      atMost(`s until ${count} sites are back`, allBack, 15),
      atMost('s until nothing waits', nothingWaits, 60),
      atMost('records lost, there twice or wrong', verdict.lost + verdict.double + verdict.wrong, 0),
    ];
  },
};
