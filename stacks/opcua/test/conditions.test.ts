// Alarms and conditions of a server in a process of its own, as the connector reports and acknowledges them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Connector, DeviceAlarm, DeviceAlarmState } from '@telltale/stack-kit';
import { connectorOptions, freePort, until } from '@telltale/stack-kit/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { createConnector } from '../src/connector.ts';
import stack from '../src/stack.ts';
import { OrderedProcess } from './ordered-process.ts';

class AlarmDevice extends OrderedProcess {
  readonly port: number;

  static async start(port?: number): Promise<AlarmDevice> {
    return new AlarmDevice(port ?? (await freePort())).ready();
  }

  private constructor(port: number) {
    super('alarm-device-main.ts', String(port));
    this.port = port;
  }
}

const alarm = (id: number, address: string): DeviceAlarm => ({ id, name: `alarm${id}`, address, properties: {} });
const high = alarm(1, 'ns=1;s=High');
const low = alarm(2, 'nsu=urn:telltale:alarm-device;s=LowSource#Low');

/** What was published of each, in order: `active`, `unacked` and so on, who, and what was said. */
class Bench {
  readonly heard = new Map<number, string[]>();
  readonly log: string[] = [];
  readonly connector: Connector;
  readonly controller = new AbortController();
  ended: Promise<unknown> = Promise.resolve();
  states = 0;

  constructor(port: number, folder: string, more: Record<string, string> = {}) {
    const vars = {
      endpointUrl: `opc.tcp://127.0.0.1:${port}`,
      securityMode: 'None',
      publishingIntervalMs: '50',
      ...more,
    };
    const { values } = stack.connector?.readVariables(vars) ?? {};
    const log = (text: string) => this.log.push(text);
    this.connector = createConnector(
      connectorOptions({
        variables: values as Parameters<typeof createConnector>[0]['variables'],
        folder,
        log: { debug: log, info: log, warn: log, error: log },
        publishAlarms: (states) => {
          for (const state of states) this.#hear(state);
        },
      }),
    );
  }

  #hear({ id, isActive, isAcknowledged, authority, message }: DeviceAlarmState): void {
    this.states++;
    const text = `${isActive ? 'active' : 'inactive'} ${isAcknowledged ? 'acked' : 'unacked'}`;
    const said = [text, authority && `by ${authority}`, message && `(${message})`].filter((part) => part).join(' ');
    this.heard.set(id, [...(this.heard.get(id) ?? []), said]);
  }

  async start(...alarms: DeviceAlarm[]): Promise<void> {
    this.connector.setPoints({ measurements: [], commands: [] });
    this.connector.setAlarms?.(alarms);
    await this.connector.connect(this.controller.signal);
    this.ended = this.connector.run(this.controller.signal).catch((error: unknown) => error);
  }

  async stop(): Promise<unknown> {
    this.controller.abort();
    const error = await this.ended;
    await this.connector.close();
    return error;
  }

  last(id: number): string | undefined {
    return this.heard.get(id)?.at(-1);
  }

  is({ id }: DeviceAlarm, text: string): Promise<void> {
    return until(`alarm ${id} is ${text}, not ${this.last(id)}`, () => this.last(id) === text);
  }
}

type Cleanup = ReturnType<typeof cleanupOf>;

async function setUp(cleanup: Cleanup, ...alarms: DeviceAlarm[]) {
  const device = await AlarmDevice.start();
  cleanup.defer(() => device.stop());
  const bench = new Bench(device.port, temporaryFolder(cleanup));
  cleanup.defer(async () => void (await bench.stop()));
  const order = (kind: string, name: string, more: object = {}) => device.order({ kind, name, ...more });
  await bench.start(...alarms);
  return { device, bench, order };
}

const acknowledge = (bench: Bench, which = high) =>
  bench.connector.acknowledge?.(which, 'anna', new AbortController().signal);

describe('conditions of a server', () => {
  test('are followed by their node, and by source and name', async (t) => {
    const { bench, order } = await setUp(cleanupOf(t), high, low);
    await bench.is(high, 'inactive acked');
    await bench.is(low, 'inactive acked');
    await order('show', 'High', { active: true, text: 'Level is 83' });
    await bench.is(high, 'active unacked (Level is 83)');
    await order('show', 'Low', { active: true, text: 'empty' });
    await bench.is(low, 'active unacked (empty)');
    await order('show', 'High', { active: false, text: 'back' });
    await bench.is(high, 'inactive unacked (back)');
    assert.equal(bench.last(2), 'active unacked (empty)');
  });

  test('are acknowledged by the server’s own people, who are named, and from here', async (t) => {
    const { bench, order } = await setUp(cleanupOf(t), high);
    await bench.is(high, 'inactive acked');
    await order('show', 'High', { active: true, text: 'up' });
    await bench.is(high, 'active unacked (up)');
    await order('panel', 'High', { text: 'olga' });
    await bench.is(high, 'active acked by olga (acknowledged)');
    await order('show', 'High', { active: false, acked: true, text: 'down' });
    await bench.is(high, 'inactive acked (down)');
    await order('show', 'High', { active: true, text: 'again' });
    await bench.is(high, 'active unacked (again)');
    assert.deepEqual(await acknowledge(bench), { kind: 'accepted' });
    await until('it is acknowledged', () => bench.last(1)?.startsWith('active acked') === true);
    assert.deepEqual(await order('comment', 'High'), { active: true, acked: true, comment: 'anna' });
    assert.equal((await acknowledge(bench))?.kind, 'refused', 'nothing waits for it any more');
  });

  test('that came, went or were acknowledged during an outage are as they are when it is over', async (t) => {
    const cleanup = cleanupOf(t);
    const { device, bench, order } = await setUp(cleanup, high, low);
    await bench.is(low, 'inactive acked');
    await order('show', 'High', { active: true, text: 'before' });
    await bench.is(high, 'active unacked (before)');
    await device.stop();
    assert.ok((await bench.ended) instanceof Error, 'the link is lost');
    assert.equal(bench.last(1), 'active unacked (before)', 'nothing is said of it meanwhile');
    await bench.connector.close();
    const again = await AlarmDevice.start(device.port);
    cleanup.defer(() => again.stop());
    await again.order({ kind: 'show', name: 'Low', active: true, text: 'meanwhile' });
    const signal = new AbortController().signal;
    await bench.connector.connect(signal);
    bench.ended = bench.connector.run(bench.controller.signal).catch((error: unknown) => error);
    await bench.is(high, 'inactive acked');
    await bench.is(low, 'active unacked (meanwhile)');
  });

  test('are told again to alarms that come later or under another id, without a new link', async (t) => {
    const { bench, order } = await setUp(cleanupOf(t));
    await order('show', 'High', { active: true, text: 'up' });
    bench.connector.setAlarms?.([high]);
    await bench.is(high, 'active unacked (up)');
    const renamed = { ...high, id: 7, name: 'renamed' };
    bench.connector.setAlarms?.([renamed, low]);
    await bench.is(renamed, 'active unacked (up)');
    await bench.is(low, 'inactive acked');
    assert.deepEqual(await acknowledge(bench, renamed), { kind: 'accepted' });
  });

  test('whose earlier states wait to be acknowledged are not acknowledged before these are, and all are from here', async (t) => {
    const { bench, order } = await setUp(cleanupOf(t), high);
    await bench.is(high, 'inactive acked');
    await order('show', 'High', { active: true, text: 'first' });
    await bench.is(high, 'active unacked (first)');
    await order('branch', 'High');
    await order('branch', 'High');
    await order('show', 'High', { active: false, acked: true, text: 'over' });
    await bench.is(high, 'inactive unacked (over)');
    await order('show', 'High', { active: true, acked: false, text: 'again' });
    await bench.is(high, 'active unacked (again)');
    await order('show', 'High', { active: true, acked: true, text: 'again' });
    await order('show', 'High', { active: false, acked: true, text: 'over again' });
    await bench.is(high, 'inactive unacked (over again)');
    assert.deepEqual(await order('branches', 'High'), [false, false]);
    assert.deepEqual(await acknowledge(bench), { kind: 'accepted' });
    await bench.is(high, 'inactive acked (over again)');
    assert.deepEqual(await order('branches', 'High'), [true, true]);
    assert.equal((await acknowledge(bench))?.kind, 'refused', 'nothing waits any more');
  });

  test('that are disabled are inactive, and need no acknowledgement', async (t) => {
    const { bench, order } = await setUp(cleanupOf(t), high);
    await order('show', 'High', { active: true, text: 'up' });
    await bench.is(high, 'active unacked (up)');
    await order('disable', 'High');
    await until('it is inactive', () => bench.last(1)?.startsWith('inactive acked') === true);
  });

  test('are shown when their object or their source is browsed, as alarms that can be followed', async (t) => {
    const { bench, order } = await setUp(cleanupOf(t));
    const browse = async (path: string | undefined, limit = 100, cursor?: string) => {
      const answer = await bench.connector.browse?.({ path, cursor, limit }, new AbortController().signal);
      return answer ?? { items: [], cursor: undefined };
    };
    const node = (name: string) => `nsu=urn:telltale:alarm-device;s=${name}`;
    const offer = (name: string) => ({ name, address: node(name), severity: 1 });
    const alarms = ({ items }: Awaited<ReturnType<typeof browse>>) => items.flatMap(({ alarm: found }) => found ?? []);
    assert.deepEqual(alarms(await browse(node('Tank'))), [offer('High'), offer('Low')]);
    assert.deepEqual(alarms(await browse(undefined)), [], 'nothing else is a condition');
    assert.deepEqual(alarms(await browse(node('LowSource'))), [offer('Low')], 'it is not below its source');
    const names: string[] = [];
    let page = await browse(node('Tank'), 1);
    for (; page.cursor !== undefined; page = await browse(node('Tank'), 1, page.cursor)) {
      assert.ok(page.items.length <= 1);
      names.push(...alarms(page).map(({ name }) => name));
    }
    assert.deepEqual([...names, ...alarms(page).map(({ name }) => name)], ['High', 'Low'], 'page by page');
    const [found] = alarms(await browse(node('LowSource')));
    const followed = alarm(5, found?.address ?? '');
    bench.connector.setAlarms?.([followed]);
    await order('show', 'Low', { active: true, text: 'empty' });
    await bench.is(followed, 'active unacked (empty)');
  });

  test('that flood come through to their last state', async (t) => {
    const { bench, order } = await setUp(cleanupOf(t), high);
    await bench.is(high, 'inactive acked');
    await order('flood', 'High', { count: 301 });
    await bench.is(high, 'active unacked (flood 301)');
  });

  test('are refreshed when the server asks for it', async (t) => {
    const { bench, order } = await setUp(cleanupOf(t), high);
    await order('show', 'High', { active: true, text: 'up' });
    await bench.is(high, 'active unacked (up)');
    await order('refreshRequired', 'High');
    await order('show', 'High', { active: false, acked: true, text: 'down' });
    await bench.is(high, 'inactive acked (down)');
  });

  test('of a namespace that the server does not have keep their states, and the log says so', async (t) => {
    const { bench } = await setUp(cleanupOf(t), alarm(3, 'nsu=urn:nobody;s=High'), high);
    await bench.is(high, 'inactive acked');
    assert.equal(bench.last(3), undefined);
    assert.match(bench.log.join('\n'), /alarm3: the server has no namespace for nsu=urn:nobody;s=High/);
    assert.equal((await acknowledge(bench, alarm(3, 'nsu=urn:nobody;s=High')))?.kind, 'refused');
  });
});
