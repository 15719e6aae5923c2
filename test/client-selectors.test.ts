// The client against the real server: watches by selector, shared, beside others, and across a restart of the server.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, type TestContext, test } from 'node:test';
import { type NamedUpdate, TelltaleClient, TelltaleProblem, type Watch } from '@telltale/client';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { put } from './live-plant.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

/** What a reader has that applies every update. */
class Reader {
  readonly names = new Set<string>();
  readonly updates: string[] = [];
  resumed = 0;
  error: unknown;
  readonly ended: Promise<void>;

  constructor(watch: Watch<NamedUpdate>) {
    this.ended = this.#read(watch);
  }

  async #read(watch: Watch<NamedUpdate>): Promise<void> {
    try {
      for await (const { updates, resumed } of watch) {
        if (resumed) this.resumed++;
        for (const { name, left, removed } of updates) {
          this.updates.push(`${name}${left ? ' left' : ''}${removed ? ' removed' : ''}`);
          if (left || removed) this.names.delete(name);
          else this.names.add(name);
        }
      }
    } catch (error) {
      this.error = error;
    }
  }

  async has(...names: string[]): Promise<void> {
    await until(`${names}`, async () => String([...this.names].sort()) === String(names));
  }
}

describe('a watch by selector', () => {
  const cleanup = suiteCleanup();
  const folder = temporaryFolder(cleanup);
  const data = join(folder, 'data');
  let server: ServerProcess;
  let client: TelltaleClient;
  const apply = (...operations: Parameters<TelltaleClient['configuration']['transaction']>[0]) =>
    client.configuration.transaction(operations, { render: true });
  const skid = (name: string, fields = {}) => put('measurements', name, { datatype: 'd', area: 'works', ...fields });

  before(async () => {
    server = await startServer(cleanup, { data });
    client = new TelltaleClient({ url: server.url });
    await apply(
      skid('skid_1'),
      skid('skid_2'),
      skid('other', { area: 'office' }),
      put('commands', 'skid_start', { datatype: 'b', area: 'works' }),
      put('alarms', 'skid_high', { severity: 1, area: 'works' }),
    );
  });

  function channelFor(t: TestContext) {
    const channel = client.channel();
    t.after(() => channel.close());
    return channel;
  }

  test('has what is selected of measurements, commands and alarms, as it comes and goes', async (t) => {
    const channel = channelFor(t);
    const works = new Reader(channel.watchMeasurements({ area: 'works' }));
    const named = new Reader(channel.watchMeasurements({ names: ['skid_*', 'other'] }));
    const forced = new Reader(channel.watchMeasurements({ quality: ['simulated'], search: 'skid' }));
    const commands = new Reader(channel.watchCommands({ connector: [], area: 'works' }));
    const started = new Reader(channel.watchCommands({ names: ['*start'] }));
    const alarms = new Reader(channel.watchAlarms({ area: ['works', 'office'] }));
    const everything = new Reader(channel.watchMeasurements({}));
    await works.has('skid_1', 'skid_2');
    await named.has('other', 'skid_1', 'skid_2');
    await started.has('skid_start');
    await alarms.has('skid_high');
    await everything.has('other', 'skid_1', 'skid_2');
    await apply(skid('skid_3'), skid('skid_2', { area: 'office' }));
    await works.has('skid_1', 'skid_3');
    await named.has('other', 'skid_1', 'skid_2', 'skid_3');
    await client.measurements.simulate('skid_1', 'd1');
    await forced.has('skid_1');
    await client.measurements.stopSimulation('skid_1');
    await forced.has();
    assert.deepEqual(forced.updates, ['skid_1', 'skid_1 left']);
    assert.deepEqual(commands.updates, []);
    await apply({ operation: 'delete', family: 'measurements', name: 'skid_3' }, skid('skid_2'));
    await works.has('skid_1', 'skid_2');
  });

  test('is one at the service for all readers of a channel, and ends with the last of them', async (t) => {
    const channel = channelFor(t);
    const watches = async () =>
      Number(/telltale_channel_watches (\d+)/.exec(await (await fetch(`${server.url}/metrics`)).text())?.[1]);
    await until('those of other tests are over', async () => (await watches()) === 0);
    const stop = [new AbortController(), new AbortController()] as const;
    const first = new Reader(channel.watchMeasurements({ names: ['skid_*'] }, { signal: stop[0].signal }));
    await first.has('skid_1', 'skid_2');
    const second = new Reader(channel.watchMeasurements({ names: ['skid_*'] }, { signal: stop[1].signal }));
    await second.has('skid_1', 'skid_2');
    assert.equal(await watches(), 1);
    stop[0].abort();
    await first.ended;
    await apply(skid('skid_4'));
    await second.has('skid_1', 'skid_2', 'skid_4');
    assert.equal(first.names.size, 2);
    stop[1].abort();
    await second.ended;
    await until('it is over', async () => (await watches()) === 0);
    await apply({ operation: 'delete', family: 'measurements', name: 'skid_4' });
  });

  test('goes on when a watch of all beside it ends', async (t) => {
    const channel = channelFor(t);
    const stop = new AbortController();
    const all = new Reader(channel.watchMeasurements('all', { signal: stop.signal }));
    const works = new Reader(channel.watchMeasurements({ area: 'works' }));
    await all.has('other', 'skid_1', 'skid_2');
    await works.has('skid_1', 'skid_2');
    stop.abort();
    await apply(skid('skid_5'));
    await works.has('skid_1', 'skid_2', 'skid_5');
    await apply({ operation: 'delete', family: 'measurements', name: 'skid_5' });
    await works.has('skid_1', 'skid_2');
    assert.equal(works.error, undefined);
  });

  test('that is refused fails with the reason', async (t) => {
    const channel = channelFor(t);
    const reader = new Reader(channel.watchMeasurements({ names: Array.from({ length: 101 }, (_, at) => `${at}*`) }));
    await reader.ended;
    assert.ok(reader.error instanceof TelltaleProblem);
    assert.equal(reader.error.problem, 'invalid-query');
  });

  test('is resumed after a loss; what went meanwhile is told to have left, what came is there', async (t) => {
    const channel = channelFor(t);
    const works = new Reader(channel.watchMeasurements({ area: 'works' }));
    await works.has('skid_1', 'skid_2');
    const { port } = new URL(server.url);
    const lost = new Promise<void>((resolve) => void channel.onState((state) => state === 'lost' && resolve()));
    await server.end();
    await lost;
    const elsewhere = await startServer(cleanup, { data });
    const operations = [skid('skid_2', { area: 'office' }), skid('skid_6')];
    await new TelltaleClient({ url: elsewhere.url }).configuration.transaction(operations, { render: true });
    await elsewhere.end();
    server = await startServer(cleanup, { data, args: ['--port', port] });
    await works.has('skid_1', 'skid_6');
    assert.equal(works.resumed, 1);
    assert.deepEqual(works.updates.toSorted(), ['skid_1', 'skid_1', 'skid_2', 'skid_2 left', 'skid_6']);
    assert.equal(works.error, undefined);
  });
});
