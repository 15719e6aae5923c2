// A real browser with a virtual authenticator makes a passkey from our options, and signs in with it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { addAuthenticator, noChromium, openPage, startBrowser } from '../../../../../test/browser.ts';
import { Passkeys } from './passkeys.ts';

test('a passkey of a real browser is taken, signs in, and is not made twice', {
  skip: noChromium,
}, async (t) => {
  const cleanup = cleanupOf(t);
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>plant'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const passkeys = new Passkeys({ clock: systemClock, site: () => ({ id: 'localhost', origin, name: 'Plant' }) });
  const page = await openPage(await startBrowser(t));
  await page.goto(origin);
  await addAuthenticator(page);
  const create = async (known: Parameters<Passkeys['creationOptions']>[1]) => {
    const options = JSON.stringify(await passkeys.creationOptions('anna', known));
    return page.evaluate(`(async () => {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(${options});
      return (await navigator.credentials.create({ publicKey })).toJSON();
    })()`);
  };
  const key = await passkeys.create('anna', await create([]));
  for (let time = 0; time < 2; time++) {
    const options = JSON.stringify(await passkeys.requestOptions());
    const answer = await page.evaluate(`(async () => {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(${options});
      return (await navigator.credentials.get({ publicKey })).toJSON();
    })()`);
    assert.notEqual(await passkeys.verify(answer, key), undefined);
    assert.equal(await passkeys.verify(answer, key), undefined, 'a second time');
  }
  await assert.rejects(create([key]), /InvalidStateError/);
});
