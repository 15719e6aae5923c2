// Promises of scopes, against the real server with users: a caller whose grants are for a part of the plant finds the rest as if
// it were not there, byte for byte, with every operation of the catalogue, over HTTP and the channel.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { before, describe, test } from 'node:test';
import {
  type ChannelRequestName,
  channelRequestNames,
  closeCode,
  declarationOf,
  type HttpOperationName,
  httpOperationNames,
} from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { WebSocket } from 'ws';
import { CheckedChannel } from './checked-channel.ts';
import { makeTokens } from './granted-server.ts';
import { openSocket, readToEnd } from './raw-http.ts';
import { type Side, scopedPlant } from './scopes-plant.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
let server: ServerProcess;
let tokens: Awaited<ReturnType<typeof makeTokens<'north' | 'moved' | 'looker'>>>;

/** In time for a record of each. */
const recordTime = 1_700_000_000;

before(async () => {
  const open = await startServer(cleanup, { data: folder });
  const operations = await scopedPlant();
  const rendered = await open.send('POST', '/cfgdb/txn?render=1', { operations });
  assert.equal(rendered.status, 204, await rendered.text());
  for (const side of ['n', 's', 'gone_n', 'gone_s']) {
    const name = `${side}_level`;
    if (side.startsWith('gone')) await configure(open, { measurements: [name] });
    const body = JSON.stringify([['d7', [recordTime, 0], 192]]);
    const imported = await fetch(`${open.url}/data/archive/measurements/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    assert.equal(imported.status, 204, await imported.text());
    if (side.startsWith('gone')) await configure(open, {}, [name]);
  }
  await open.end();
  tokens = await makeTokens(folder, {
    north: [{ role: 'all', area: 'north' }],
    moved: [{ role: 'all', area: 'north' }],
    looker: [{ role: 'viewer' }, { role: 'operator', area: 'north' }],
  });
  server = await startServer(cleanup, { data: folder });
});

async function configure(
  { config }: ServerProcess,
  { measurements = [] as readonly string[] },
  deleted: readonly string[] = [],
) {
  const operations = [
    ...measurements.map((name) => ({
      operation: 'put',
      family: 'measurements',
      name,
      object: { name, datatype: 'd', archMode: 'change' },
    })),
    ...deleted.map((name) => ({ operation: 'delete', family: 'measurements', name })),
  ];
  const answer = await fetch(`${config}/cfgdb/txn?render=1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ operations }),
  });
  assert.equal(answer.status, 204, await answer.text());
}

const get = async (path: string, token: string) => {
  const answer = await fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } });
  return { status: answer.status, text: await answer.text(), etag: answer.headers.get('etag') };
};

/** The whole answer as bytes; without what differs from one second to the next. */
async function raw(method: string, path: string, token: string, body?: string): Promise<string> {
  const socket = await openSocket(server.url);
  const type = body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`];
  const head = [`${method} ${path} HTTP/1.1`, `Host: ${new URL(server.url).host}`, `Authorization: Bearer ${token}`];
  socket.write(`${[...head, ...type, 'Connection: close'].join('\r\n')}\r\n\r\n${body ?? ''}`);
  return (await readToEnd(socket)).replace(/^date: .*$/im, 'Date: now');
}

/** The objects of each kind end alike. */
const endings = {
  measurements: 'level',
  commands: 'valve',
  alarms: 'high',
  connectors: 'link',
  providers: 'out',
  'function-modules': 'calc',
  pictures: 'view',
  trends: 'day',
} as const;
type LiveResource = keyof typeof endings;

function endingOf(operation: HttpOperationName): string | undefined {
  const { effect, http } = declarationOf(operation);
  const kind = effect.resource === 'archive' ? http.path.split('/')[3] : effect.resource;
  return endings[kind as LiveResource];
}

const named = httpOperationNames.filter((name) => {
  return declarationOf(name).http.path.includes('/:name') && endingOf(name) !== undefined;
});

/** Requests that are right, and such as are wrong in each way: an object that is not in view is found not there as late. */
function requestsTo(operation: HttpOperationName, side: Side): { method: string; path: string; body?: string }[] {
  const { http, input } = declarationOf(operation);
  const path = http.path
    .replace(':name', `${side}_${endingOf(operation)}`)
    .replace(':t_since', '0')
    .replace(':t_until', '2000000000');
  const { method } = http;
  const queries = 'value' in input ? ['?value=d1', '?value=wrong', ''] : ['', '?unknown=1'];
  const bodies = http.body === undefined ? [undefined] : ['{}', '[]', '{"wrong', undefined];
  return queries.flatMap((query) =>
    bodies.map((body) => ({ method, path: path + query, ...(body !== undefined && { body }) })),
  );
}

const neutral = (text: string) => text.replaceAll(/\b[sx](?=_[a-z]+\b)/g, '?');

describe('what is not in view', () => {
  test('is not there, byte for byte, for every operation on one object', async () => {
    assert.ok(named.length > 30, `${named.length} operations`);
    for (const operation of named) {
      const [hidden, unknown] = [requestsTo(operation, 's'), requestsTo(operation, 'x')];
      for (const [at, { method, path, body }] of hidden.entries()) {
        const found = await raw(method, path, tokens.north, body);
        const { path: other = '' } = unknown[at] ?? {};
        assert.equal(neutral(found), neutral(await raw(method, other, tokens.north, body)), `${method} ${path}`);
        assert.match(found, /^HTTP\/1.1 4/, `${operation} ${path}`);
      }
    }
  });

  test('is what is in view for whoever sees it', async () => {
    for (const operation of named) {
      if (operation === 'browseConnector' || declarationOf(operation).effect.action !== 'read') continue;
      const [request] = requestsTo(operation, 'n');
      const [other] = requestsTo(operation, 's');
      assert.match(await raw('GET', request?.path ?? '', tokens.north), /^HTTP\/1.1 200/, operation);
      assert.match(await raw('GET', other?.path ?? '', tokens.chief), /^HTTP\/1.1 200/, operation);
    }
  });

  test('is in no list, and no count', async () => {
    const lists = httpOperationNames.filter((name) => {
      const { http, effect } = declarationOf(name);
      const isOfData = http.path.startsWith('/data/') || http.path.startsWith('/docs');
      return http.method === 'GET' && isOfData && !http.path.includes(':') && effect.resource !== 'certificates';
    });
    assert.ok(lists.length > 15);
    for (const name of lists) {
      const { http, input } = declarationOf(name);
      const { path } = http;
      const needed = 't_since' in input ? '?t_since=0&t_until=2000000000' : '';
      const { status, text } = await get(path + needed, tokens.north);
      if (name === 'getArchiveStats' || name === 'listSettings') assert.equal(status, 403, text);
      else assert.equal(status, 200, `${path}: ${text.slice(0, 200)}`);
      assert.doesNotMatch(text, /\bs_(?:level|flow|valve|high|link|out|calc|view|day)|south|"free"|gone_/, path);
    }
    const areas = JSON.parse((await get('/data/areas', tokens.north)).text);
    assert.deepEqual(Object.keys(areas), ['', 'north', 'north.pumps']);
    const { measurements, commands, alarms } = areas[''];
    const total = (counts: Record<string, number>) => Object.values(counts).reduce((sum, count) => sum + count, 0);
    assert.deepEqual([total(measurements), commands, total(alarms)], [2, 1, 1]);
  });

  test('is left out where it is named among others, as what is not there', async () => {
    for (const path of [
      '/data/measurements?names=n_level,@_level,@_flow',
      '/data/commands?names=n_valve,@_valve',
      '/data/alarms?names=@_high',
      '/data/connectors?names=@_link,n_link&fields=name',
      '/data/providers?names=@_out',
      '/data/function-modules?names=@_calc',
      '/data/pictures?names=@_view,n_view&fields=svg',
      '/data/trends?names=@_day',
      '/data/archive/measurements?names=n_level,@_level&t_since=0&t_until=2000000000',
      '/data/archive/measurements?names=@_level&t_since=0&t_until=2000000000',
      '/data/archive/alarms/transitions?names=@_high&t_since=0',
      '/data/archive/alarms/transitions?area=@outh&t_since=0',
      '/data/measurements?area=@outh',
      '/data/measurements?connector=@_link',
      '/data/measurements?search=@_',
    ]) {
      const [hidden, unknown] = ['s', 'x'].map((side) => path.replaceAll('@', side));
      const plain = async (each = '') => (await raw('GET', each, tokens.north)).replace(/^etag: .*$/im, 'ETag');
      assert.equal(neutral(await plain(hidden)), neutral(await plain(unknown)), path);
    }
  });

  test('leaves the validators of what is in view as they are', async () => {
    const read = () => get('/data/commands', tokens.north);
    const write = async (name: string) => {
      assert.match(await raw('PUT', `/data/commands/${name}?value=d1`, tokens.chief), /^HTTP\/1.1 204/);
    };
    const { etag } = await read();
    assert.notEqual(etag, (await get('/data/commands', tokens.chief)).etag);
    await write('s_valve');
    assert.equal((await read()).etag, etag);
    await write('n_valve');
    assert.notEqual((await read()).etag, etag);
  });

  test('is refused by name where it may be viewed and no more', async () => {
    const write = (name: string) => raw('PUT', `/data/commands/${name}?value=d1`, tokens.looker);
    assert.match(await write('n_valve'), /^HTTP\/1.1 204/);
    assert.match(await write('s_valve'), /^HTTP\/1.1 403/);
    assert.match(await write('x_valve'), /^HTTP\/1.1 40[34]/);
  });
});

/** A message of each request that names objects; null: it names none. */
const messages: Record<ChannelRequestName, ((side: string) => object) | null> = {
  Heartbeat: null,
  WatchMeasurements: (side) => ({ measurements: [`${side}_level`, 'n_flow'] }),
  UnwatchMeasurements: (side) => ({ measurements: [`${side}_level`] }),
  WatchCommands: (side) => ({ commands: [`${side}_valve`] }),
  UnwatchCommands: (side) => ({ commands: [`${side}_valve`] }),
  WatchAlarms: (side) => ({ alarms: [`${side}_high`] }),
  UnwatchAlarms: (side) => ({ alarms: [`${side}_high`] }),
  WatchFunctionModules: (side) => ({ function_modules: [`${side}_calc`] }),
  UnwatchFunctionModules: (side) => ({ function_modules: [`${side}_calc`] }),
  WatchFunctionModuleLogs: (side) => ({ function_modules: [`${side}_calc`] }),
  UnwatchFunctionModuleLogs: (side) => ({ function_modules: [`${side}_calc`] }),
  WatchConnectors: (side) => ({ connectors: [`${side}_link`] }),
  UnwatchConnectors: (side) => ({ connectors: [`${side}_link`] }),
  WatchProviders: (side) => ({ providers: [`${side}_out`] }),
  UnwatchProviders: (side) => ({ providers: [`${side}_out`] }),
  WriteCommands: (side) => ({ writes: [{ name: `${side}_valve`, value: 'd1' }] }),
  SimulateMeasurements: (side) => ({ simulations: [{ name: `${side}_level`, value: 'd1' }] }),
  StopSimulation: (side) => ({ measurements: [`${side}_level`] }),
  ReadSimulations: null,
  ReadAreas: null,
  ReadOverview: null,
  ReadMeasurements: (side) => ({ names: [`${side}_level`, 'n_level'], fields: ['name'] }),
  ReadCommands: (side) => ({ names: [`${side}_valve`] }),
  ReadAlarms: (side) => ({ names: [`${side}_high`] }),
  ReadConnectors: (side) => ({ names: [`${side}_link`] }),
  ReadProviders: (side) => ({ names: [`${side}_out`] }),
  ReadFunctionModules: (side) => ({ names: [`${side}_calc`] }),
  ReadCertificates: null,
  OperateCertificates: null,
  OperateAlarms: (side) => ({ operations: [{ name: `${side}_high`, opcode: 'acknowledge' }] }),
  AckAlarms: (side) => ({ alarms: [`${side}_high`] }),
  OperateConnectors: (side) => ({ operations: [{ name: `${side}_link`, opcode: 'restart' }] }),
  OperateProviders: (side) => ({ operations: [{ name: `${side}_out`, opcode: 'disable' }] }),
  OperateFunctionModules: (side) => ({ operations: [{ name: `${side}_calc`, opcode: 'start' }] }),
  ExplainMeasurement: (side) => ({ name: `${side}_level` }),
  ExplainCommand: (side) => ({ name: `${side}_valve` }),
  BrowseConnector: (side) => ({ name: `${side}_link` }),
  ReadDatabase: (side) => ({ select: { measurements: [`${side}_level`], commands: [`${side}_valve`], alarms: 'all' } }),
  ReadArchive: (side) => ({ archive: 'measurements', name: `${side}_level`, t_since: 0, t_until: 2e9 }),
  EraseArchive: (side) => ({ archive: 'measurements', name: `${side}_level`, t_since: 0, t_until: 1 }),
  AnswerQuery: null,
};

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe('on the channel, what is not in view', () => {
  test('is not there, byte for byte, for every request that names objects', async () => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/data/ws`, bearer(tokens.north));
    await once(socket, 'open');
    const answers: string[] = [];
    socket.on('message', (bytes: Buffer) => {
      if (bytes.includes('"request_id"')) answers.push(bytes.toString());
    });
    const ask = async (request: string, fields: object) => {
      const count = answers.length;
      socket.send(JSON.stringify({ request, id: 1, ...fields }));
      await until(`the answer to ${request}`, async () => answers.length > count);
      return answers.at(-1) ?? '';
    };
    for (const request of channelRequestNames) {
      const fieldsOf = messages[request];
      if (fieldsOf === null) continue;
      const hidden = await ask(request, fieldsOf('s'));
      assert.equal(neutral(hidden), neutral(await ask(request, fieldsOf('x'))), request);
      if (request.startsWith('Unwatch') || request.startsWith('Read')) continue;
      assert.match(hidden, /"result":false/, request);
    }
    socket.terminate();
  });

  test('is permitted item by item', async () => {
    const channel = await CheckedChannel.open(server.url, bearer(tokens.looker));
    const { results = [] } = await channel.ask('OperateAlarms', {
      operations: [
        { name: 'n_high', opcode: 'acknowledge' },
        { name: 'n_high', opcode: 'activate' },
        { name: 's_high', opcode: 'acknowledge' },
        { name: 'n_high', opcode: 'acknowledge' },
      ],
    });
    assert.deepEqual(
      results.map(({ result, error }) => [result, error?.status]),
      [
        [true, undefined],
        [false, 403],
        [false, 403],
        [true, undefined],
      ],
    );
    await channel.close();
  });

  test('is in no notification, whatever happens to it', async () => {
    const [watcher, chief] = await Promise.all([
      CheckedChannel.open(server.url, bearer(tokens.north)),
      CheckedChannel.open(server.url, bearer(tokens.chief)),
    ]);
    for (const [request, field] of [
      ['WatchMeasurements', 'measurements'],
      ['WatchCommands', 'commands'],
      ['WatchAlarms', 'alarms'],
    ] as const) {
      await watcher.done(request, { [field]: 'all' } as never);
      await watcher.done(request, { [field]: { area: ['north', 'south'] } } as never);
    }
    await watcher.done('WatchConnectors', { connectors: 'all' });
    await watcher.done('WatchProviders', { providers: 'all' });
    await watcher.done('WatchFunctionModules', { function_modules: 'all' });
    for (const side of ['s', 'n']) {
      await chief.done('SimulateMeasurements', { simulations: [{ name: `${side}_level`, value: 'd42' }] });
      await chief.done('WriteCommands', { writes: [{ name: `${side}_valve`, value: 'd42' }] });
      await chief.done('OperateAlarms', { operations: [{ name: `${side}_high`, opcode: 'activate' }] });
      await chief.done('OperateConnectors', { operations: [{ name: `${side}_link`, opcode: 'restart' }] });
    }
    await until('what was done to what is in view', async () => {
      const told = JSON.stringify(watcher.messages);
      return (
        watcher.values('n_level').includes('d42') && ['n_valve', 'n_high', 'n_link'].every((n) => told.includes(n))
      );
    });
    await watcher.settled();
    assert.doesNotMatch(JSON.stringify(watcher.messages), /\bs_(?:level|flow|valve|high|link|out|calc|view|day)|south/);
    await Promise.all([watcher.close(), chief.close()]);
  });

  test('begins at once when grants change under a watch: the client is closed, and sees what it may then', async () => {
    const watcher = await CheckedChannel.open(server.url, bearer(tokens.moved));
    await watcher.done('WatchMeasurements', { measurements: 'all' });
    await until('the present values', async () => watcher.values('n_level').length > 0);
    const closed = once(watcher.socket, 'close') as Promise<[number]>;
    const answer = await fetch(`${server.url}/access/users/moved`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${tokens.chief}`, 'content-type': 'application/json' },
      body: JSON.stringify({ grants: [{ role: 'all', area: 'south' }] }),
    });
    assert.ok(answer.ok, await answer.text());
    assert.equal((await closed)[0], closeCode.rightsChanged);
    assert.equal((await get('/data/measurements/n_level', tokens.moved)).status, 404);
    const again = await CheckedChannel.open(server.url, bearer(tokens.moved));
    await again.done('WatchMeasurements', { measurements: 'all' });
    await until('the present values', async () => again.values('s_level').length > 0);
    assert.deepEqual(again.values('n_level'), []);
    await again.close();
  });
});

describe('the probes', () => {
  test('say nothing of the plant to those who have not signed in', async () => {
    const answer = await fetch(`${server.url}/readyz`);
    assert.deepEqual(await answer.json(), { status: 'ready' });
    assert.equal((await fetch(`${server.url}/data/operations`)).status, 401);
    assert.equal((await fetch(`${server.url}/docs/`)).status, 401);
  });
});
