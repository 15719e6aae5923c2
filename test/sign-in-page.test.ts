// The page on which people sign in, in a real browser: who comes without credentials is led to it, and on to where they wanted.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { Browser, Page } from 'playwright-core';
import { noChromium, openPage, startBrowser } from './browser.ts';
import { administrator, closeServer, password } from './closed-server.ts';
import { sendRaw } from './raw-http.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const submit = async (page: Page, text = password) => {
  await page.locator('[name=user]').fill(administrator);
  await page.locator('[name=password]').fill(text);
  await page.keyboard.press('Enter');
};

/** The colours that it uses. */
const coloursOf = (page: Page): Promise<Record<string, string>> =>
  page.evaluate(`{
    const used = document.querySelector('style').textContent.matchAll(/var\\((--[a-z-]+)/g);
    const style = getComputedStyle(document.documentElement);
    Object.fromEntries([...used].map(([, name]) => [name, style.getPropertyValue(name)]));
  }`);

const tokens = readFileSync(new URL('../packages/web/src/look/tokens.css', import.meta.url), 'utf8');

/** Those of the page, where a theme that does not say has those of the light one. */
function tokensOf(theme: string): Record<string, string> {
  const blocks = [...tokens.matchAll(/^:root(?:\[data-theme="(\w+)"\])? \{([^}]*)\}/gm)];
  const chosen = blocks.filter(([, name]) => name === undefined || name === theme);
  return Object.fromEntries(
    chosen.flatMap(([, , text = '']) =>
      [...text.matchAll(/(--[\w-]+): ([^;]+);/g)].map(([, name, value]) => [name, value]),
    ),
  );
}

describe('a browser without credentials', () => {
  const cleanup = suiteCleanup();
  const data = temporaryFolder(cleanup);
  let server: ServerProcess;
  before(async () => {
    server = await startServer(cleanup, { data });
    await closeServer(server, data);
  });
  const navigate = async (path: string) => {
    const host = new URL(server.url).host;
    const lines = [`GET ${path} HTTP/1.1`, `host: ${host}`, 'accept: text/html, */*;q=0.8', 'connection: close'];
    return sendRaw(server.url, lines);
  };

  test('is led to where people sign in by a document, and is refused by what is for programs', async () => {
    const { status, headers } = await navigate('/docs/guides/archive.md?x=1');
    assert.deepEqual(
      [status, headers.get('location')],
      [302, '/access/sign-in?to=%2Fdocs%2Fguides%2Farchive.md%3Fx%3D1'],
    );
    assert.equal((await navigate('/metrics')).status, 401);
    assert.equal((await fetch(`${server.url}/docs/`)).status, 401);
  });

  describe('on the page', { skip: noChromium }, () => {
    let browser: Browser;
    before(async () => {
      browser = await startBrowser(cleanup);
    });

    test('is told what is wrong, signs in, and sees the document that it wanted', async (t) => {
      const page = await openPage(browser, { scope: t });
      await page.goto(`${server.url}/docs/`);
      await page.waitForURL('**/access/sign-in?to=%2Fdocs%2F');
      await submit(page, 'wrong');
      await page.getByRole('alert').getByText('The user or the password is wrong.').waitFor();
      await submit(page);
      await page.waitForURL('**/docs/');
      assert.match(await page.title(), /Telltale/);
    });

    test('is spoken to in German where it asks for German, or somebody has chosen it on the page', async (t) => {
      const german = await openPage(browser, { scope: t, locale: 'de-AT' });
      await german.goto(`${server.url}/access/sign-in`);
      await german.getByRole('heading', { name: 'Anmelden' }).waitFor();
      assert.equal(await german.title(), 'Anmelden · Telltale');
      assert.equal(await german.locator('html').getAttribute('lang'), 'de');
      await submit(german, 'falsch');
      await german.getByRole('alert').getByText('Der Benutzer oder das Passwort ist falsch.').waitFor();
      const chosen = await openPage(browser, { scope: t, locale: 'de-AT' });
      await chosen.addInitScript({ content: "localStorage['telltale.language'] = 'en'" });
      await chosen.goto(`${server.url}/access/sign-in`);
      await chosen.getByRole('heading', { name: 'Sign in' }).waitFor();
    });

    const looks = [
      ['light', {}],
      ['dark', { colorScheme: 'dark' }],
      ['contrast', { contrast: 'more' }],
    ] as const;
    for (const [theme, options] of looks) {
      test(`sees the colours of the page in the theme ${theme}, chosen there or asked for by the browser`, async (t) => {
        const page = await openPage(browser, { scope: t, ...options });
        await page.goto(`${server.url}/access/sign-in`);
        const asked = await coloursOf(page);
        await page.evaluate(`localStorage['telltale.theme'] = '${theme}'`);
        await page.emulateMedia({ colorScheme: 'light', contrast: 'no-preference' });
        await page.reload();
        assert.deepEqual(await coloursOf(page), asked);
        const tokens = tokensOf(theme);
        for (const [name, colour] of Object.entries(asked)) assert.equal(colour, tokens[name], name);
      });
    }

    /** From what is asked for to where it leads. */
    const wanted: Readonly<Record<string, string>> = {
      '': '/',
      '/system?a=b&c=%C3%A4#d': '/system?a=b&c=%C3%A4#d',
      '//evil.example': '/',
      '/\\evil.example': '/',
      '/\t/evil.example': '/',
      'https://evil.example/': '/',
      'javascript:alert(1)': '/',
      help: '/',
    };
    for (const [to, there] of Object.entries(wanted)) {
      test(`goes on to ${there} where ${JSON.stringify(to)} is wanted`, async (t) => {
        const page = await openPage(browser, { scope: t });
        await page.goto(`${server.url}/access/sign-in?to=${encodeURIComponent(to)}`);
        await submit(page);
        await page.waitForURL((url) => url.href === `${server.url}${there}`);
      });
    }
  });
});
