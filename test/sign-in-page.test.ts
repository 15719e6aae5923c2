// The page on which people sign in, in a real browser: who comes without credentials is led to it, and on to where they wanted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Chromium, chromiumPath } from '../packages/server/test/chromium.ts';
import { administrator, closeServer, password } from './closed-server.ts';
import { startServer } from './server-process.ts';
import { until } from './until.ts';

test('a browser without credentials signs in on a page, is told what is wrong, and sees the reference', {
  skip: chromiumPath === undefined && 'there is no Chromium',
}, async (t) => {
  const data = temporaryFolder(t);
  const server = await startServer(t, { data, args: ['--no-demo'] });
  const root = () => fetch(`${server.url}/`, { redirect: 'manual' });
  assert.equal((await root()).headers.get('location'), '/docs/');
  await closeServer(server, data);
  assert.equal((await root()).headers.get('location'), '/access/sign-in');
  const browser = await Chromium.start(cleanupOf(t));
  await browser.goTo(`${server.url}/`);
  /** Undefined while one page follows another. */
  const look = (expression: string) => browser.run(`(async () => ${expression})()`).catch(() => undefined);
  const submit = (user: string, text: string) =>
    browser.run(`(async () => {
      const form = document.querySelector('form');
      form.user.value = ${JSON.stringify(user)};
      form.password.value = ${JSON.stringify(text)};
      form.requestSubmit();
    })()`);
  await until('the page is there', async () => (await look('location.pathname')) === '/access/sign-in');
  await submit(administrator, 'wrong');
  const told = `document.querySelector('[role=alert]').textContent`;
  await until('it says so', async () => (await look(told)) === 'The user or the password is wrong.');
  await submit(administrator, password);
  await until('the reference is there', async () => (await look('location.pathname')) === '/docs/');
  await until('it has a title', async () => /Telltale/.test(String(await look('document.title'))));
});
