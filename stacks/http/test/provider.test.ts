import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import { Batch, type Datatype, quality, type Value } from '@telltale/schema';
import { NotConnected, type Provider, type StackPoint } from '@telltale/stack-kit';
import { freePort, providerOptions, until } from '@telltale/stack-kit/testing';
import { createProvider } from '../src/provider.ts';
import stack from '../src/stack.ts';
import { parseOpenMetrics, parseTextFormat } from './parse-exposition.ts';

let stop: () => Promise<void> = async () => {};
afterEach(() => stop());

const warnings: string[] = [];

class Exporter {
  readonly provider: Provider;
  readonly port: number;
  #points: StackPoint[] = [];

  constructor(port: number, variables: Readonly<Record<string, string>>) {
    const role = stack.provider ?? assert.fail();
    const { values, faults } = role.readVariables({ port: String(port), ...variables });
    if (values === undefined) throw new Error(JSON.stringify(faults));
    warnings.length = 0;
    const warn = (message: string) => warnings.push(message);
    const log = { debug: () => {}, info: () => {}, warn, error: warn };
    this.port = port;
    this.provider = createProvider(providerOptions({ variables: values, log }));
  }

  static async start(variables: Readonly<Record<string, string>> = {}): Promise<Exporter> {
    const exporter = new Exporter(await freePort(), variables);
    const controller = new AbortController();
    await exporter.provider.connect(controller.signal);
    const running = exporter.provider.run(controller.signal);
    stop = async () => {
      stop = async () => {};
      controller.abort();
      await running;
      await exporter.provider.close();
    };
    return exporter;
  }

  /** The names of commands begin with `set_`. */
  setPoints(points: Readonly<Record<string, readonly [string, Datatype, Record<string, string>?, string?]>>): void {
    this.#points = Object.entries(points).map(([name, [address, datatype, properties = {}, eu]], id) => {
      return { id, name, address, datatype, properties, ...(eu !== undefined && { eu }) };
    });
    const isCommand = ({ name }: StackPoint) => name.startsWith('set_');
    this.provider.setPoints({
      measurements: this.#points.filter((point) => !isCommand(point)),
      commands: this.#points.filter(isCommand).map((point) => ({ ...point, last: undefined })),
    });
  }

  publish(values: Readonly<Record<string, Value>>, q: number = quality.good, timeUs = 1_700_000_000_000_000): void {
    const batch = new Batch();
    for (const [name, value] of Object.entries(values)) {
      batch.value(this.#points.find((point) => point.name === name)?.id ?? 99, value, q, timeUs);
    }
    this.provider.publish(batch);
  }

  fetch(path = '/metrics', options: RequestInit = {}): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.port}${path}`, {
      ...options,
      headers: { connection: 'close', ...options.headers },
    });
  }

  async scrape(): Promise<string> {
    return (await this.fetch()).text();
  }
}

describe('a scrape', () => {
  test('has the unit of a point as a label, unless that is switched off or the address has it', async () => {
    const points = {
      flow: ['flow{line="1"}', 'd', {}, 'm³/h'],
      level: ['level', 'd', {}, 'in "x"\n'],
      own: ['own{unit="mine"}', 'd', {}, 'm'],
      state: ['state', 's', {}, 'word'],
      bare: ['bare', 'd'],
    } as const;
    const labels = async (variables: Record<string, string>) => {
      const exporter = await Exporter.start({ qualityMetric: '', ...variables });
      exporter.setPoints(points);
      exporter.publish({ flow: 1, level: 2, own: 3, state: 'on', bare: 4 });
      const families = [...parseTextFormat(await exporter.scrape()).values()];
      await stop();
      return families.flatMap(({ samples }) => samples.map((sample) => sample.labels));
    };
    assert.deepEqual(await labels({}), [
      { line: '1', unit: 'm³/h' },
      { unit: 'in "x"\n' },
      { unit: 'mine' },
      { unit: 'word', value: 'on' },
      {},
    ]);
    assert.deepEqual(await labels({ unitLabel: '' }), [{ line: '1' }, {}, { unit: 'mine' }, { value: 'on' }, {}]);
    const { faults } = stack.provider?.readVariables({ unitLabel: 'value' }) ?? {};
    assert.equal(faults?.[0]?.field, 'unitLabel');
  });

  for (const badQuality of ['absent', 'nan']) {
    test(`has no sample of a command that was never written, with badQuality ${badQuality}`, async () => {
      const exporter = await Exporter.start({ badQuality });
      exporter.setPoints({ set_speed: ['speed', 'd'] });
      assert.equal(await exporter.scrape(), '');
      exporter.publish({ set_speed: 40 });
      assert.match(await exporter.scrape(), /^speed 40$/m);
      exporter.publish({ set_speed: 0 }, quality.bad.notConnected, 0);
      assert.equal(await exporter.scrape(), '');
    });
  }

  test('shows every datatype, in the format that is asked for', async () => {
    const exporter = await Exporter.start();
    exporter.setPoints({
      level: ['tank_level_metres{tank="1"}', 'd', { help: 'Level of a tank' }],
      other: ['tank_level_metres{tank="2"}', 'f'],
      starts: ['pump_starts_total', 'l', { metricType: 'counter' }],
      on: ['pump_on', 'b'],
      state: ['pump_state', 's'],
      two: ['valve_position', 'q'],
    });
    exporter.publish({
      level: 1.25,
      other: Math.fround(0.1),
      starts: 9223372036854775807n,
      on: true,
      state: 'läuft',
      two: 2,
    });
    const text = await exporter.fetch();
    assert.equal(text.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
    const families = parseTextFormat(await text.text());
    const shown = (name: string) => families.get(name)?.samples.map(({ labels, text: value }) => [labels, value]);
    assert.deepEqual(shown('tank_level_metres'), [
      [{ tank: '1' }, '1.25'],
      [{ tank: '2' }, '0.1'],
    ]);
    assert.deepEqual(shown('pump_starts_total'), [[{}, '9223372036854775807']]);
    assert.deepEqual(shown('pump_on'), [[{}, '1']]);
    assert.deepEqual(shown('pump_state_info'), [[{ value: 'läuft' }, '1']]);
    assert.deepEqual(shown('valve_position'), [[{}, '2']]);
    assert.equal(families.get('tank_level_metres')?.help, 'Level of a tank');
    assert.equal(families.get('telltale_point_quality')?.samples.length, 6);

    const open = await exporter.fetch('/metrics', {
      headers: { accept: 'application/openmetrics-text;version=1.0.0' },
    });
    assert.equal(open.headers.get('content-type'), 'application/openmetrics-text; version=1.0.0; charset=utf-8');
    const named = parseOpenMetrics(await open.text());
    assert.deepEqual(
      ['pump_starts', 'pump_state', 'tank_level_metres'].map((name) => named.get(name)?.type),
      ['counter', 'info', 'gauge'],
    );
  });

  test('says of a metric what was said of its point, where it has no labels', async () => {
    const exporter = await Exporter.start();
    const point = { datatype: 'd', properties: {}, description: 'Level of tank 1' } as const;
    exporter.provider.setPoints({
      measurements: [
        { ...point, id: 1, name: 'a', address: 'plain' },
        { ...point, id: 2, name: 'b', address: 'labelled{tank="1"}' },
        { ...point, id: 3, name: 'c', address: 'helped', properties: { help: 'Another text' } },
      ],
      commands: [],
    });
    const batch = new Batch();
    for (const id of [1, 2, 3]) batch.number(id, 1, quality.good, 1);
    exporter.provider.publish(batch);
    const families = parseTextFormat(await exporter.scrape());
    const helps = ['plain', 'labelled', 'helped'].map((name) => families.get(name)?.help);
    assert.deepEqual(helps, ['Level of tank 1', undefined, 'Another text']);
  });

  test('follows every change, and a bad point is gone until it is good', async () => {
    const exporter = await Exporter.start();
    exporter.setPoints({ a: ['a', 'd'] });
    const value = async () => parseTextFormat(await exporter.scrape()).get('a')?.samples[0]?.value;
    const shownQuality = async () =>
      parseTextFormat(await exporter.scrape()).get('telltale_point_quality')?.samples[0]?.value;
    assert.deepEqual([await value(), await shownQuality()], [undefined, quality.bad.notConnected]);
    exporter.publish({ a: 1 });
    assert.equal(await value(), 1);
    exporter.publish({ a: 2 });
    assert.equal(await value(), 2);
    const batch = new Batch();
    batch.none(0, quality.bad.communicationFailure, 5);
    exporter.provider.publish(batch);
    assert.deepEqual([await value(), await shownQuality()], [undefined, quality.bad.communicationFailure]);
    batch.clear();
    batch.none(0, quality.good, 6);
    exporter.provider.publish(batch);
    assert.equal(await value(), 2);
    exporter.setPoints({ b: ['b', 'd'] });
    assert.equal(await value(), undefined);
  });

  test('has each name once, though several points claim it: the first is served, and the log says so', async () => {
    const exporter = await Exporter.start();
    exporter.setPoints({
      a: ['x{p="1",q="2"}', 'd'],
      again: ['x{q="2",p="1"}', 'd'],
      gauge: ['state', 'd'],
      text: ['state', 's'],
      counter: ['y_total', 'd', { metricType: 'counter' }],
      plain: ['y', 'd'],
      quality: ['telltale_point_quality', 'd'],
      broken: ['x{p="1",p="2"}', 'd'],
      proto: ['__proto__', 'd'],
    });
    exporter.publish({ a: 1, again: 2, gauge: 3, text: 'x', counter: 4, plain: 5, quality: 6, proto: 7 });
    const families = parseOpenMetrics(
      await (await exporter.fetch('/metrics', { headers: { accept: 'application/openmetrics-text' } })).text(),
    );
    assert.deepEqual([...families.keys()], ['x', 'state', 'y', '__proto__', 'telltale_point_quality']);
    assert.deepEqual(
      warnings.map((text) => text.split(/[ :]/, 1)[0]),
      ['again', 'text', 'plain', 'quality', 'broken'],
    );
    parseTextFormat(await exporter.scrape());
  });

  test('of anything but /metrics, or by another method, is refused', async () => {
    const exporter = await Exporter.start();
    assert.equal((await exporter.fetch('/')).status, 404);
    assert.equal((await exporter.fetch('/metrics/../x')).status, 404);
    assert.equal((await exporter.fetch('/metrics?x=1')).status, 200);
    const posted = await exporter.fetch('/metrics', { method: 'POST', body: 'x' });
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
    const head = await exporter.fetch('/metrics', { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
  });

  test('wants the token where there is one', async () => {
    const exporter = await Exporter.start({ token: 'open sesame'.replace(' ', '-') });
    const status = async (authorization?: string) =>
      (await exporter.fetch('/metrics', authorization === undefined ? {} : { headers: { authorization } })).status;
    assert.equal(await status(), 401);
    for (const wrong of ['Bearer', 'Bearer x', 'Basic open-sesame', 'open-sesame', 'Bearer open-sesame2']) {
      assert.equal(await status(wrong), 401, wrong);
    }
    assert.equal(await status('Bearer open-sesame'), 200);
    assert.equal((await exporter.fetch('/elsewhere')).status, 401);
  });
});

describe('the listener', () => {
  test('turns away who may not come', async () => {
    // Another address of this machine stands for a stranger.
    const { networkInterfaces } = await import('node:os');
    const own = Object.values(networkInterfaces())
      .flat()
      .find((each) => each?.family === 'IPv4' && !each.internal)?.address;
    if (own === undefined) return;
    const exporter = await Exporter.start({ host: '0.0.0.0', allowedClients: '203.0.113.0/24' });
    await assert.rejects(fetch(`http://${own}:${exporter.port}/metrics`));
    assert.equal((await exporter.fetch()).status, 200);
  });

  test('has no more connections than allowed, and lets go those that say nothing', async () => {
    const exporter = await Exporter.start({ maxClients: '3' });
    const sockets = Array.from({ length: 8 }, () => createConnection(exporter.port, '127.0.0.1'));
    for (const socket of sockets) socket.on('error', () => {});
    const closed = () => sockets.filter(({ destroyed }) => destroyed).length;
    await until('those beyond are closed', () => closed() === 5);
    assert.equal(exporter.provider.detail?.().clients, 3);
    for (const socket of sockets) if (!socket.destroyed) socket.write('\u0000garbage\r\n\r\n');
    await until('all are closed', () => closed() === 8);
    await until('all are forgotten', () => exporter.provider.detail?.().clients === 0);
  });

  test('lets a scrape in though strangers without the token hold all connections, and keeps who had it', async () => {
    const exporter = await Exporter.start({ maxClients: '3', token: 'sesame' });
    const strangers = Array.from({ length: 3 }, () => createConnection(exporter.port, '127.0.0.1'));
    for (const stranger of strangers) stranger.on('error', () => {});
    await until('the house is full', () => exporter.provider.detail?.().clients === 3);
    const stored = createConnection(exporter.port, '127.0.0.1');
    stored.write('GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sesame\r\n\r\n');
    const [answer] = (await once(stored, 'data')) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1.1 200/);
    const more = Array.from({ length: 10 }, () => createConnection(exporter.port, '127.0.0.1'));
    for (const stranger of more) stranger.on('error', () => {});
    const all = [...strangers, ...more];
    await until('strangers make room', () => all.filter(({ destroyed }) => destroyed).length === 11);
    assert.equal(stored.destroyed, false);
    for (const socket of [stored, ...all]) socket.destroy();
  });

  test('holds little for a client that asks without end and takes nothing', async () => {
    const exporter = await Exporter.start();
    const names = Array.from({ length: 2000 }, (_, at) => `point_${at}`);
    exporter.setPoints(Object.fromEntries(names.map((name) => [name, [name, 'd']])));
    exporter.publish(Object.fromEntries(names.map((name) => [name, 1])));
    const before = process.memoryUsage().arrayBuffers;
    const greedy = createConnection(exporter.port, '127.0.0.1');
    greedy.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(1000));
    await once(greedy, 'readable');
    const grownMb = (process.memoryUsage().arrayBuffers - before) / 2 ** 20;
    greedy.destroy();
    assert.ok(grownMb < 20, `${grownMb} MB`);
  });

  test('on the machine itself answers nobody who was led there by another name', async () => {
    const exporter = await Exporter.start();
    const status = async (host: string) => {
      const socket = createConnection(exporter.port, '127.0.0.1');
      socket.write(`GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      return Number(answer.toString().split(' ')[1]);
    };
    for (const host of ['127.0.0.1', 'localhost:1', 'LOCALHOST', '[::1]:9464', '127.0.0.2:80']) {
      assert.equal(await status(host), 200, host);
    }
    for (const host of ['evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'x', '8.8.8.8', '']) {
      assert.equal(await status(host), 403, host);
    }
  });

  test('cannot have a port that somebody has', async () => {
    const exporter = await Exporter.start();
    const second = new Exporter(exporter.port, {});
    await assert.rejects(second.provider.connect(new AbortController().signal), NotConnected);
    await second.provider.close();
  });

  test('lets everybody go when it is closed, and may listen again', async () => {
    const exporter = await Exporter.start();
    const socket = createConnection(exporter.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.on('error', () => {});
    const closed = once(socket, 'close');
    await stop();
    await closed;
    const { signal } = new AbortController();
    await exporter.provider.connect(signal);
    assert.equal((await exporter.fetch()).status, 200);
    await exporter.provider.close();
    await exporter.provider.close();
  });
});
