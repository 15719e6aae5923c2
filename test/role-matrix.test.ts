// The matrix of access: every operation of the catalogue, over HTTP and over the channel, for every kind of caller. What is
// expected follows from the permission that it states; docs/generated/roles.md shows the same, for reviews.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import {
  type ChannelRequestName,
  channelRequestNames,
  channelRequests,
  declarationOf,
  httpOperationNames,
  initialRoles,
  type Needed,
  type OperationName,
  operationNames,
  requestSchema,
} from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import fc from 'fast-check';
import { WebSocket } from 'ws';
import {
  Access,
  type Credentials,
  type Identities,
  ModuleTokens,
  siteAt,
} from '../packages/server/src/access/index.ts';
import type { Implementations } from '../packages/server/src/operations/index.ts';
import { ModuleInterface } from '../packages/server/test/module-interface.ts';
import { ScriptedModules } from '../packages/server/test/scripted-modules.ts';
import { fitting, type Schema } from './json-from-schema.ts';
import { sendRaw } from './raw-http.ts';

interface Asker {
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it is known, and what it may do to everything. */
  readonly may: (needed: Needed) => boolean;
  readonly isKnown: boolean;
}

const clock = new ManualClock();
const tokens = new ModuleTokens();
const access = new Access({
  store: { open: () => Promise.resolve([]), change: () => Promise.resolve(), missing: [] },
  tokens,
  passwords: {
    hash: (text) => Promise.resolve(text),
    verify: (text, hash) => Promise.resolve(text === hash),
    faultOf: () => undefined,
    needsRehash: () => false,
  },
  site: () => siteAt('http://localhost'),
  clock,
});

/** TLS is not part of this test: a header stands for the certificate of a client. */
const identities: Identities = {
  identify: (credentials: Credentials) => {
    const isCertificate = credentials.authorization === 'Certificate';
    return access.identify(
      isCertificate ? { certificate: { fingerprint: 'ab'.repeat(32), subject: 'CN=panel' } } : credentials,
    );
  },
  onChanged: (listener) => access.onChanged(listener),
};

const reached: string[] = [];
const implementations = Object.fromEntries(
  operationNames.map((name) => [name, () => void reached.push(name)]),
) as unknown as Implementations;
const service = new ModuleInterface(new ScriptedModules(), { identities, implementations });
const askers = new Map<string, Asker>();

before(async () => {
  await service.open();
  await access.open();
  await access.initialize('admin', 'x');
  const manager = { rights: { granted: [{ permissions: ['manage-users' as const] }] } };
  for (const { name, permissions } of initialRoles) {
    await access.accounts.putUser(`a_${name}`, { grants: [{ role: name }] }, manager, { password: 'x' });
    const cookie = `__Host-telltale=${await access.sessions.begin(`a_${name}`, '127.0.0.1')}`;
    const may = (needed: Needed) => needed === 'signed-in' || (permissions as readonly string[]).includes(needed);
    askers.set(name, { headers: { cookie, 'sec-fetch-site': 'same-origin' }, may, isKnown: true });
  }
  const viewer = identities.identify({ cookie: askers.get('viewer')?.headers.cookie });
  const make = (name: string, seconds: number) =>
    access.tokens.make(name, { grants: [{ role: 'viewer' }], expires: clock.now() / 1e6 + seconds }, viewer);
  const [token, expired, revoked] = [await make('token', 3600), await make('short', 1), await make('gone', 3600)];
  clock.advance(2000);
  await access.tokens.delete('gone');
  await access.accounts.putCertificate('panel', { subject: 'CN=panel', grants: [{ role: 'operator' }] }, manager);
  const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
  const [nothing, views] = [() => false, (needed: Needed) => needed === 'view' || needed === 'signed-in'];
  askers.set('none', { headers: {}, may: nothing, isKnown: false });
  askers.set('bad', { headers: bearer('tt_nonsense'), may: nothing, isKnown: false });
  askers.set('expired', { headers: bearer(expired), may: nothing, isKnown: false });
  askers.set('revoked', { headers: bearer(revoked), may: nothing, isKnown: false });
  askers.set('token', { headers: bearer(token), may: views, isKnown: true });
  const ofModule: ReadonlySet<Needed> = new Set([
    'view',
    'write',
    'simulate',
    'acknowledge',
    'operate-alarm',
    'signed-in',
  ]);
  const module = { headers: bearer(tokens.issue('loop', '*')), may: (needed: Needed) => ofModule.has(needed) };
  askers.set('module', { ...module, isKnown: true });
  const ofPanel = askers.get('operator')?.may ?? nothing;
  askers.set('certificate', { headers: { authorization: 'Certificate' }, may: ofPanel, isKnown: true });
});
after(() => service.close());

/** In words, for both interfaces: how a request of the operation ends. */
function expected({ may, isKnown, headers }: Asker, needed: Needed): string {
  const hasCredentials = Object.keys(headers).length > 0;
  if (!isKnown && hasCredentials) return 'unknown';
  if (needed === 'public' || may(needed)) return 'done';
  return isKnown ? 'refused' : 'unknown';
}

const outcomes: Readonly<Record<number, string>> = { 401: 'unknown', 403: 'refused' };

test('over HTTP, an operation is carried out for whoever has its permission, and for nobody else', async () => {
  for (const [who, asker] of askers) {
    for (const name of httpOperationNames) {
      const { http, permission } = declarationOf(name);
      const answer = await askHttp(name, asker.headers);
      const found = outcomes[answer.status] ?? 'done';
      assert.equal(found, expected(asker, permission), `${who}: ${http.method} ${http.path}: ${answer.text}`);
      const done = reached.splice(0);
      if (found !== 'done') assert.deepEqual(done, [], `${who}: ${name}`);
    }
  }
});

/** With what its path and query require; a body is not read where it is refused. */
function askHttp(name: OperationName, headers: Readonly<Record<string, string>>) {
  const { http } = declarationOf(name as (typeof httpOperationNames)[number]);
  const path = http.path
    .replace(':t_since', '1')
    .replace(':t_until', '2')
    .replace(':id', '1')
    .replaceAll(/:\w+/g, 'level');
  const { body } = http;
  return sendRaw(service.url, [
    `${http.method} ${path}?value=d1 HTTP/1.1`,
    `host: ${new URL(service.url).host}`,
    ...Object.entries(headers).map(([header, value]) => `${header}: ${value}`),
    ...(body === undefined ? [] : [`content-type: ${body.types[0]}`]),
    'content-length: 2',
    'connection: close',
    '',
    '{}',
  ]);
}

test('over the channel, an operation is carried out for whoever has its permission, and for nobody else', async () => {
  for (const [who, asker] of askers) {
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/data/ws`, { headers: asker.headers });
    if (!asker.isKnown) {
      const [error] = (await once(socket, 'error')) as [Error];
      assert.match(error.message, /401/, who);
      continue;
    }
    await once(socket, 'open');
    for (const request of channelRequestNames) {
      for (const { name, when } of channelRequests[request].operations) {
        const answer = await askChannel(socket, request, when);
        const isRefused = JSON.stringify(answer).includes('#problem-not-allowed');
        const wanted = expected(asker, declarationOf(name).permission);
        assert.equal(isRefused ? 'refused' : 'done', wanted, `${who}: ${request} ${name}: ${JSON.stringify(answer)}`);
        if (isRefused) assert.deepEqual(reached, [], `${who}: ${name}`);
        reached.length = 0;
      }
    }
    socket.close();
    await once(socket, 'close');
  }
});

/** A message that fits its schema and means this operation, about `level`. */
async function askChannel(
  socket: WebSocket,
  request: ChannelRequestName,
  when: Readonly<Record<string, string | boolean>>,
): Promise<unknown> {
  const [message] = fc.sample(fitting(requestSchema(request) as unknown as Schema, {}), { numRuns: 1, seed: 7 });
  const { batch, fields } = channelRequests[request];
  const meant = batch === undefined ? when : { [batch]: itemsOf(fields[batch], message, batch, when) };
  const sent = { ...(message as object), ...meant };
  socket.send(JSON.stringify({ ...sent, request, id: 1 }));
  for (;;) {
    const [text] = (await once(socket, 'message')) as [Buffer];
    const answer = JSON.parse(text.toString()) as Record<string, unknown>;
    if ('request_id' in answer) return answer;
  }
}

/** One item; names alone where the batch has these. */
function itemsOf(schema: unknown, message: unknown, batch: string, when: object): unknown {
  const { items } = schema as { items?: { type?: string } };
  if (items?.type !== 'object') return ['level'];
  const [item] = (message as Record<string, object[]>)[batch] ?? [];
  return [{ ...(item ?? {}), name: 'level', ...when }];
}
