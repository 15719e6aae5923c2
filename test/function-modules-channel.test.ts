// Promises of the channel to and about function modules: states, logs, operations, queries. Real sockets; the modules are
// scripted.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { closeCode } from '@telltale/schema';
import { WebSocket } from 'ws';
import { ModuleTokens } from '../packages/server/src/access/index.ts';
import { ModuleInterface } from '../packages/server/test/module-interface.ts';
import { ScriptedModules } from '../packages/server/test/scripted-modules.ts';
import { CheckedChannel } from './checked-channel.ts';
import { until } from './until.ts';

const modules = new ScriptedModules();
const tokens = new ModuleTokens();
const bench = new ModuleInterface(modules, { tokens });
const open: CheckedChannel[] = [];

before(() => bench.open());
after(() => bench.close());
beforeEach(() => {
  modules.asked.length = 0;
  modules.connections.length = 0;
});
afterEach(async () => {
  for (const channel of open.splice(0)) {
    if (channel.socket.readyState === WebSocket.OPEN) await channel.close();
  }
  await until('all are gone', async () => bench.channel.size === 0);
});

async function connect(token?: string): Promise<CheckedChannel> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const channel = await CheckedChannel.open(bench.url, { headers });
  open.push(channel);
  return channel;
}

const texts = (channel: CheckedChannel) =>
  channel
    .reported<{ name: string; text: string }>('FunctionModuleLogNotification')
    .map(({ name, text }) => `${name} ${text}`);

function skipped(channel: CheckedChannel): number {
  return channel.messages.reduce((sum, each) => sum + (('skipped' in each && (each.skipped as number)) || 0), 0);
}

describe('function modules over the channel', () => {
  test('are read as HTTP gives them', async () => {
    const channel = await connect();
    const all = await (await fetch(`${bench.url}/data/function-modules/`)).json();
    assert.deepEqual((await channel.done('ReadFunctionModules', {})).function_modules, all);
    const some = { names: ['loop', 'other'], fields: ['last-error' as const] };
    assert.deepEqual((await channel.done('ReadFunctionModules', some)).function_modules, {
      loop: { 'last-error': { text: 'it ended', t: [1_700_000_000, 0] } },
    });
  });

  test('are started and stopped item by item', async () => {
    const channel = await connect();
    const operations = [
      { name: 'loop', opcode: 'restart' as const },
      { name: 'other', opcode: 'start' as const },
      { name: 'broken', opcode: 'start' as const },
      { name: '__proto__', opcode: 'stop' as const },
    ];
    const answer = await channel.refused('unknown-object', 'OperateFunctionModules', { operations });
    assert.deepEqual(
      answer.results?.map(({ name, result, error }) => [name, result, error?.status]),
      [
        ['loop', true, undefined],
        ['other', false, 404],
        ['broken', false, 500],
        ['__proto__', true, undefined],
      ],
    );
    assert.deepEqual(modules.asked, ['restart loop', 'start broken', 'stop __proto__']);
  });

  test('are watched: their states now, each change, and their end', async () => {
    const channel = await connect();
    await channel.done('WatchFunctionModules', { function_modules: ['a'] });
    modules.set('a', 'INIT');
    modules.set('loop', 'RUN');
    modules.set('a', 'FAIL');
    modules.remove('a');
    const reported = await until('the removal', async () => {
      const all = channel.reported<{ state: string; removed?: true }>('FunctionModuleUpdateNotification', 'a');
      return all.some(({ removed }) => removed) && all;
    });
    assert.deepEqual(
      reported.map(({ state }) => state),
      ['STOP', 'INIT', 'FAIL', 'FAIL'],
    );
    assert.deepEqual(channel.reported('FunctionModuleUpdateNotification', 'loop'), []);
    modules.set('a', 'STOP');
  });
});

describe('what function modules print', () => {
  test('reaches whoever watches it, and nobody else', async () => {
    const [one, all, none] = [await connect(), await connect(), await connect()];
    await one.done('WatchFunctionModuleLogs', { function_modules: ['loop', '__proto__'] });
    await all.done('WatchFunctionModuleLogs', { function_modules: 'all' });
    modules.print('loop', ['first', 'second']);
    modules.print('a', ['third']);
    modules.print('__proto__', ['fourth'], 3);
    for (const channel of [one, all, none]) await channel.settled();
    assert.deepEqual(texts(one), ['loop first', 'loop second', '__proto__ fourth']);
    assert.deepEqual(texts(all), ['loop first', 'loop second', 'a third', '__proto__ fourth']);
    assert.deepEqual([skipped(one), skipped(all)], [3, 3]);
    assert.deepEqual(texts(none), []);
  });

  test('is asked of the keeper only while somebody watches it', async () => {
    const [one, other] = [await connect(), await connect()];
    await one.done('WatchFunctionModuleLogs', { function_modules: ['loop'] });
    await other.done('WatchFunctionModuleLogs', { function_modules: ['a', 'loop'] });
    await other.done('WatchFunctionModuleLogs', { function_modules: 'all' });
    await other.done('UnwatchFunctionModuleLogs', { function_modules: ['broken', 'a'] });
    await other.done('WatchFunctionModuleLogs', { function_modules: ['loop'] }); // nothing new
    await one.done('UnwatchFunctionModuleLogs', { function_modules: 'all' });
    await other.close();
    await until('nothing is watched', async () => modules.watchedLogs.length === 0);
    assert.deepEqual(modules.asked, ['watch loop', 'watch a,loop', 'watch all', 'watch __proto__,loop', 'watch ']);
    assert.equal(bench.channel.watches, 0);
  });

  test('is not watched of modules that there are not, nor of more than a client may watch', async () => {
    const channel = await connect();
    const answer = await channel.refused('unknown-object', 'WatchFunctionModuleLogs', {
      function_modules: ['other', 'loop'],
    });
    assert.deepEqual(
      answer.results?.map(({ result }) => result),
      [false, true],
    );
    modules.print('loop', ['here']);
    await channel.settled();
    assert.deepEqual(texts(channel), ['loop here']);
    const often = Array.from({ length: 101 }, () => 'loop');
    await channel.done('WatchFunctionModuleLogs', { function_modules: often });
  });

  test('costs little for a client that does not keep up: it learns how much it missed, others miss nothing', async () => {
    const [slow, quick] = [await connect(), await connect()];
    for (const channel of [slow, quick]) await channel.done('WatchFunctionModuleLogs', { function_modules: 'all' });
    slow.socket.pause();
    const [batches, lines] = [400, 10];
    const long = Array.from({ length: lines }, () => 'x'.repeat(8 << 10));
    for (let batch = 1; batch <= batches; batch++) {
      modules.print('loop', long);
      await until('the quick one has it', async () => texts(quick).length === batch * lines);
      assert.ok(bench.channel.pendingBytes < 3 << 20, `${bench.channel.pendingBytes} bytes wait`);
    }
    await quick.settled();
    assert.equal(skipped(quick), 0);
    slow.socket.resume();
    await until('all is told or counted', async () => texts(slow).length + skipped(slow) === batches * lines);
    assert.ok(skipped(slow) > 0, 'nothing was left out: the test proves nothing');
    modules.print('loop', ['after']);
    await slow.settled();
    assert.equal(texts(slow).at(-1), 'loop after');
    assert.equal(texts(slow).length + skipped(slow), batches * lines + 1);
  });
});

describe('a query', () => {
  const queries = (channel: CheckedChannel) =>
    channel.messages.flatMap((each) => ('query_id' in each ? [each.query_id] : []));

  test('goes to the connection with the token of the module, and its answer to the supervisor', async () => {
    const token = tokens.issue('loop', '');
    const [module, local, other] = [await connect(token), await connect(), await connect(tokens.issue('a', ''))];
    const [connection] = modules.connections;
    assert.equal(connection?.module, 'loop');
    modules.openQuery = 12;
    connection?.send(12);
    for (const channel of [module, local, other]) await channel.settled();
    assert.deepEqual([queries(module), queries(local), queries(other)], [[12], [], []]);
    await module.done('AnswerQuery', { query_id: 12, status: 'all is well' });
    await module.done('AnswerQuery', { query_id: 12 });
    await module.refused('unknown-object', 'AnswerQuery', { query_id: 11 });
    await other.ask('AnswerQuery', { query_id: 12 });
    await local.refused('not-a-module', 'AnswerQuery', { query_id: 12 });
    const asked = ['loop 12 all is well', 'loop 12 undefined', 'loop 11 undefined', 'a 12 undefined'];
    assert.deepEqual(
      modules.asked,
      asked.map((each) => `answer ${each}`),
    );
    tokens.revoke(token);
  });

  test('the supervisor hears of every connection of its module, in order, and of the end of each, once', async () => {
    const token = tokens.issue('loop', '');
    const first = await connect(token);
    await connect(token);
    assert.deepEqual(
      modules.connections.map(({ module, closed }) => [module, closed]),
      [
        ['loop', 0],
        ['loop', 0],
      ],
    );
    first.socket.terminate();
    await until('it is told', async () => modules.connections[0]?.closed === 1);
    assert.equal(modules.connections[1]?.closed, 0);
    tokens.revoke(token);
    assert.equal(modules.connections[1]?.closed, 1, 'at once');
    await until('all are gone', async () => bench.channel.size === 0);
    assert.deepEqual(
      modules.connections.map(({ closed }) => closed),
      [1, 1],
    );
  });

  test('a connection ends with the run of its module, and nothing that it asks then is done', async () => {
    const token = tokens.issue('loop', '*');
    const [module, same, local] = [await connect(token), await connect(tokens.issue('loop', '*')), await connect()];
    const closed = once(module.socket, 'close');
    module.send({ request: 'WriteCommands', id: 1, writes: [{ name: 'valve', value: 'd7' }] });
    tokens.revoke(token); // before the server has read it
    assert.deepEqual(await closed.then(([code, reason]) => `${code} ${reason}`), '1008 the session or token has ended');
    assert.equal(closeCode.tokenRevoked, 1008);
    for (const channel of [same, local]) await channel.settled();
    assert.equal(bench.disk.commands.has('valve'), false);
    const refused = new WebSocket(`${bench.url.replace('http', 'ws')}/data/ws`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const [, response] = (await once(refused, 'unexpected-response')) as [
      unknown,
      { statusCode: number; headers: object },
    ];
    assert.equal(response.statusCode, 401);
    assert.match((response.headers as Record<string, string>)['www-authenticate'] ?? '', /^Bearer\b/);
    refused.on('error', () => undefined);
    refused.terminate();
  });
});
