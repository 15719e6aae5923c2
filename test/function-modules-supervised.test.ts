// Function modules from outside, with their real supervisors, tokens, HTTP and channel; only the processes exist on paper.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type FunctionModule, type LiveFunctionModule, systemClock } from '@telltale/schema';
import pino from 'pino';
import { ModuleTokens } from '../packages/server/src/access/index.ts';
import { FunctionModules } from '../packages/server/src/modules/index.ts';
import { PaperProcesses } from '../packages/server/test/module-bench.ts';
import { ModuleInterface } from '../packages/server/test/module-interface.ts';
import { CheckedChannel } from './checked-channel.ts';
import { nameOfProblem } from './config-client.ts';
import { until } from './until.ts';

const processes = new PaperProcesses();
const tokens = new ModuleTokens();
const modules: FunctionModules = new FunctionModules({
  clock: systemClock,
  log: pino({ level: 'silent' }),
  processes,
  executables: { pathOf: (module) => `/nowhere/${module}`, uploadedAs: () => undefined, check: async () => undefined },
  tokens,
  urls: () => ({ base: `${bench.url}/data`, channel: `${bench.url.replace('http', 'ws')}/data/ws` }),
  boundsOf: () => ({ user: undefined, memoryBytes: undefined, cpuCores: undefined, maxProcesses: undefined }),
});
const bench = new ModuleInterface(modules, { tokens });
let local: CheckedChannel;

const put = (fields: Partial<FunctionModule> = {}) =>
  modules.put({ name: 'loop', termToKill: 1000, queryTimeout: 60_000, ...fields });

const run = () => processes.alive.get('loop') ?? assert.fail('it does not run');
const tokenOf = () => run().launch.env.TELLTALE_TOKEN ?? assert.fail('it has no token');
const started = () => modules.events.onStarted(run().launch.run, 4711);

function ended(code: number): void {
  const { launch } = run();
  processes.alive.delete('loop');
  modules.events.onEnded(launch.run, { kind: 'ended', code, signal: undefined });
}

async function live(): Promise<LiveFunctionModule> {
  return JSON.parse((await bench.ask('GET', '/data/function-modules/loop')).text) as LiveFunctionModule;
}

const connect = (token: string) => CheckedChannel.open(bench.url, { headers: { authorization: `Bearer ${token}` } });

const queries = (channel: CheckedChannel) =>
  channel.messages.flatMap((each) => ('query_id' in each ? [each.query_id as number] : []));

before(async () => {
  await bench.open();
  modules.open();
  local = await CheckedChannel.open(bench.url);
});
after(async () => {
  await local.close();
  await bench.close();
});
beforeEach(() => {
  modules.remove('loop');
  if (processes.alive.has('loop')) ended(0);
});

describe('a function module with its supervisor', () => {
  test('connects with the token that it was started with, is asked, answers, and runs', async () => {
    put();
    started();
    assert.equal((await live()).state, 'INIT');
    const module = await connect(tokenOf());
    const [query = 0] = await until('the query', async () => queries(module).length > 0 && queries(module));
    await module.refused('unknown-object', 'AnswerQuery', { query_id: query + 1 });
    await local.refused('not-a-module', 'AnswerQuery', { query_id: query });
    assert.equal((await live()).state, 'INIT');
    await module.done('AnswerQuery', { query_id: query, status: 'all is well' });
    const { state, status, pid } = await live();
    assert.deepEqual([state, status, pid], ['RUN', 'all is well', 4711]);
    await module.close();
  });

  test('with two connections is asked on the newest, and on the older one when that is gone', async () => {
    put();
    started();
    const older = await connect(tokenOf());
    const [first = 0] = await until('the first query', async () => queries(older).length > 0 && queries(older));
    const newer = await connect(tokenOf());
    await until('the query goes to the newest too', async () => queries(newer).includes(first));
    newer.socket.terminate();
    await until('it is asked again', async () => queries(older).length === 2);
    await older.done('AnswerQuery', { query_id: first });
    await older.close();
  });

  test('loses its connection and its rights with its run, and has new ones with the next', async () => {
    put({ properties: { writes: 'valve' } });
    started();
    const old = tokenOf();
    const module = await connect(old);
    await module.done('WriteCommands', { writes: [{ name: 'valve', value: 'd1' }] });
    const closed = once(module.socket, 'close');
    const restarted = bench.ask('POST', '/data/function-modules/loop/restart');
    await until('it is told to stop', async () => run().stops.length > 0);
    ended(0);
    assert.equal((await closed)[0], 1008);
    started();
    assert.equal((await restarted).status, 204);
    assert.notEqual(tokenOf(), old);
    const write = (token: string) =>
      bench.ask('PUT', '/data/commands/valve?value=d2', { headers: { authorization: `Bearer ${token}` } });
    assert.equal(nameOfProblem(await write(old)), 'invalid-token');
    assert.equal((await write(tokenOf())).status, 204);
    put({ properties: { writes: 'pump' } });
    assert.equal(nameOfProblem(await write(tokenOf())), 'not-allowed');
    assert.equal(run().stops.length, 0, 'it was not stopped for that');
  });

  test('is stopped and started by people, who learn what became of it', async () => {
    put({ queryTimeout: 0 });
    started();
    const stopping = bench.ask('POST', '/data/function-modules/loop/stop');
    await until('it is told to stop', async () => run().stops.length > 0);
    ended(0);
    assert.equal((await stopping).status, 204);
    assert.equal((await live()).state, 'STOP');
    const starting = bench.ask('POST', '/data/function-modules/loop/start');
    await until('it is started', async () => processes.alive.has('loop'));
    const { launch } = run();
    processes.alive.delete('loop');
    modules.events.onEnded(launch.run, { kind: 'notStarted', reason: 'there is no interpreter', mayPass: false });
    const answer = await starting;
    assert.deepEqual([answer.status, nameOfProblem(answer)], [500, 'module-failed']);
    assert.match(answer.text, /no interpreter/);
    put({ queryTimeout: 0, enabled: false });
    assert.equal(nameOfProblem(await bench.ask('POST', '/data/function-modules/loop/start')), 'module-disabled');
    assert.equal((await live()).enabled, false);
  });

  test('is watched in every state until it is removed, also while it still runs', async () => {
    put({ queryTimeout: 0 });
    await local.done('WatchFunctionModules', { function_modules: ['loop'] });
    await local.settled();
    const before = local.reported('FunctionModuleUpdateNotification').length;
    started();
    modules.remove('loop');
    const reported = await until('the removal', async () => {
      const all = local.reported<{ state: string; removed?: true }>('FunctionModuleUpdateNotification').slice(before);
      return all.at(-1)?.removed && all;
    });
    assert.equal(reported[0]?.state, 'RUN');
    assert.equal((await bench.ask('GET', '/data/function-modules/loop')).status, 404);
    const late = await connect(tokenOf());
    await late.settled();
    ended(0);
    await once(late.socket, 'close');
  });

  test('is heard by whoever watches its log', async () => {
    put({ queryTimeout: 0 });
    started();
    await local.done('WatchFunctionModuleLogs', { function_modules: ['loop'] });
    assert.deepEqual(processes.watched, ['loop']);
    const line = { t: [1_700_000_000, 0] as [number, number], stream: 'err' as const, text: 'no pump' };
    modules.events.onLines({ module: 'loop', lines: [line], skipped: 0 });
    await local.settled();
    assert.deepEqual(local.reported('FunctionModuleLogNotification'), [{ name: 'loop', ...line }]);
    await local.done('UnwatchFunctionModuleLogs', { function_modules: 'all' });
    assert.deepEqual(processes.watched, []);
    assert.equal((await bench.ask('GET', '/data/function-modules/loop/log?lines=5&stream=err')).text, '[]');
    assert.deepEqual(processes.logRequests.at(-1), { module: 'loop', lines: 5, stream: 'err' });
  });
});
