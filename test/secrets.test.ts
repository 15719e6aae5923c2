// Secrets of a real server: set over HTTP and by the command line, in use at once, bound to where they are sent; and a canary in
// each of them is in no answer, log, download or backup.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { TelltaleClient } from '@telltale/client';
import { httpOperationNames, operations } from '@telltale/schema';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { runCli } from './cli-process.ts';
import { put } from './live-plant.ts';
import { runServer, type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const key = Buffer.alloc(32, 5).toString('base64');
const canaries = ['inline', 'named', 'placed', 'entry', 'older', 'header'].map((word) => `canary-${word}-4711`);
const [inline, named, placed, entry, older] = canaries as [string, string, string, string, string];

interface Device {
  readonly url: string;
  /** The authorizations that were sent to it. */
  readonly seen: string[];
}

async function device(t: TestContext): Promise<Device> {
  const seen: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    seen.push(request.headers.authorization ?? '');
    response.setHeader('content-type', 'application/json');
    response.end('{"level": 5}');
  });
  cleanupOf(t).defer(() => server.closeAllConnections());
  cleanupOf(t).defer(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const connector = (baseUrl: string, token: string, name = 'plc') =>
  put('connectors', name, { stackName: 'http', vars: { baseUrl, token, scanPeriodMs: '100' } });
const level = put('measurements', 'level', { datatype: 'd', connectorName: 'plc', address: '/#/level' });

async function render(server: ServerProcess, ...operations: object[]): Promise<void> {
  const answer = await server.send('POST', '/cfgdb/txn?render=1', { operations });
  assert.equal(answer.status, 204, await answer.text());
}

const lastError = async (server: ServerProcess, name = 'plc') => {
  const answer = await fetch(`${server.url}/data/connectors/${name}`);
  return JSON.stringify(await answer.json());
};

test('a secret that is set is used at once, at its destination alone, until it is set anew', async (t) => {
  const [first, second] = [await device(t), await device(t)];
  const server = await startServer(t, { data: temporaryFolder(t), args: ['--no-demo'] });
  const secrets = new TelltaleClient({ url: server.url }).secrets;
  await assert.rejects(secrets.set('plc', 'token', named), /There is no connector "plc"/);
  await render(server, connector(first.url, 'file:token'), level);
  await until('it fails', async () => (await lastError(server)).includes('there is no file secrets/plc/token'));
  await secrets.set('plc', 'token', named);
  await until('it is used', async () => first.seen.includes(`Bearer ${named}`));

  await server.send('PUT', '/connectors/plc', {
    name: 'plc',
    stackName: 'http',
    vars: { baseUrl: second.url, token: 'file:token' },
  });
  await assert.rejects(secrets.set('plc', 'token', older), { problem: 'destination-not-rendered' });
  await render(server, connector(second.url, 'file:token'));
  await until('it fails', async () =>
    (await lastError(server)).includes(
      'it was set for another destination (baseUrl has changed); set it anew: telltale secret set plc token',
    ),
  );
  assert.equal(second.seen.length, 0);
  const { code, stderr } = await runCli(['secret', 'set', 'plc', 'token'], { url: server.url, input: `${older}\n` });
  assert.equal(code, 0, stderr);
  await until('it is used', async () => second.seen.includes(`Bearer ${older}`));
  assert.ok(!second.seen.includes(`Bearer ${named}`));

  const listed = await runCli(['secret', 'list'], { url: server.url });
  assert.deepEqual(
    (JSON.parse(listed.stdout) as { owner: string; name: string; sealed: boolean; roles: string[] }[]).map(
      ({ owner, name, sealed, roles }) => ({ owner, name, sealed, roles }),
    ),
    [{ owner: 'plc', name: 'token', sealed: false, roles: ['connector'] }],
  );
  assert.equal((await runCli(['secret', 'delete', 'plc', 'token'], { url: server.url })).code, 0);
  await until('it fails', async () => (await lastError(server)).includes('there is no file secrets/plc/token'));
  await assert.rejects(secrets.delete('plc', 'token'), { problem: 'unknown-object' });
  await assert.rejects(secrets.set('plc', '.token', 'x'), { problem: 'invalid-name' });
  await assert.rejects(secrets.set('plc', 'token', 'two\nlines'), { problem: 'invalid-body' });
  assert.equal((server.log.match(/secrets are not sealed on disk/g) ?? []).length, 1);
});

test('a secret in a variable is not sent elsewhere, and a database that is uploaded again keeps it', async (t) => {
  const [first, second] = [await device(t), await device(t)];
  const server = await startServer(t, { data: temporaryFolder(t), args: ['--no-demo'] });
  await render(server, connector(first.url, inline), level);
  await until('it is used', async () => first.seen.includes(`Bearer ${inline}`));
  const copy = Buffer.from(await (await server.get('/cfgdb/database')).arrayBuffer());
  await render(server, connector(second.url, '***'));
  await until('it fails', async () =>
    (await lastError(server)).includes('set it anew in variable token of connector plc'),
  );
  assert.equal(second.seen.length, 0);
  first.seen.length = 0;
  const uploaded = await server.sendBytes('POST', '/cfgdb/database?render=1', 'application/x-sqlite3', copy);
  assert.equal(uploaded.status, 204, await uploaded.text());
  await until('it is used again', async () => first.seen.includes(`Bearer ${inline}`));
});

test('a canary in every secret is in no answer, no log, no download and no backup', async (t) => {
  const folder = temporaryFolder(t);
  const data = join(folder, 'data');
  const keyFile = join(folder, 'key');
  writeFileSync(keyFile, key, { mode: 0o600 });
  mkdirSync(join(data, 'secrets', 'hand'), { recursive: true, mode: 0o700 });
  writeFileSync(join(data, 'secrets', 'hand', 'pw'), `${placed}\n`, { mode: 0o600 });
  const args = ['--demo', '--secret-key-file', keyFile, '--log-level', 'debug'];
  const server = await startServer(t, { data, args });
  const dead = 'http://127.0.0.1:9';
  const accounts = { hosts: '127.0.0.1', port: '9', community: inline, accounts: `joe: community=${entry}` };
  await render(
    server,
    connector(dead, older),
    connector(dead, 'file:pw', 'hand'),
    connector(dead, 'file:token', 'named'),
    put('connectors', 'switches', { stackName: 'snmp', vars: accounts }),
    put('providers', 'exporter', { stackName: 'http', vars: { port: '9469', token: inline } }),
    level,
  );
  assert.equal((await server.send('PUT', '/secrets/named/token', { value: named })).status, 204);
  await render(server, connector(dead, inline));
  await server.send('PUT', '/connectors/plc', {
    name: 'plc',
    stackName: 'http',
    vars: { baseUrl: dead, token: `${inline}-2` },
  });
  await until('the one that somebody placed is sealed', async () =>
    readFileSync(join(data, 'secrets', 'hand', 'pw'), 'utf8').startsWith('sealed:1:'),
  );
  const answers = await allReads(server);
  assert.ok(answers.length > 60, `${answers.length} answers`);
  for (const { path, text } of answers) refuseCanary(path, text);
  assert.ok(answers.some(({ text }) => text.includes('***')));
  for (const body of [
    { operations: [put('connectors', 'plc', { stackName: 'http', vars: { baseUrl: 5, token: inline } })] },
    { operations: [put('connectors', 'plc', { stackName: 'http', vars: { baseUrl: 'no', token: inline } })] },
  ]) {
    const refused = await server.send('POST', '/cfgdb/txn?render=1', body);
    assert.ok(refused.status >= 400);
    refuseCanary('a refusal', await refused.text());
  }
  const table = `name,stackName,vars.baseUrl,vars.token\nplc,http,${dead},${inline}-3\n`;
  const dryRun = await server.sendBytes('PUT', '/tables/connectors?dry-run=1', 'text/csv', Buffer.from(table));
  assert.equal(dryRun.status, 200);
  refuseCanary('a dry run', await dryRun.text());
  const { stdout, stderr } = await server.end();
  refuseCanary('the log', stdout + stderr);
  const backup = join(folder, 'backup');
  cpSync(data, backup, { recursive: true });
  for (const name of readdirSync(backup, { recursive: true, encoding: 'utf8' })) {
    const path = join(backup, name);
    if (!statSync(path).isFile()) continue;
    refuseCanary(name, readFileSync(path, 'latin1'));
    if (name === 'cfgdb.sqlite') refuseCanary(name, unpacked(path));
  }
});

test('a wrong key refuses the start in one line', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'key'), 'password');
  const ended = await runServer([
    '--data',
    join(folder, 'data'),
    '--port',
    '0',
    '--secret-key-file',
    join(folder, 'key'),
  ]);
  assert.notEqual(ended.code, 0);
  assert.match(ended.stderr, /^telltale: The key file .* Make one with: openssl rand -base64 32\n$/);
});

/** What every operation that reads answers, with names that there are. */
async function allReads(server: ServerProcess): Promise<{ path: string; text: string }[]> {
  const paths = httpOperationNames
    .map((name) => operations[name].http)
    .filter(({ method, path }) => method === 'GET' && !path.startsWith('/docs'))
    .flatMap(({ path }) => ['plc', 'hand', 'switches', 'exporter', 'level'].map((name) => path.replace(':name', name)))
    .flatMap((path) => (path.includes(':id') ? ['1', '2', '3'].map((id) => path.replace(':id', id)) : [path]))
    .map((path) => path.replace(':t_since', '0').replace(':t_until', '0'))
    .filter((path) => !path.includes(':'));
  const more = [
    '?configuration=1',
    '?from=1&to=edited',
    '?from=rendered&to=edited',
    '?family=connectors&name=plc',
    '?format=xlsx',
  ];
  const answers: { path: string; text: string }[] = [];
  for (const path of new Set(
    paths.flatMap((each) => [each, ...(each.startsWith('/config') ? more.map((query) => each + query) : [])]),
  )) {
    const answer = await fetch(server.url + path);
    if (answer.ok) answers.push({ path, text: Buffer.from(await answer.arrayBuffer()).toString('latin1') });
  }
  return answers;
}

function refuseCanary(where: string, text: string): void {
  const forms = canaries.flatMap((canary) => [
    canary,
    Buffer.from(canary).toString('base64').slice(0, 16),
    Buffer.from(canary).toString('hex'),
  ]);
  for (const form of forms) assert.ok(!text.includes(form), `${form} is in ${where}`);
}

/** What the revisions of a configuration have packed. */
function unpacked(path: string): string {
  using sqlite = new DatabaseSync(path, { readOnly: true });
  const rows = sqlite.prepare('SELECT changes, content FROM renderings').all();
  const blobs = rows.flatMap(({ changes, content }) => [changes, content]) as Uint8Array[];
  assert.ok(blobs.length > 0);
  return blobs.map((blob) => zstdDecompressSync(blob).toString()).join('\n');
}
