// Promises of what is counted of operations: each once, over HTTP and over the channel, by what came of it.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import { CheckedChannel } from '../../../../test/checked-channel.ts';
import { ModuleInterface } from '../../test/module-interface.ts';
import { openGate } from '../../test/plain-http.ts';
import { ScriptedModules } from '../../test/scripted-modules.ts';
import { ModuleTokens } from '../access/index.ts';

const cleanup = suiteCleanup();

const counts = () =>
  new Map(Array.from(openGate.outcomes(), ({ operation, outcome, count }) => [`${operation} ${outcome}`, count]));

let before = counts();
beforeEach(() => {
  before = counts();
});

/** What has been counted in this test. */
function counted(): Record<string, number> {
  const more = Array.from(counts(), ([key, count]) => [key, count - (before.get(key) ?? 0)] as const);
  return Object.fromEntries(more.filter(([, count]) => count > 0));
}

async function serve(tokens = new ModuleTokens()): Promise<ModuleInterface> {
  const service = new ModuleInterface(new ScriptedModules(), { tokens });
  await service.open();
  cleanup.defer(() => service.close());
  return service;
}

test('an operation over HTTP is counted once, answered, not modified or refused', async () => {
  const service = await serve();
  const { headers } = await service.ask('GET', '/data/commands');
  const etag = headers.get('etag') ?? assert.fail();
  assert.equal((await service.ask('GET', '/data/commands', { headers: { 'if-none-match': etag } })).status, 304);
  await service.ask('GET', '/data/commands?fields=nothing');
  await service.ask('GET', '/data/commands/unknown');
  await service.ask('PUT', '/data/commands/pump?value=d1');
  await service.ask('PUT', '/data/commands/pump?value=no');
  await service.ask('GET', '/nowhere');
  assert.deepEqual(counted(), {
    'listCommands answered': 2,
    'listCommands invalid-query': 1,
    'getCommand unknown-object': 1,
    'writeCommand answered': 1,
    'writeCommand invalid-value': 1,
  });
});

test('an operation over the channel is counted by the same name, each item of a batch by itself', async () => {
  const service = await serve();
  const channel = await CheckedChannel.open(service.url);
  cleanup.defer(() => channel.close());
  await channel.done('ReadCommands', {});
  const writes = ['pump', 'valve', 'unknown'].map((name) => ({ name, value: 'd2' }));
  await channel.refused('unknown-object', 'WriteCommands', { writes });
  const operations = [
    { name: 'high', opcode: 'activate' as const },
    { name: 'high', opcode: 'acknowledge' as const },
  ];
  await channel.done('OperateAlarms', { operations });
  await channel.done('AckAlarms', { alarms: ['high'] });
  await channel.done('WatchAlarms', { alarms: 'all' });
  await channel.refused('invalid-body', 'ReadAlarms', { names: 1 });
  assert.deepEqual(counted(), {
    'listCommands answered': 1,
    'writeCommand answered': 2,
    'writeCommand unknown-object': 1,
    'activateAlarm answered': 1,
    'acknowledgeAlarm answered': 2,
    'watchAlarms answered': 1,
    'listAlarms invalid-body': 1,
  });
});

test('an answer of the channel for which there is no room is counted once, as refused', async () => {
  const service = await serve();
  const channel = await CheckedChannel.open(service.url);
  cleanup.defer(() => channel.close());
  for (let at = 0; at < 2000; at++) service.data.commands.put({ name: `command_number_${at}`, datatype: 'd' });
  const queued = Buffer.alloc(81 << 20);
  service.requests.backlog.hold(queued);
  await channel.refused('overloaded', 'ReadCommands', {});
  service.requests.backlog.release(queued);
  await channel.done('ReadCommands', {});
  assert.deepEqual(counted(), { 'listCommands overloaded': 1, 'listCommands answered': 1 });
});

test('what a caller may not do is counted as refused, over HTTP and over the channel', async () => {
  const tokens = new ModuleTokens();
  const headers = { authorization: `Bearer ${tokens.issue('level', 'pump')}` };
  const service = await serve(tokens);
  const channel = await CheckedChannel.open(service.url, { headers });
  cleanup.defer(() => channel.close());
  assert.equal((await service.ask('PUT', '/data/commands/valve?value=d1', { headers })).status, 403);
  await channel.refused('not-allowed', 'WriteCommands', { writes: [{ name: 'valve', value: 'd2' }] });
  assert.deepEqual(counted(), { 'writeCommand not-allowed': 2 });
});
