// What the token of a function module may do, on every route and with every request of the channel that there is: one
// that forgot to be guarded fails here. Real sockets.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import {
  type ChannelRequestFields,
  type ChannelRequestName,
  channelRequestNames,
  httpOperationNames,
} from '@telltale/schema';
import { WebSocket } from 'ws';
import { ModuleTokens } from '../packages/server/src/access/index.ts';
import type { HttpServer, Route } from '../packages/server/src/api/index.ts';
import type { Implementations } from '../packages/server/src/operations/index.ts';
import { ModuleInterface } from '../packages/server/test/module-interface.ts';
import { openAccess } from '../packages/server/test/open-access.ts';
import { plainHttp, plainRoutes } from '../packages/server/test/plain-http.ts';
import { ScriptedModules } from '../packages/server/test/scripted-modules.ts';
import { CheckedChannel } from './checked-channel.ts';
import { nameOfProblem } from './config-client.ts';
import { sendRaw } from './raw-http.ts';

/** Everything that is not a GET and that a module may ask for: to names that it is given, or to any. */
const writesOfModules = [
  'PUT /data/measurements/:name',
  'DELETE /data/measurements/:name',
  'PUT /data/commands/:name',
  'POST /data/alarms/:name/activate',
  'POST /data/alarms/:name/deactivate',
  'POST /data/alarms/:name/acknowledge',
];
const readsByPost = ['POST /data/connectors/:name/browse'];

/** Of query parameters that are required. */
const fitting = new Map([
  ['value', 'd1'],
  ['family', 'measurements'],
]);

const garbage = [
  'Bearer',
  'Bearer ',
  'Bearer x',
  `Bearer ${'A'.repeat(43)}`,
  `Bearer ${'A'.repeat(200 << 10)}`,
  'Bearer __proto__',
  'Bearer null',
  'Token abc',
  'x',
  ':',
  'Bearer \u00ff\u00fe',
];

describe('every route', () => {
  const tokens = new ModuleTokens();
  const reached: string[] = [];
  const routes = plainRoutes(
    Object.fromEntries(httpOperationNames.map((name) => [name, () => undefined])) as unknown as Implementations,
  );
  let http: HttpServer;
  let url: string;
  let all: string;
  let some: string;

  before(async () => {
    all = tokens.issue('loop', '*');
    some = tokens.issue('loop', 'level');
    http = plainHttp({
      routes: routes.map((route) => ({ ...route, handle: () => recorded(route) })),
      identities: openAccess(tokens),
    });
    await http.listen({ host: '127.0.0.1', port: 0 });
    url = `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`;
  });
  after(() => http.close());
  beforeEach(() => {
    reached.length = 0;
  });

  function recorded({ id, answer }: Route): unknown {
    reached.push(id);
    return answer.status === 204 ? undefined : '';
  }

  /** Who is known decides, or what is asked for. */
  const isForEverybody = ({ permission }: Route) => permission === 'public' || permission === 'signed-in';
  const keyOf = ({ method, path }: Route) => `${method} ${path}`;

  /** A body is announced and never sent, so that whoever refuses has not waited for it. */
  async function ask({ method, path, body, query }: Route, authorization: string | undefined, hasBody: boolean) {
    const place = path
      .replace(':name', 'level')
      .replace(':account', 'anna')
      .replace(':session', 'x')
      .replace(':id', '1')
      .replace(':t_since', '1')
      .replace(':t_until', '2');
    const asked = query?.required?.map((name) => `${name}=${fitting.get(name) ?? '1'}`).join('&') ?? '';
    const content = hasBody ? '' : '{}';
    return sendRaw(url, [
      `${method} ${place}?${asked} HTTP/1.1`,
      `host: ${new URL(url).host}`,
      ...(authorization === undefined ? [] : [`authorization: ${authorization}`]),
      ...(body === undefined ? [] : [`content-type: ${body.types[0]}`]),
      `content-length: ${hasBody ? 1000 : content.length}`,
      'connection: close',
      ...(hasBody ? [] : ['', content]),
    ]);
  }

  test('is known to this test', () => {
    const keys = routes.map(keyOf);
    assert.ok(keys.length > 80);
    for (const key of [...writesOfModules, ...readsByPost]) assert.ok(keys.includes(key), key);
  });

  test('that is a read is open to a module, with whatever it may write, but for users and the audit trail', async () => {
    const closed: readonly string[] = ['manage-users', 'read-audit', 'set-secret'];
    const reads = routes.filter(
      (route) => (route.method === 'GET' || readsByPost.includes(keyOf(route))) && !closed.includes(route.permission),
    );
    const none = tokens.issue('loop', '');
    for (const route of reads) {
      await ask(route, `Bearer ${none}`, false);
      assert.deepEqual(reached.splice(0), [route.id], keyOf(route));
    }
  });

  test('that writes to a name is open to a module for the names that it is given', async () => {
    for (const route of routes.filter((each) => writesOfModules.includes(keyOf(each)))) {
      for (const token of [all, some]) {
        const { status } = await ask(route, `Bearer ${token}`, false);
        assert.deepEqual([status, reached.splice(0)], [204, [route.id]], keyOf(route));
      }
      for (const list of ['', 'levels', 'leve', 'flow, pump*', 'LEVEL']) {
        const answer = await ask(route, `Bearer ${tokens.issue('loop', list)}`, false);
        assert.deepEqual([nameOfProblem(answer), reached], ['not-allowed', []], `${keyOf(route)} with ${list}`);
        assert.match(answer.text, /properties\.writes/);
      }
    }
  });

  test('that is any other write is closed to every module, before its body is read', async () => {
    const open = new Set([...writesOfModules, ...readsByPost]);
    const closed = routes.filter(
      (route) => route.method !== 'GET' && !open.has(keyOf(route)) && !isForEverybody(route),
    );
    assert.ok(closed.length > 25, `${closed.length}`);
    for (const route of closed) {
      for (const token of [all, some]) {
        const answer = await ask(route, `Bearer ${token}`, true);
        assert.deepEqual([nameOfProblem(answer), answer.status, reached], ['not-allowed', 403, []], keyOf(route));
      }
    }
  });

  test('refuses a token that is not known, before its body is read, and says what would be right', async () => {
    const expired = tokens.issue('loop', '*');
    tokens.revoke(expired);
    for (const route of routes) {
      const answer = await ask(route, `Bearer ${expired}`, true);
      assert.deepEqual([nameOfProblem(answer), answer.status, reached], ['invalid-token', 401, []], keyOf(route));
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer\b/);
    }
    const [route = assert.fail()] = routes;
    for (const header of garbage) {
      assert.equal(nameOfProblem(await ask(route, header, true)), 'invalid-token', header.slice(0, 50));
    }
  });

  test('is open to a program of this machine that brings no token, or what a proxy asked for', async () => {
    for (const route of routes.filter(({ permission }) => permission !== 'manage-users' && permission !== 'owner')) {
      for (const header of [undefined, 'Basic YTpi']) {
        await ask(route, header, false);
        assert.deepEqual(reached.splice(0), [route.id], keyOf(route));
      }
    }
  });
});

describe('a function module', () => {
  const modules = new ScriptedModules();
  const tokens = new ModuleTokens();
  const bench = new ModuleInterface(modules, { tokens });
  let token: string;

  before(async () => {
    await bench.open();
    token = tokens.issue('loop', 'level, valve, high, __proto__');
  });
  after(() => bench.close());

  const ask = (method: string, path: string, given = token) =>
    bench.ask(method, `/data${path}`, { headers: { authorization: `Bearer ${given}` } });

  async function done(method: string, path: string): Promise<void> {
    const { status, text } = await ask(method, path);
    assert.equal(status, 204, text);
  }

  async function refused(method: string, path: string): Promise<void> {
    assert.equal(nameOfProblem(await ask(method, path)), 'not-allowed', path);
  }

  test('writes to the names that it is given, of every kind, and signs what it does', async () => {
    for (const name of ['level', '__proto__']) await done('PUT', `/measurements/${name}?value=d1`);
    const forced = JSON.parse((await ask('GET', '/simulations')).text) as Record<string, { by: string }>;
    assert.deepEqual(
      Object.values(forced).map(({ by }) => by),
      ['module/loop', 'module/loop'],
    );
    for (const name of ['level', '__proto__']) await done('DELETE', `/measurements/${name}`);
    for (const name of ['valve', '__proto__']) await done('PUT', `/commands/${name}?value=d2`);
    assert.deepEqual([...bench.disk.commands.keys()], ['valve', '__proto__']);
    await done('POST', '/alarms/high/activate');
    const authority = async () => JSON.parse((await ask('GET', '/alarms/high')).text).authority as string;
    assert.equal(await authority(), 'module/loop');
    await done('POST', '/alarms/high/acknowledge?authority=anna');
    assert.equal(await authority(), 'module/loop', 'whoever is known counts');
  });

  test('writes to no other name, one that there is not or cannot be neither', async () => {
    for (const name of ['flow', 'pump', 'low', 'other', 'constructor']) {
      await refused('PUT', `/measurements/${name}?value=d1`);
      await refused('DELETE', `/measurements/${name}`);
      await refused('PUT', `/commands/${name}?value=d1`);
      for (const operation of ['activate', 'deactivate', 'acknowledge'])
        await refused('POST', `/alarms/${name}/${operation}`);
    }
    assert.equal(nameOfProblem(await ask('PUT', '/commands/no%20name?value=d1')), 'invalid-name');
    assert.equal(bench.disk.commands.has('pump'), false);
  });

  test('reads everything', async () => {
    const paths = ['/measurements/', '/measurements/flow', '/commands/pump', '/alarms/low', '/function-modules/a'];
    for (const path of paths) assert.equal((await ask('GET', path)).status, 200, path);
  });

  test('gets other rights as soon as its definition gives it others, and none after its run', async () => {
    const other = tokens.issue('loop', '');
    const write = async () => (await ask('PUT', '/commands/pump?value=d1', other)).status;
    const statuses = [await write()];
    tokens.change(other, 'pump');
    statuses.push(await write());
    tokens.change(other, 'p');
    statuses.push(await write());
    tokens.revoke(other);
    statuses.push(await write());
    assert.deepEqual(statuses, [403, 204, 403, 401]);
  });

  describe('on the channel', () => {
    const batches: Partial<Record<ChannelRequestName, (names: string[]) => object>> = {
      WriteCommands: (names) => ({ writes: names.map((name) => ({ name, value: 'd3' })) }),
      SimulateMeasurements: (names) => ({ simulations: names.map((name) => ({ name, value: 'd3' })) }),
      StopSimulation: (names) => ({ measurements: names }),
      OperateAlarms: (names) => ({ operations: names.map((name) => ({ name, opcode: 'deactivate' })) }),
      AckAlarms: (names) => ({ alarms: names }),
    };
    const closed: Partial<Record<ChannelRequestName, object>> = {
      EraseArchive: { archive: 'commands', name: 'valve', t_since: 1, t_until: 2 },
      OperateConnectors: { operations: [{ name: 'plc', opcode: 'restart' }] },
      OperateProviders: { operations: [{ name: 'panel', opcode: 'restart' }] },
      OperateFunctionModules: { operations: [{ name: 'loop', opcode: 'stop' }] },
      OperateCertificates: { operations: [{ name: 'ab', opcode: 'trust' }] },
    };
    const open: Partial<Record<ChannelRequestName, object>> = {
      ReadDatabase: { select: {} },
      ReadArchive: { archive: 'commands', name: 'valve', t_since: 1, t_until: 2 },
      ExplainMeasurement: { name: 'level' },
      ExplainCommand: { name: 'valve' },
      BrowseConnector: { name: 'plc' },
      AnswerQuery: { query_id: 1 },
    };
    let channel: CheckedChannel;

    before(async () => {
      channel = await CheckedChannel.open(bench.url, { headers: { authorization: `Bearer ${token}` } });
    });
    after(() => channel.close());

    const list = (request: string) => {
      const kind = /^(?:Un)?[Ww]atch(\w+)$/.exec(request)?.[1]?.replace('ModuleLogs', 'Modules') ?? '';
      return kind === '' ? {} : { [kind.replaceAll(/(?<=.)[A-Z]/g, '_$&').toLowerCase()]: [] };
    };

    for (const request of channelRequestNames) {
      const fields = batches[request];
      if (fields !== undefined) {
        test(`${request} is carried out for the names that it is given, and refused for the others`, async () => {
          const own = { WriteCommands: 'valve', OperateAlarms: 'high', AckAlarms: 'high' } as Record<string, string>;
          const names = ['flow', own[request] ?? 'level', '__proto__', 'pump', 'constructor', 'no name', ''];
          const answer = await channel.refused('not-allowed', request, fields(names));
          assert.deepEqual(
            answer.results?.map(({ result, error }) => (result ? 'done' : error?.status)),
            [403, 'done', 'done', 403, 403, 403, 403],
          );
        });
      } else if (closed[request] !== undefined) {
        test(`${request} is refused as a whole`, async () => {
          const answer = await channel.refused('not-allowed', request, closed[request]);
          assert.equal(answer.results, undefined);
        });
      } else {
        test(`${request} reads, and is open`, async () => {
          const answer = await channel.ask(
            request,
            (open[request] ?? list(request)) as ChannelRequestFields<typeof request>,
          );
          const { error } = answer;
          assert.ok(error === undefined || error.status === 404 || error.status === 503, JSON.stringify(error));
        });
      }
    }

    test('it signs what it does', async () => {
      await channel.done('SimulateMeasurements', { simulations: [{ name: 'level', value: 'd1' }] });
      const { simulations } = await channel.done('ReadSimulations', {});
      assert.equal((simulations as Record<string, { by: string }>).level?.by, 'module/loop');
      await channel.done('OperateAlarms', { operations: [{ name: 'high', opcode: 'activate' }] });
      assert.equal(JSON.parse(bench.data.readAlarm('high')).authority, 'module/loop');
      await channel.done('AckAlarms', { alarms: ['high'], authority: 'anna' });
      assert.equal(JSON.parse(bench.data.readAlarm('high')).authority, 'module/loop', 'whoever is known counts');
    });

    test('nobody connects with a token that is not known, nor by a token in the URL as that module', async () => {
      const place = `${bench.url.replace('http', 'ws')}/data/ws`;
      for (const authorization of garbage.filter((header) => !header.includes('\u00ff'))) {
        const socket = new WebSocket(place, { headers: { authorization } });
        socket.on('error', () => undefined);
        const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
        assert.equal(response.statusCode, 401, authorization.slice(0, 50));
        socket.terminate();
      }
      const before = modules.connections.length;
      const socket = new WebSocket(`${place}?token=${token}`);
      await once(socket, 'open');
      assert.equal(modules.connections.length, before);
      socket.terminate();
    });
  });
});
