// What a start starts: the threads that every server needs, and others when there is something for them to do.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

/** Those of ours, by the names that Node gives them. */
function threadsOf(server: ServerProcess): string[] {
  return tasksOf(server)
    .map(({ name }) => name)
    .filter((name) => /^(?:access|audit|configuration|live state|archive|stacks)/.test(name))
    .sort();
}

function tasksOf({ pid }: ServerProcess): { readonly name: string; readonly nice: number }[] {
  return readdirSync(`/proc/${pid}/task`).map((id) => {
    const [, name = '', rest = ''] = /\((.*)\) (.*)/.exec(readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8')) ?? [];
    return { name, nice: Number(rest.split(' ')[16]) };
  });
}

const childrenOf = ({ pid }: ServerProcess) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();

const always = ['access', 'archive', 'audit', 'configuration', 'live state'];

test('a thread of the stacks begins with the first link, those that read the archive and parse imports with the first of these', async (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux tells which threads a process has');
  const server = await startServer(t, { data: temporaryFolder(t) });
  assert.deepEqual([threadsOf(server), childrenOf(server)], [always, '']);
  await server.send('PUT', '/connectors/plc', { name: 'plc', stackName: 'simulator' });
  const level = { name: 'level', connectorName: 'plc', address: 'sine()', datatype: 'd' };
  await server.send('PUT', '/measurements/level', level);
  assert.equal((await server.send('POST', '/cfgdb/render')).status, 204);
  const withStacks = [...always, 'stacks 1'];
  await until('the thread of the stacks', async () => threadsOf(server).length === withStacks.length);
  assert.deepEqual(threadsOf(server), withStacks);
  const answer = await fetch(`${server.url}/data/archive/measurements/level/-60/99999999999`);
  assert.equal(answer.status, 200, await answer.text());
  const withReader = [...withStacks, 'archive reader'].sort();
  assert.deepEqual(threadsOf(server), withReader);
  const headers = { 'content-type': 'text/csv' };
  const body = 'time,value\n1600000000,1\n';
  const taken = await fetch(`${server.url}/data/archive/measurements/level`, { method: 'POST', headers, body });
  assert.equal(taken.status, 204, await taken.text());
  assert.deepEqual(threadsOf(server), [...withReader, 'archive import'].sort());
  const tasks = tasksOf(server);
  const usual = Math.min(...tasks.map(({ nice }) => nice));
  const less = tasks.filter(({ nice }) => nice > usual);
  assert.deepEqual(
    less.map(({ name }) => name),
    ['archive import'],
    'live values go before imports',
  );
  assert.equal((await server.end()).code, 0);
});

test('the thread that makes the page ready ends when it has', async (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux tells which threads a process has');
  const server = await startServer(t, { data: temporaryFolder(t) });
  await until('the page is there', async () => (await (await fetch(server.url)).text()).includes('/assets/'));
  await until('its thread has ended', async () => !tasksOf(server).some(({ name }) => name === 'page'));
  assert.deepEqual([threadsOf(server), childrenOf(server)], [always, '']);
});

test('a server that was never asked anything ends all the same', async (t) => {
  const server = await startServer(t, { data: temporaryFolder(t) });
  const { code, signal, stderr } = await server.end();
  assert.deepEqual([code, signal, stderr], [0, null, '']);
});
