// Promises of what nodes of a site ask each other: over real connections, with and without TLS.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import { makeSelfSigned } from '../tls/self-signed.ts';
import { NodeAnswers, type ReceivingArchive } from './node-answers.ts';
import { NodeStore } from './node-store.ts';
import { digestOf, headersOf, newNonce } from './signing.ts';

const secret = '5'.repeat(64);

/** Takes everything, and remembers it. */
class Taken implements ReceivingArchive {
  readonly parcels: string[] = [];

  async newestParcel(_node: string, epoch: number) {
    return epoch === 3 ? { seq: this.parcels.length, position: 'here' } : undefined;
  }

  async claimEpoch(_node: string, epoch: number) {
    return { epoch, isKnown: true };
  }

  async takeParcel(node: string, parcel: Uint8Array) {
    this.parcels.push(`${node} ${Buffer.from(parcel)}`);
    return { newest: { seq: this.parcels.length, position: 'there' } };
  }
}

interface Served {
  readonly address: string;
  readonly fingerprint: string | undefined;
  readonly taken: Taken;
}

async function served(scope: Scope, { isTls = false } = {}): Promise<Served> {
  const taken = new Taken();
  const answers = new NodeAnswers({ name: 'b', secret: () => secret, archive: taken, clock: systemClock });
  const take = (asked: IncomingMessage, response: ServerResponse) => void answers.answer(asked, response);
  const pair = makeSelfSigned({ title: 'b', hosts: ['b.example'], nowMs: Date.now() });
  const server: Server = isTls ? createTlsServer({ cert: pair.certificate, key: pair.key }, take) : createServer(take);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanupOf(scope).defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const fingerprint = isTls ? new X509Certificate(pair.certificate).fingerprint256 : undefined;
  return { address: `${isTls ? 'https' : 'http'}://127.0.0.1:${port}`, fingerprint, taken };
}

function storeAt(at: Partial<Served> | undefined, known = secret): NodeStore {
  const place = at?.address === undefined ? undefined : { address: at.address, fingerprint: at.fingerprint };
  return new NodeStore({ from: 'a', to: 'b', at: () => place, secret: known, clock: systemClock });
}

/** As a node signs it, with whatever is put in the place of its parts. */
async function ask(
  { address }: Served,
  { changed = 'parcel', headers = {}, apartMs = 0, from = 'a' } = {},
  nonce = newNonce(),
): Promise<number> {
  const timeMs = Date.now() + apartMs;
  const digest = digestOf(Buffer.from('parcel'));
  const signed = headersOf(secret, { operation: 'send', from, to: 'b', timeMs, nonce, digest });
  const length = { 'content-length': Buffer.byteLength(changed) };
  const asked = request(`${address}/nodes/records/send`, {
    method: 'POST',
    headers: { ...length, ...signed, ...headers },
  });
  asked.end(changed);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode ?? 0;
}

describe('what a node is asked by another one', () => {
  for (const isTls of [false, true]) {
    test(`is answered${isTls ? ' over TLS, with a certificate that the node has made itself' : ''}`, async (t) => {
      const b = await served(t, { isTls });
      const store = storeAt(b);
      assert.deepEqual(await store.claim('here', 3), { epoch: 3, isKnown: true });
      assert.deepEqual(await store.send('here', 3, 1, Buffer.from('parcel')), { seq: 1, position: 'there' });
      assert.deepEqual(await store.newest('here', 3), { seq: 1, position: 'here' });
      assert.equal(await store.newest('here', 4), undefined);
      assert.deepEqual(b.taken.parcels, ['a parcel']);
    });
  }

  test('is not sent to whoever shows another certificate', async (t) => {
    const b = await served(t, { isTls: true });
    const store = storeAt({ ...b, fingerprint: '00:11' });
    await assert.rejects(
      store.send('here', 3, 1, Buffer.from('parcel')),
      /is not node b: it shows another certificate/,
    );
    assert.deepEqual(b.taken.parcels, []);
  });

  test('is taken from nobody who does not know the secret, and its answer counts for nobody who does not', async (t) => {
    const b = await served(t);
    const store = storeAt(b, '6'.repeat(64));
    await assert.rejects(
      store.send('here', 3, 1, Buffer.from('parcel')),
      /does not answer as a node of this site does \(403\)/,
    );
    assert.deepEqual(b.taken.parcels, []);
  });

  test('is taken once, whole, in its time and by whom it is for', async (t) => {
    const b = await served(t);
    const nonce = newNonce();
    assert.equal(await ask(b, {}, nonce), 200);
    assert.equal(await ask(b, {}, nonce), 403);
    assert.equal(await ask(b, { changed: 'parceL' }), 403);
    assert.equal(await ask(b, { apartMs: 400_000 }), 403);
    assert.equal(await ask(b, { apartMs: -400_000 }), 403);
    assert.equal(await ask(b, { headers: { 'telltale-to': 'c' } }), 403);
    assert.equal(await ask(b, { headers: { 'telltale-from': 'b' } }), 403);
    for (const from of ['b', '.', '..', '../a', '', 'a'.repeat(65)]) assert.equal(await ask(b, { from }), 403, from);
    assert.equal(await ask(b, { headers: { 'telltale-nonce': newNonce() } }), 403);
    assert.equal(await ask(b, { headers: { 'content-length': String(2 ** 26) }, changed: '' }).catch(() => 413), 413);
    assert.deepEqual(b.taken.parcels, ['a parcel']);
  });

  test('fails with a word of why, where the node is not there or has no answer', async () => {
    await assert.rejects(storeAt(undefined).newest('here', 3), /node b is not there/);
    await assert.rejects(
      storeAt({ address: 'http://127.0.0.1:9' }).newest('here', 3),
      /node b at 127.0.0.1:9 is not reached/,
    );
  });
});
