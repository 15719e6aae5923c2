// Lists of brokers: real ones, which are killed.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HostedConnector, HostedProvider, until } from '@telltale/stack-kit/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import stack from '../src/stack.ts';
import { type Heard, Mosquitto, withoutMosquitto } from './mosquitto.ts';
import { SparkplugDecoder } from './sparkplug-decoder.ts';

const state = (broker: Mosquitto, online: boolean, id = 'scada') =>
  broker.pub(`spBv1.0/STATE/${id}`, JSON.stringify({ online, timestamp: Date.now() }), '-r');

interface Told {
  readonly kind: string;
  readonly bdSeq: number | undefined;
}

/** Births and deaths, each with its number. */
function lives({ messages }: Heard): Told[] {
  const decoder = new SparkplugDecoder();
  return messages.flatMap(({ topic, payload }) => {
    const kind = topic.split('/')[2] ?? '';
    const { metrics } = decoder.decode(topic, payload);
    const bdSeq = metrics?.find(({ name }) => name === 'bdSeq')?.value;
    return /^N(BIRTH|DEATH)$/.test(kind) ? [{ kind, bdSeq: bdSeq === undefined ? undefined : Number(bdSeq) }] : [];
  });
}

describe('with several brokers', { skip: withoutMosquitto }, () => {
  const startTwo = async (cleanup: AsyncDisposableStack) => {
    const [first, second] = await Promise.all([Mosquitto.start(), Mosquitto.start()]);
    for (const broker of [first, second]) cleanup.defer(() => broker.stop());
    const vars = { port: `${first.port}`, otherBrokers: `127.0.0.1:${second.port}` };
    const names = [first, second].map(({ port }) => `mqtt://127.0.0.1:${port}`);
    return { first, second, vars, names };
  };
  const startProvider = async (cleanup: AsyncDisposableStack, vars: Record<string, string>) => {
    const p = new HostedProvider({ role: stack.provider ?? assert.fail(), vars, folder: temporaryFolder(cleanup) });
    cleanup.defer(() => p.stop());
    p.setPoints([{ address: 'Level', datatype: 'd', values: [1, 2] }], []);
    // It takes no value before it is made.
    await until('it has a value', () => {
      p.publish('Level', 1, 0xc0, Date.now() * 1000);
      return p.connection.status().counters.batches > 0;
    });
    return p;
  };
  const sub = async (cleanup: AsyncDisposableStack, broker: Mosquitto, ...filters: string[]) => {
    const heard = await broker.sub(...filters);
    cleanup.defer(() => heard.stop());
    return heard;
  };

  test('a connector goes on at the next when one is killed, and says which it uses', async (t) => {
    const cleanup = cleanupOf(t);
    const { first, second, vars, names } = await startTwo(cleanup);
    await first.pub('plant/level', '1', '-r');
    await second.pub('plant/level', '2', '-r');
    const c = new HostedConnector({
      role: stack.connector ?? assert.fail(),
      vars: { ...vars, retained: 'good' },
      folder: temporaryFolder(cleanup),
      measurements: [{ address: 'plant/level', datatype: 'd' }],
      commands: [{ address: 'plant/set', datatype: 'd' }],
    });
    cleanup.defer(() => c.stop());
    c.setPoints();
    const shows = (value: number) =>
      until(`${value} is read`, () => {
        const { value: own, quality } = c.points.get('plant/level') ?? {};
        return own === value && quality === 0xc0;
      });
    const used = () => c.connection.detail().devices.map(({ name, isUp }) => [name, isUp]);
    await shows(1);
    assert.deepEqual(used(), [[names[0], true]]);
    await first.halt('SIGKILL');
    await shows(2);
    assert.deepEqual(used(), [
      [names[0], false],
      [names[1], true],
    ]);
    // It stays there when the first is back, and goes there when the second is killed.
    await first.again();
    await first.pub('plant/level', '3', '-r');
    assert.equal(c.points.get('plant/level')?.value, 2);
    await second.halt('SIGKILL');
    await shows(3);
    assert.deepEqual(used(), [
      [names[0], true],
      [names[1], false],
    ]);
    assert.ok(c.clock.longestPauseMs <= 5000);
  });

  test('a provider of plain topics publishes everything at the next, with its status', async (t) => {
    const cleanup = cleanupOf(t);
    const { first, second, vars, names } = await startTwo(cleanup);
    const [here, there] = await Promise.all([sub(cleanup, first, '#'), sub(cleanup, second, '#')]);
    const p = await startProvider(cleanup, { ...vars, topic: 'plant/{address}', payload: '{text}' });
    await until('the value at the first', () => here.texts('plant/Level').includes('1'));
    assert.deepEqual(there.messages, []);
    await first.halt('SIGKILL');
    await until('the value at the second', () => there.texts('plant/Level').includes('1'));
    assert.deepEqual(there.texts('telltale/tested/status'), ['online']);
    p.publish('Level', 7, 0xc0, Date.now() * 1000);
    await until('the next value', () => there.texts('plant/Level').includes('7'));
    assert.deepEqual(
      p.connection.detail().devices.map(({ name, isUp }) => [name, isUp]),
      [
        [names[0], false],
        [names[1], true],
      ],
    );
  });

  test('an edge node is born at the next, with the next bdSeq', async (t) => {
    const cleanup = cleanupOf(t);
    const { first, second, vars } = await startTwo(cleanup);
    const [here, there] = await Promise.all([
      sub(cleanup, first, 'spBv1.0/Plant/#'),
      sub(cleanup, second, 'spBv1.0/Plant/#'),
    ]);
    const p = await startProvider(cleanup, { ...vars, format: 'sparkplug', group: 'Plant', node: 'gateway' });
    await until('the birth at the first', () => lives(here).length === 1);
    await first.halt('SIGKILL');
    await until('the birth at the second', () => lives(there).length === 1);
    const [one, other] = [lives(here)[0]?.bdSeq, lives(there)[0]?.bdSeq];
    assert.ok(one !== undefined && other !== undefined && other > one);
    // The death that the second has of it is that of this life.
    await p.stop();
    await until('the death', () => lives(there).some(({ kind }) => kind === 'NDEATH'));
    assert.equal(lives(there).find(({ kind }) => kind === 'NDEATH')?.bdSeq, other);
  });

  test('an edge node goes to the broker at which its primary host is online, and follows it', async (t) => {
    const cleanup = cleanupOf(t);
    const { first, second, vars, names } = await startTwo(cleanup);
    await state(first, false);
    await state(second, true);
    const [here, there] = await Promise.all([
      sub(cleanup, first, 'spBv1.0/Plant/#'),
      sub(cleanup, second, 'spBv1.0/Plant/#'),
    ]);
    const kinds = (heard: Heard) => lives(heard).map(({ kind }) => kind);
    const node = { format: 'sparkplug', group: 'Plant', node: 'gateway', primaryHost: 'scada' };
    const p = await startProvider(cleanup, { ...vars, ...node });
    await until('the birth where the host is', () => kinds(there).includes('NBIRTH'));
    assert.ok(!kinds(here).includes('NBIRTH'), 'none where it is not');
    // The host moves: first it is nowhere.
    await state(second, false);
    await until('its death', () => kinds(there).includes('NDEATH'));
    await until('it looks for it', () => p.lastError.includes('scada is not online there'));
    assert.ok(!kinds(here).includes('NBIRTH'));
    await state(first, true);
    await until('the birth at the first', () => kinds(here).includes('NBIRTH'));
    await until('it is up', () => p.state === 'up');
    assert.deepEqual(
      p.connection.detail().devices.map(({ name, isUp }) => [name, isUp]),
      [
        [names[0], true],
        [names[1], false],
      ],
    );
    const [birth] = lives(here).filter(({ kind }) => kind === 'NBIRTH');
    const [before] = lives(there).filter(({ kind }) => kind === 'NBIRTH');
    assert.ok((birth?.bdSeq ?? 0) > (before?.bdSeq ?? 0));
  });

  test('an edge node does not wait for ever at a broker that has never heard of its primary host', async (t) => {
    const cleanup = cleanupOf(t);
    const { second, vars } = await startTwo(cleanup);
    await state(second, true);
    const there = await sub(cleanup, second, 'spBv1.0/Plant/#');
    const node = { format: 'sparkplug', group: 'Plant', node: 'gateway', primaryHost: 'scada' };
    await startProvider(cleanup, { ...vars, ...node });
    await until('the birth where the host is', () => lives(there).length === 1);
  });

  test('a host application says at the next broker that it is online, and reads the edge nodes there', async (t) => {
    const cleanup = cleanupOf(t);
    const { first, second, vars } = await startTwo(cleanup);
    const there = await sub(cleanup, second, 'spBv1.0/STATE/#');
    // The edge node waits for it, at whichever broker it is.
    const node = { format: 'sparkplug', group: 'Plant', node: 'gateway', primaryHost: 'scada' };
    const p = await startProvider(cleanup, { ...vars, ...node });
    const c = new HostedConnector({
      role: stack.connector ?? assert.fail(),
      vars: { ...vars, hostId: 'scada' },
      folder: temporaryFolder(cleanup),
      measurements: [{ address: 'spBv1.0/Plant/gateway#Level', datatype: 'd' }],
    });
    cleanup.defer(() => c.stop());
    c.setPoints();
    const shows = (value: number) =>
      until(`${value} is read`, () => {
        const { value: own, quality } = c.points.get('spBv1.0/Plant/gateway#Level') ?? {};
        return own === value && quality === 0xc0;
      });
    await shows(1);
    await first.halt('SIGKILL');
    p.publish('Level', 2, 0xc0, Date.now() * 1000);
    await shows(2);
    const states = there.texts('spBv1.0/STATE/scada').map((text) => JSON.parse(text).online);
    assert.ok(states.includes(true));
  });
});
