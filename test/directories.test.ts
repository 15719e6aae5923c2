// Signing in through directories, over HTTP, with a real server, OpenLDAP and oidc-provider.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { AuditRecord } from '@telltale/schema';
import { freePort } from '@telltale/stack-kit/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { AccessDatabase, Passwords } from '../packages/server/src/access/index.ts';
import { client, OpenidProvider, signInAtProvider } from '../packages/server/test/openid-provider.ts';
import { groups, people, Slapd, service, withoutSlapd } from '../packages/server/test/slapd.ts';
import { linesIn } from '../packages/server/test/trail-bench.ts';
import { type RawAnswer, sendRaw } from './raw-http.ts';
import { runServer, type ServerProcess, startServer } from './server-process.ts';

const root = { user: 'root', password: 'keeper of the keys' };
const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
const [data, file] = [join(folder, 'data'), join(folder, 'directories.json')];
let server: ServerProcess;
let slapd: Slapd | undefined;

before(async () => {
  const port = await freePort();
  const redirectUri = `http://127.0.0.1:${port}/access/oidc/callback`;
  const accounts = { 'id-1': { preferred_username: 'otto', groups: ['operators'] } };
  const provider = await OpenidProvider.start(cleanup, { redirectUri, accounts });
  slapd = withoutSlapd ? undefined : await Slapd.start(cleanup);
  const ldap = slapd && {
    url: slapd.ldaps,
    caFile: 'ca.pem',
    bindDn: service.dn,
    bindPasswordFile: 'password',
    base: people,
    timeoutMs: 30_000,
  };
  const oidc = {
    issuer: provider.issuer,
    clientId: client.id,
    clientSecretFile: 'secret',
    scope: 'openid profile groups',
    timeoutMs: 30_000,
  };
  writeFileSync(file, JSON.stringify({ ldap, oidc }));
  writeFileSync(join(folder, 'ca.pem'), slapd?.ca ?? '');
  writeFileSync(join(folder, 'password'), service.password);
  writeFileSync(join(folder, 'secret'), client.secret);
  await (await startServer(cleanup, { data })).end();
  await addRoot();
  server = await startServer(cleanup, { data, args: ['--directories', file, '--port', String(port)] });
  const cookie = cookieOf(await post('/access/sign-in', root));
  for (const [name, directory, group] of [
    ['staff', 'ldap', `cn=operators,${groups}`],
    ['crew', 'oidc', 'operators'],
  ]) {
    const body = { directory, group, grants: [{ role: 'operator' }] };
    assert.equal((await ask('PUT', `/access/groups/${name}`, body, { cookie })).status, 204);
  }
});

/** While the server is down. */
/** Who signed in, or tried to. */
function signInsRecorded(folder: string): unknown[][] {
  return linesIn(folder)
    .map((line) => JSON.parse(line) as AuditRecord)
    .filter(({ operation }) => operation.startsWith('signIn'))
    .map(({ operation, who, kind, object, result }) => [operation, who, kind, object, result]);
}

async function addRoot(): Promise<void> {
  const store = new AccessDatabase({
    folder: data,
    onFailure: (error) => {
      throw error;
    },
  });
  await store.open();
  const password = await new Passwords().hash(root.password);
  const value = { origin: 'local', grants: [{ role: 'administrator' }], password };
  await store.change([{ kind: 'user', key: root.user, value }]);
  await store.close(10_000);
}

function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(server.url + path, {
    method,
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** As a browser goes to a page from another one; `fetch` would say that it does not. */
function navigate(path: string, site: string, cookie?: string): Promise<RawAnswer> {
  return sendRaw(server.url, [
    `GET ${path} HTTP/1.1`,
    `Host: ${new URL(server.url).host}`,
    'Connection: close',
    `Sec-Fetch-Site: ${site}`,
    'Sec-Fetch-Mode: navigate',
    ...(cookie === undefined ? [] : [`Cookie: ${cookie}`]),
  ]);
}

const post = (path: string, body: unknown, headers?: Record<string, string>) => ask('POST', path, body, headers);

/** The cookie that the answer sets, as the browser sends it. */
function cookieOf(answer: Response): string {
  const [line = ''] = answer.headers.getSetCookie();
  assert.match(line, /^__Host-telltale(-oidc)?=[^;]+; Path=\/; Secure; HttpOnly; SameSite=Strict/);
  return line.split(';')[0] ?? '';
}

async function identityOf(cookie: string): Promise<unknown> {
  return ((await (await ask('GET', '/access/me', undefined, { cookie })).json()) as { identity: string }).identity;
}

test('everybody may ask which directories there are', async () => {
  const answer = await ask('GET', '/access/directories');
  assert.deepEqual(await answer.json(), { ldap: slapd !== undefined, oidc: true });
});

describe('through LDAP', { skip: withoutSlapd }, () => {
  test('somebody signs in with the password of the directory', async () => {
    const answer = await post('/access/sign-in', { user: 'anna', password: 'anna of the plant' });
    assert.equal(answer.status, 200);
    assert.equal(await identityOf(cookieOf(answer)), 'anna');
    assert.deepEqual(signInsRecorded(data).at(-1), ['signIn', 'anna', 'user', 'anna', 'done']);
  });

  test('a wrong password answers as somebody unknown does, byte for byte', async () => {
    const answers = await Promise.all(
      ['anna', 'nobody', root.user].map((user) => post('/access/sign-in', { user, password: 'wrong' })),
    );
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([401]));
    assert.equal(new Set(texts).size, 1);
    const tried = signInsRecorded(data).slice(-3);
    assert.deepEqual(tried.map(([, who, , object, result]) => [who, object, result]).sort(), [
      ['nobody', 'anna', 'wrong-credentials'],
      ['nobody', 'nobody', 'wrong-credentials'],
      ['nobody', root.user, 'wrong-credentials'],
    ]);
  });
});

describe('through OpenID Connect', () => {
  test('somebody goes to the provider and comes back signed in', async () => {
    const start = await ask('GET', '/access/oidc/start?return-to=/docs/');
    assert.equal(start.status, 302);
    const attempt = cookieOf(start);
    const back = await signInAtProvider(
      start.headers.get('location') ?? '',
      'id-1',
      `${server.url}/access/oidc/callback`,
    );

    // As the browser comes from the page of the provider: from another site, and without strict cookies.
    const page = await navigate(`/access/oidc/callback${back.search}&session_state=unknown`, 'cross-site');
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.deepEqual(page.headers.getSetCookie(), []);

    const given = Object.fromEntries(back.searchParams);
    const stranger = await post('/access/oidc/sign-in', given);
    assert.equal(stranger.status, 401);
    const elsewhere = await post('/access/oidc/sign-in', given, { cookie: attempt, 'sec-fetch-site': 'cross-site' });
    assert.equal(elsewhere.status, 403);
    const answer = await post('/access/oidc/sign-in', given, { cookie: attempt });
    assert.equal(answer.status, 200);
    const { identity, returnTo } = (await answer.json()) as { identity: { identity: string }; returnTo: string };
    assert.equal(identity.identity, 'otto');
    assert.equal(returnTo, '/docs/');
    assert.equal(await identityOf(cookieOf(answer)), 'otto');
    assert.deepEqual(signInsRecorded(data).at(-1), ['signInWithOidc', 'otto', 'user', 'otto', 'done']);
    assert.equal((await post('/access/oidc/sign-in', given, { cookie: attempt })).status, 401);
  });

  test('a provider on a neighbouring host leads back too, where the browser sends the cookies', async () => {
    const status = async (path: string) => (await navigate(path, 'same-site', '__Host-telltale=any')).status;
    assert.equal(await status('/access/oidc/callback?code=x'), 200);
    for (const path of ['/access/me', '/access/oidc/callbacks', '/access/oidc/start'])
      assert.equal(await status(path), 403);
  });
});

test('a file of directories that is wrong stops the start, with the place and the reason', async () => {
  const wrong = join(folder, 'wrong.json');
  writeFileSync(wrong, JSON.stringify({ ldap: { url: 'http://plant', base: 'dc=plant' } }));
  const other = join(temporaryFolder(cleanup), 'data');
  const { code, stderr, stdout } = await runServer(['--data', other, '--port', '0', '--directories', wrong]);
  assert.notEqual(code, 0);
  assert.match(stdout + stderr, /wrong\.json, the file of directories: \/ldap\/url /);
});
