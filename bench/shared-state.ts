// The shared state of a site in etcd, of three members on this machine: against bare requests for the same.
import { systemClock } from '@telltale/schema';
import { keysUnder, put } from '../packages/server/src/lease/etcd/etcd-kv.ts';
import { siteBase } from '../packages/server/src/lease/lease-setting.ts';
import type { SharedChange } from '../packages/server/src/lease/shared/shared-state.ts';
import { etcdClient } from '../packages/server/test/lease-world.ts';
import { lead, startFollower, storedParts } from '../packages/server/test/shared-world.ts';
import { Etcd, withoutEtcd } from '../test/engines/etcd.ts';
import { SeededRandom } from '../test/seeded-random.ts';
import { atMost, type Benchmark, median, type Result, takeTurns, timed } from './measure.ts';

const rounds = 5;
const plantAlarms = 100_000;
const crowd = 2000;
const limitMs = 120_000;

export const sharedState: Benchmark = {
  name: 'shared-state',
  title: 'What a site shares in etcd, against bare requests',
  async run(say, { quick }) {
    if (withoutEtcd !== false) {
      say(withoutEtcd);
      return [];
    }
    await using cleanup = new AsyncDisposableStack();
    const etcd = await Etcd.start(cleanup, { members: 3 });
    const known = startFollower(cleanup, etcd);
    const { state } = await lead(cleanup, etcd, known);
    await known.follower.stop();
    const alarms = Array.from({ length: quick ? plantAlarms / 10 : plantAlarms }, (_, at) => alarm(at));
    const filledMs = await timed(() => Promise.all(alarms.map((each) => state.change([each], limitMs))));
    say(`${alarms.length} alarms in ${(filledMs / 1000).toFixed(1)} s`);
    const client = etcdClient(cleanup, etcd);
    const base = siteBase(client.setting, 'works');
    const [{ bytes = 0 } = {}] = await client.members(AbortSignal.timeout(limitMs));

    const [snapshotMs = 0, bareMs = 1] = await takeTurns(
      rounds,
      () =>
        timed(async () => {
          await using reading = new AsyncDisposableStack();
          await startFollower(reading, etcd).upToDate();
        }),
      () => timed(() => client.range(keysUnder(`${base}/state/`), { limitMs })),
    );
    const one = alarm(0);
    const [oneMs = 0, bareOneMs = 1] = await takeTurns(
      100,
      () => timed(() => state.change([one], limitMs)),
      () => timed(() => client.transact({ success: [put('bare/one', one.bytes ?? '')] }, { limitMs })),
    );
    const [crowdMs = 0, bareCrowdMs = 1] = await takeTurns(
      rounds,
      () => timed(() => Promise.all(alarms.slice(0, crowd).map((each) => state.change([each], limitMs)))),
      () =>
        timed(async () => {
          for (let at = 0; at < crowd; at += 127) {
            const puts = alarms.slice(at, at + 127).map(({ name, bytes }) => put(`bare/${name}`, bytes ?? ''));
            await client.transact({ success: puts }, { limitMs });
          }
        }),
    );
    const results: Result[] = [
      atMost(
        `the state of ${alarms.length} alarms, read by a standby / one bare request for it`,
        snapshotMs / bareMs,
        3,
      ),
      { what: 'seconds of it', figure: (snapshotMs / 1000).toFixed(2) },
      { what: 'bytes of etcd an alarm', figure: (bytes / alarms.length).toFixed(0) },
      atMost('one change, until it is acknowledged / a bare put', oneMs / bareOneMs, 1.5),
      { what: 'ms of it', figure: oneMs.toFixed(1) },
      atMost(`${crowd} changes at once / bare transactions of 127 puts`, crowdMs / bareCrowdMs, 2),
      { what: 'changes a second', figure: ((1000 * crowd) / crowdMs).toFixed(0) },
    ];

    const text = configuration(alarms.length);
    const share = (value: Buffer) => state.change([{ family: 'configuration', name: 'x', bytes: value }], limitMs);
    const wholeMs = await timed(() => share(text));
    const before = new Set(await storedParts(cleanup, etcd));
    const editsMs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const at = Math.floor((text.length / (rounds + 1)) * (round + 1));
      const edited = Buffer.concat([text.subarray(0, at), Buffer.from(`edit ${round}`), text.subarray(at)]);
      editsMs.push(await timed(() => share(edited)));
    }
    say(`a configuration of ${(text.length / 1e6).toFixed(0)} MB is in ${before.size} parts`);
    results.push(
      atMost(
        `a configuration of ${alarms.length} objects of which one has changed / all of it`,
        median(editsMs) / wholeMs,
        0.5,
      ),
      { what: 'seconds of all of it', figure: (wholeMs / 1000).toFixed(2) },
    );
    return results;
  },
};

function alarm(at: number): SharedChange {
  const stored = {
    state: 'active',
    since: [1_790_000_000 + at, 123_456],
    acknowledged: false,
    transitions: [{ kind: 'raised', timeUs: systemClock.now(), value: 'd12.5' }],
  };
  return { family: 'alarms', name: `area${at % 100}_tank${at}_level_high`, bytes: Buffer.from(JSON.stringify(stored)) };
}

function configuration(objects: number): Buffer {
  const random = new SeededRandom(3);
  const lines = Array.from({ length: objects }, (_, at) =>
    JSON.stringify({
      name: `area${at % 100}_tank${at}_level`,
      connectorName: `plc${at % 50}`,
      datatype: 'd',
      address: { unit: 1, register: random.between(0, 65_535), kind: 'holding' },
      description: `Level of tank ${at}, ${random.between(1, 1e6)}`,
      unit: 'm',
    }),
  );
  return Buffer.from(lines.join('\n'));
}
