// The one way to a real browser in tests: Debian's Chromium, driven by Playwright. A page whose content security policy was
// violated, or that logged an error, fails the test that opened it.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import { type Browser, type BrowserContextOptions, type CDPSession, chromium, type Page } from 'playwright-core';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
export const chromiumPath = places.find((path) => existsSync(path));
/** For `skip` of a test that needs the browser. */
export const noChromium = chromiumPath === undefined && 'there is no Chromium';

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

/** The machines that tests run on are slow and shared: this is for what never comes. */
const timeout = 60_000;

/** A text, as all that runs in a page: the types of our programs are those of Node, not of a browser. */
const reportingViolations = `addEventListener('securitypolicyviolation', (event) => {
  const { effectiveDirective, blockedURI, sourceFile, lineNumber, sample } = event;
  reportViolation(effectiveDirective + ' refused ' + blockedURI + ' at ' + sourceFile + ':' + lineNumber + ' ' + sample);
});`;

const scopes = new WeakMap<Browser, Scope>();

/** Ends with the scope. */
export async function startBrowser(scope: Scope): Promise<Browser> {
  const browser = await chromium.launch({
    ...(chromiumPath !== undefined && { executablePath: chromiumPath }),
    args,
    timeout,
  });
  scopes.set(browser, scope);
  cleanupOf(scope).defer(() => browser.close());
  return browser;
}

/** What is not named here is as in Playwright: `hasTouch`, `colorScheme`, `contrast`, `storageState`, … */
export interface PageOptions extends Omit<BrowserContextOptions, 'bypassCSP' | 'viewport' | 'timezoneId'> {
  readonly width?: number;
  readonly height?: number;
  readonly timezone?: string;
  /** Where the page ends before its browser: the test that opened it. */
  readonly scope?: Scope;
  /** Errors in the console that the test provokes, such as those of a server that it has killed. */
  readonly expects?: readonly RegExp[];
}

/** A page with cookies and storage of its own. What goes wrong in it is thrown when the scope ends. */
export async function openPage(browser: Browser, options: PageOptions = {}): Promise<Page> {
  const { width = 1280, height = 800, locale = 'en-GB', timezone = 'UTC', scope, expects = [], ...others } = options;
  const context = await browser.newContext({
    ...others,
    viewport: { width, height },
    locale,
    timezoneId: timezone,
  });
  context.setDefaultTimeout(timeout);
  const page = await context.newPage();
  const faults: string[] = [];
  const note = (fault: string) => {
    if (!expects.some((expected) => expected.test(fault))) faults.push(fault);
  };
  await page.exposeBinding('reportViolation', (_, violation: string) => note(`content security policy: ${violation}`));
  await page.addInitScript({ content: reportingViolations });
  page.on('pageerror', (error) => note(`thrown: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    const { url } = message.location();
    // That an operation was refused is not an error of the page; that a part of the page is missing is one.
    if (message.text().startsWith('Failed to load resource') && !url.includes('/assets/')) return;
    note(`console: ${message.text()} (${url})`);
  });
  cleanupOf(scope ?? scopes.get(browser) ?? assert.fail('startBrowser starts the browser')).defer(async () => {
    await context.close();
    assert.deepEqual(faults, [], `errors in the page ${page.url()}`);
  });
  return page;
}

/** As that of a computer with a fingerprint reader, and somebody who touches it. The session speaks DevTools to the page. */
export async function addAuthenticator(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return session;
}
