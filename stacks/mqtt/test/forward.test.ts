// What happens while the broker or the primary host is away is sent afterwards, from the archive.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Datatype, systemClock } from '@telltale/schema';
import { type HistoryRecord, type ProviderHistory, Refused } from '@telltale/stack-kit';
import { until } from '@telltale/stack-kit/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { LinkedProvider } from './linked-provider.ts';
import { type Heard, Mosquitto, withoutMosquitto } from './mosquitto.ts';
import { SparkplugDecoder } from './sparkplug-decoder.ts';

/** An archive that has what it is given, in small pages, and is busy at times. */
class Kept implements ProviderHistory {
  readonly #records = new Map<number, HistoryRecord[]>();
  #reads = 0;

  add(id: number, datatype: Datatype, value: number, timeUs: number, quality = 0xc0): void {
    const records = this.#records.get(id) ?? [];
    this.#records.set(id, [...records, { datatype, value, quality, timeUs }]);
  }

  async read(...[{ id }, { sinceUs, untilUs, cursor }]: Parameters<ProviderHistory['read']>) {
    if (++this.#reads % 7 === 0) throw new Refused('busy');
    const all = (this.#records.get(id) ?? []).filter(({ timeUs }) => timeUs >= sinceUs && timeUs < untilUs);
    const from = cursor?.skip ?? 0;
    const records = all.slice(from, from + 3);
    const next = from + 3 < all.length ? { timeUs: 0, skip: from + 3 } : undefined;
    return { records, cursor: next };
  }

  async aggregate(...[{ id }, { sinceUs, untilUs }]: Parameters<ProviderHistory['aggregate']>) {
    const all = (this.#records.get(id) ?? []).filter(({ timeUs }) => timeUs >= sinceUs && timeUs < untilUs);
    return [{ datatype: 'l' as const, value: BigInt(all.length), quality: 0xc0, timeUs: sinceUs }];
  }
}

/** The time of day runs as it does, but the pauses of a forwarder are short. */
const clock = {
  ...systemClock,
  now: () => systemClock.now(),
  monotonicMs: () => systemClock.monotonicMs(),
  after: (ms: number, call: () => void) => systemClock.after(ms >= 1000 ? ms / 100 : ms, call),
} as typeof systemClock;

const nowUs = () => systemClock.now();

interface Past {
  readonly topic: string;
  readonly name: string;
  readonly value: unknown;
  readonly timestamp: number;
}

/** The historical metrics, in order; members of templates by instance and member. */
function pastOf(heard: Heard): Past[] {
  const decoder = new SparkplugDecoder();
  const names = new Map<string, string>();
  return heard.messages.flatMap(({ topic, payload }) => {
    const kind = topic.split('/')[2];
    const { metrics = [] } = decoder.decode(topic, payload);
    return (metrics ?? []).flatMap((metric): Past[] => {
      const key = `${metric.alias}`;
      if (kind?.endsWith('BIRTH')) names.set(key, metric.name ?? '');
      if (!metric.isHistorical) return [];
      const timestamp = Number(metric.timestamp);
      return [{ topic: kind ?? '', name: names.get(key) ?? '', value: metric.value, timestamp }];
    });
  });
}

describe('after an outage', { skip: withoutMosquitto }, () => {
  const cleanup = suiteCleanup();
  let broker: Mosquitto;
  before(async () => {
    broker = await Mosquitto.start();
    cleanup.defer(() => broker.stop());
  });

  const points = [
    { name: 'flow', address: 'Well 1#Flow' },
    { name: 'level', address: 'Level' },
  ];
  const start = (t: { after: (call: () => unknown) => void }, folder: string, history: Kept, more = {}) => {
    const vars = {
      port: `${broker.port}`,
      format: 'sparkplug',
      group: 'Plant',
      node: 'gateway',
      forwardOverlapMs: '0',
    };
    const p = new LinkedProvider({ vars: { ...vars, ...more }, folder, clock, history });
    t.after(() => p.stop());
    p.setPoints(points);
    p.publish('flow', 1);
    p.publish('level', 2);
    return p;
  };

  test('a Sparkplug host gets what the archive has of it, as historical, each value once and in order', async (t) => {
    const [folder, history] = [temporaryFolder(t), new Kept()];
    const first = start(t, folder, history);
    await first.start();
    const beforeUs = nowUs();
    history.add(1, 'd', 0.5, beforeUs);
    await until('it is later', () => nowUs() > beforeUs + 1000);
    await first.stop();
    const lostUs = nowUs();
    const expected: unknown[] = [];
    for (let at = 1; at <= 20; at++) {
      history.add(1, 'd', at, lostUs + at * 1000);
      history.add(2, 'd', -at, lostUs + at * 1000 + 500, at % 5 === 0 ? 0x18 : 0xc0);
      expected.push(['DDATA', 'Flow', at], ['NDATA', 'Level', -at]);
    }
    history.add(1, 'i', 99, lostUs + 30_000);
    await until('the outage is over', () => nowUs() > lostUs + 40_000);
    const heard = await broker.sub('spBv1.0/#');
    t.after(() => heard.stop());
    const second = start(t, folder, history);
    await second.start();
    await until('all have come', () => pastOf(heard).length >= expected.length);
    const past = pastOf(heard);
    const sorted = (list: readonly unknown[]) => list.map((each) => JSON.stringify(each)).sort();
    assert.deepEqual(sorted(past.map(({ topic, name, value }) => [topic, name, value])), sorted(expected));
    for (const kind of ['DDATA', 'NDATA']) {
      const times = past.filter(({ topic }) => topic === kind).map(({ timestamp }) => timestamp);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      );
    }
    await until('nothing waits', () => second.provider.detail?.().forwarding?.waitingSinceUs === undefined);
    assert.equal(second.provider.detail?.().forwarding?.sent, expected.length);
    // Another start has nothing left to send.
    await second.stop();
    const third = start(t, folder, history);
    await third.start();
    third.publish('level', 77);
    await until('the present value', () => heard.messages.length > 0);
    assert.equal(pastOf(heard).length, expected.length);
    await until('nothing waits', () => third.provider.detail?.().forwarding?.waitingSinceUs === undefined);
    assert.deepEqual(third.provider.detail?.().forwarding, { sent: 0, givenUp: 0, waitingSinceUs: undefined });
  });

  test('the values that a device had are sent though it is lost by now', async (t) => {
    const [folder, history] = [temporaryFolder(t), new Kept()];
    const first = start(t, folder, history);
    await first.start();
    await first.stop();
    const lostUs = nowUs();
    history.add(1, 'd', 5, lostUs + 1000);
    await until('the outage is over', () => nowUs() > lostUs + 2000);
    const heard = await broker.sub('spBv1.0/#');
    t.after(() => heard.stop());
    const second = start(t, folder, history);
    second.publish('flow', undefined, 0x18);
    await second.start();
    await until('it has come', () => pastOf(heard).length === 1);
    await until('the device has died', () => heard.messages.some(({ topic }) => topic.includes('/DDEATH/')));
    const kinds = heard.messages.map(({ topic }) => topic.split('/')[2]);
    assert.deepEqual(kinds, ['NBIRTH', 'DBIRTH', 'DDATA', 'DDEATH']);
  });

  test('what is older than is wanted is given up, counted and told', async (t) => {
    const [folder, history] = [temporaryFolder(t), new Kept()];
    let aheadUs = 0;
    const moved = { ...clock, now: () => clock.now() + aheadUs } as typeof clock;
    const vars = { port: `${broker.port}`, format: 'sparkplug', group: 'Plant', node: 'old', forwardHours: '1' };
    const p = new LinkedProvider({ vars: { ...vars, forwardOverlapMs: '0' }, folder, clock: moved, history });
    t.after(() => p.stop());
    p.setPoints(points);
    await p.start();
    await p.stop();
    const lostUs = nowUs();
    for (let at = 1; at <= 5; at++) history.add(1, 'd', at, lostUs + at);
    history.add(1, 'd', 6, lostUs + 1.5 * 3_600_000_000);
    aheadUs = 2 * 3_600_000_000;
    const heard = await broker.sub('spBv1.0/#');
    t.after(() => heard.stop());
    await p.start();
    await until('the newer one has come', () => pastOf(heard).length === 1);
    assert.equal(pastOf(heard)[0]?.value, 6);
    assert.deepEqual(p.warnings, ['5 values of an outage are not sent: they are older than 1 h']);
    await until('all is sent', () => p.provider.detail?.().forwarding?.waitingSinceUs === undefined);
    assert.deepEqual(p.provider.detail?.().forwarding, { sent: 1, givenUp: 5, waitingSinceUs: undefined });
    await p.stop();
    const { waitingSinceUs = 0 } = p.provider.detail?.().forwarding ?? {};
    assert.ok(waitingSinceUs >= lostUs + aheadUs, 'what comes now waits');
  });

  test('a primary host that comes back gets what happened while it was away', async (t) => {
    const [folder, history] = [temporaryFolder(t), new Kept()];
    const state = (online: boolean) =>
      broker.pub('spBv1.0/STATE/scada', JSON.stringify({ online, timestamp: Date.now() }), '-r');
    await state(true);
    const heard = await broker.sub('spBv1.0/Plant/#');
    t.after(() => heard.stop());
    const p = start(t, folder, history, { primaryHost: 'scada' });
    await p.start();
    await until('the birth', () => heard.messages.length >= 2);
    await state(false);
    await p.lost();
    const lostUs = nowUs();
    history.add(2, 'd', 8, lostUs + 1000);
    await p.start();
    await until('the outage is over', () => nowUs() > lostUs + 2000);
    await state(true);
    await until('it has come', () => pastOf(heard).length === 1);
    assert.deepEqual(
      pastOf(heard).map(({ value }) => value),
      [8],
    );
  });

  test('plain topics have it for points with the property forward, and nobody takes it for the present value', async (t) => {
    const [folder, history] = [temporaryFolder(t), new Kept()];
    const vars = {
      port: `${broker.port}`,
      payload: '{"v":{value},"t":{timeUs},"old":{historical}}',
      topic: 'plain/{address}',
      forwardOverlapMs: '0',
    };
    const plain = () => {
      const p = new LinkedProvider({ vars, folder, clock, history });
      t.after(() => p.stop());
      p.setPoints([
        { name: 'a', address: 'a', properties: { forward: 'true' } },
        { name: 'b', address: 'b' },
      ]);
      p.publish('a', 1);
      p.publish('b', 2);
      return p;
    };
    const first = plain();
    await first.start();
    await first.stop();
    const lostUs = nowUs();
    for (let at = 1; at <= 200; at++) history.add(1, 'd', at, lostUs + at);
    history.add(2, 'd', 5, lostUs + 5);
    await until('the outage is over', () => nowUs() > lostUs + 1000);
    const heard = await broker.sub('plain/#');
    t.after(() => heard.stop());
    await plain().start();
    const past = () =>
      heard.messages
        .map(({ topic, payload }) => ({ topic, ...JSON.parse(payload.toString()) }))
        .filter(({ old }) => old);
    await until('all have come', () => past().length === 200);
    assert.deepEqual(
      past().map(({ topic, v, t: time }) => [topic, v, time]),
      Array.from({ length: 200 }, (_, at) => ['plain/a', at + 1, lostUs + at + 1]),
    );
    const retained = await broker.sub('plain/a');
    t.after(() => retained.stop());
    await until('the retained value', () => retained.messages.length > 0);
    assert.equal(JSON.parse(retained.messages[0]?.payload.toString() ?? '').v, 1);
  });
});
