// Behind nginx, set up as the guide says: answers, the channel, and who is kept out.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '@telltale/stack-kit/testing';
import { cleanupOf, type Scope, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { type ClientOptions, WebSocket } from 'ws';
import { makeSelfSigned } from '../packages/server/src/tls/self-signed.ts';
import { filesIn, writePair } from '../packages/server/test/made-files.ts';
import { startServer } from './server-process.ts';
import { askTls } from './tls-client.ts';
import { until } from './until.ts';

const withoutNginx = spawnSync('nginx', ['-v']).status === 0 ? false : 'there is no nginx on this machine';
const guide = fileURLToPath(new URL('../docs/guides/tls-and-proxies.md', import.meta.url));

async function startNginx(t: Scope, servicePort: string): Promise<{ port: number; ca: string }> {
  const folder = temporaryFolder(t);
  const files = filesIn(folder);
  const pair = makeSelfSigned({ title: 'nginx', hosts: ['plant.example'], nowMs: Date.now() });
  writePair(files, pair);
  const port = await freePort();
  const [, recipe = ''] = /^```nginx\n(.*?)^```$/ms.exec(readFileSync(guide, 'utf8')) ?? [];
  const site = recipe
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('/etc/nginx/plant.pem', files.certFile)
    .replace('/etc/nginx/plant.key', files.keyFile)
    .replace('127.0.0.1:8080', `127.0.0.1:${servicePort}`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const whole = `daemon off; master_process off; pid ${join(folder, 'pid')}; error_log stderr;
events {}
http { access_log off; ${temporary.join(' ')}
${site}
}`;
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, whole);
  const child = spawn('nginx', ['-c', file, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const closed = once(child, 'close');
  cleanupOf(t).defer(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  return { port, ca: pair.certificate };
}

test('behind nginx, the service answers under its public URL, with the channel, and to nobody else', {
  skip: withoutNginx,
}, async (t) => {
  const args = ['--public-url', 'https://plant.example', '--trusted-proxy', '127.0.0.1'];
  const server = await startServer(t, { data: temporaryFolder(t), args });
  const { port, ca } = await startNginx(t, new URL(server.url).port);
  const url = `https://127.0.0.1:${port}`;
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    askTls(url + path, { ca, servername: 'plant.example', method, headers: { host: 'plant.example', ...headers } });
  await until('nginx answers', () =>
    ask('/healthz').then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  const answer = await ask('/data/measurements', { origin: 'https://plant.example', 'sec-fetch-site': 'same-origin' });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['strict-transport-security'], 'max-age=31536000');
  assert.equal((await ask('/data/measurements', { origin: 'https://evil.example' })).status, 403);
  assert.equal((await ask('/data/measurements', { host: 'evil.example' })).status, 403);
  assert.equal((await ask('/data/measurements', { cookie: '__Host-telltale=x' })).status, 403);
  assert.equal((await ask('/data/commands/none?value=d1', {}, 'PUT')).status, 404);
  const options: ClientOptions & { servername: string } = {
    ca,
    servername: 'plant.example',
    headers: { host: 'plant.example' },
    origin: 'https://plant.example',
  };
  const channel = new WebSocket(`${url.replace('https', 'wss')}/data/ws`, options);
  cleanupOf(t).defer(() => channel.terminate());
  await once(channel, 'open');
  channel.send('{"request":"Heartbeat","id":1}');
  const [heard] = await once(channel, 'message');
  assert.deepEqual(JSON.parse(String(heard)), { request_id: 1, result: true });
});
