// What a browser test relies on: that a page which breaks its policy or throws does not pass.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { before, describe, test } from 'node:test';
import { suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import type { Browser } from 'playwright-core';
import { noChromium, openPage, startBrowser } from './browser.ts';

const policy = "default-src 'none'; script-src 'self'; require-trusted-types-for 'script'";
/** By path. */
const files: Record<string, string> = {
  '/good': '<title>good</title><script src="good.js"></script>',
  '/good.js': 'fetch("nowhere").catch(() => {}); document.title = "ran"',
  '/inline-style': '<p style="color: red">',
  '/inner-html': '<script src="inner-html.js"></script>',
  '/inner-html.js': 'try { document.body.innerHTML = "<p>" } catch {}',
  '/throws': '<script src="throws.js"></script>',
  '/throws.js': 'setTimeout(() => { throw new Error("out of coffee"); })',
  '/logs': '<script src="logs.js"></script>',
  '/logs.js': 'console.error("it went wrong")',
  '/lacks': '<script src="assets/gone.js"></script>',
};

describe('a page of a test', { skip: noChromium }, () => {
  const cleanup = suiteCleanup();
  let browser: Browser;
  let origin = '';
  before(async () => {
    const server = createServer(({ url = '' }, response) => {
      const isScript = url.endsWith('.js');
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      response.setHeader('content-security-policy', `${policy}; connect-src 'self'`);
      response.statusCode = files[url] === undefined ? 404 : 200;
      response.end(isScript ? files[url] : `<!doctype html><html lang="en"><body>${files[url]}`);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanup.defer(() => {
      server.closeAllConnections();
      server.close();
    });
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await startBrowser(cleanup);
  });
  /** Opens it and ends it, as a test does. */
  const visit = async (path: string, expects: RegExp[] = []) => {
    const scope = new AsyncDisposableStack();
    const page = await openPage(browser, { scope, expects });
    await page.goto(origin + path, { waitUntil: 'networkidle' });
    const title = await page.evaluate(() => 'document' in globalThis && 6 * 7);
    assert.equal(title, 42, 'the policy of a page does not stop its test');
    const read = await page.title();
    await scope.disposeAsync();
    return read;
  };

  test('passes with its scripts run, and requests refused', async () => {
    assert.equal(await visit('/good'), 'ran');
  });

  const faults = {
    '/inline-style': /style-src-attr refused inline/,
    '/inner-html': /require-trusted-types-for refused trusted-types-sink/,
    '/throws': /thrown: Error: out of coffee/,
    '/logs': /console: it went wrong/,
    '/lacks': /console: Failed to load resource.*assets\/gone\.js/,
  };
  for (const [path, fault] of Object.entries(faults)) {
    test(`fails with ${path.slice(1)}`, () => assert.rejects(visit(path), fault));
  }

  test('passes with an error that its test expects', async () => {
    await visit('/logs', [/it went wrong/]);
  });
});
