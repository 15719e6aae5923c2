// Takes pictures of every view of the page, for people to look at: npm run screenshots [-- FOLDER]. In two themes and at three widths
// with the demo plant; and, light on a desk and dark on a phone, of an empty service, while it loads, where reading fails, and without
// a link. The clock of all of them stands still. With --readme: only those that README shows, into docs/screenshots/. With --only=TEXT:
// those whose file name has it.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { TelltaleClient } from '@telltale/client';
import { pageRoutes } from '@telltale/schema';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { Browser, Page, Route } from 'playwright-core';
import { openPage, startBrowser } from '../test/browser.ts';
import { startServer } from '../test/server-process.ts';
import { widthNames, widths } from '../test/web/page-suite.ts';

const { values, positionals } = parseArgs({
  options: { readme: { type: 'boolean' }, only: { type: 'string', default: '' } },
  allowPositionals: true,
});

/** What stands for the parameters of a route, in the demo plant. */
const examples: Readonly<Record<string, string>> = {
  '/points/:name': '/points/tank1_level',
  '/trends': '/trends?pens=tank1_level,tank2_level,main_flow',
  '/trends/:name': '/trends/tanks',
  '/pictures/:name': '/pictures/waterworks',
  '/config/:family': '/config/measurements',
  '/config/:family/:name': '/config/measurements/tank1_level',
  '/connectors/:name': '/connectors/waterworks',
};
const viewPaths = pageRoutes.map((route) => examples[route] ?? route).filter((path) => !path.includes(':'));
/** Those that show something of a service without a configuration. */
const emptyPaths = viewPaths.filter((path) => !/\/.*\/(?!history|changes|revisions)/.test(path) && !path.includes('?'));

const states = ['usual', 'empty', 'loading', 'error', 'offline'] as const;
type State = (typeof states)[number];

interface Shot {
  readonly path: string;
  readonly file: string;
  readonly theme: string;
  readonly width: number;
  readonly height: number;
  readonly state: State;
}

function shotsOfAll(folder: string): Shot[] {
  const usual = ['light', 'dark'].flatMap((theme) => widthNames.map((on) => ({ theme, on })));
  const other = [
    { theme: 'light', on: 'desk' },
    { theme: 'dark', on: 'phone' },
  ] as const;
  return states.flatMap((state) =>
    (state === 'empty' ? emptyPaths : viewPaths).flatMap((path) =>
      (state === 'usual' ? usual : other).map(({ theme, on }) => {
        const name = path.replaceAll(/\W+/g, '-').replaceAll(/^-|-$/g, '') || 'start';
        const file = join(folder, `${name}-${state}-${theme}-${on}.png`);
        return { path, file, theme, state, ...widths[on] };
      }),
    ),
  );
}

const ofReadme: readonly Shot[] = [
  { path: '/pictures/waterworks', file: 'picture.png', theme: 'light' },
  { path: '/points/tank1_level', file: 'point.png', theme: 'light' },
  { path: '/trends?pens=tank1_level,tank2_level,main_flow&span=600', file: 'trends.png', theme: 'dark' },
].map((shot) => ({ ...shot, file: join('docs/screenshots', shot.file), state: 'usual', ...widths.desk }));

/** So long, for the demo plant to have something to show. */
const plantMs = values.readme ? 180_000 : 20_000;
/** What is drawn after the values are there: trends, sparklines. */
const drawnMs = 1500;

/** All that a view reads, without what the frame around it needs. */
const isOfView = (url: URL) =>
  /^\/(?:data|config\/v2|access|audit)(?:\/|$)/.test(url.pathname) &&
  !/^\/(?:access\/me|data\/overview)$/.test(url.pathname);

const failure = {
  status: 500,
  contentType: 'application/problem+json',
  body: JSON.stringify({
    type: '/docs/#problem-internal',
    title: 'Internal error',
    status: 500,
    detail: 'The disk fails.',
  }),
};

/** The service tells the same time, whatever its clock says. */
async function tellTime(route: Route, atMs: number): Promise<void> {
  const response = await route.fetch();
  const overview = (await response.json()) as object;
  await route.fulfill({ response, json: { ...overview, t: [Math.floor(atMs / 1000), 0] } });
}

async function prepare(page: Page, state: State, atMs: number): Promise<void> {
  await page.clock.setFixedTime(atMs);
  await page.route('**/data/overview', (route) => tellTime(route, atMs).catch(() => undefined));
  if (state !== 'loading' && state !== 'error') return;
  await page.routeWebSocket(/./, () => undefined);
  const isAsked = (url: URL) => isOfView(url);
  await page.route(isAsked, (route) => {
    if (route.request().isNavigationRequest()) void route.continue();
    else if (state === 'error') void route.fulfill(failure);
  });
}

async function take(browser: Browser, url: string, shot: Shot, atMs: number): Promise<void> {
  await using scope = new AsyncDisposableStack();
  const { path, file, theme, state, width, height } = shot;
  const page = await openPage(browser, { scope, width, height, reducedMotion: 'reduce', expects: [/./] });
  await page.addInitScript({
    content: `localStorage['telltale.theme'] = '${theme}'; localStorage['telltale.language'] = 'en'`,
  });
  await prepare(page, state, atMs);
  await page.goto(url + path);
  if (state === 'loading' || state === 'error') await page.locator('main > *').first().waitFor();
  else await page.getByText('● Live').waitFor();
  if (state === 'offline') {
    await page.waitForTimeout(drawnMs);
    await page.context().setOffline(true);
    await page.getByText('No link to the service', { exact: false }).waitFor();
  }
  await page.waitForTimeout(drawnMs);
  await page.screenshot({ path: file });
  process.stdout.write(`${file}\n`);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
}

await using cleanup = new AsyncDisposableStack();
const folder = positionals[0] ?? 'screenshots';
mkdirSync(values.readme ? 'docs/screenshots' : folder, { recursive: true });
const shots = (values.readme ? ofReadme : shotsOfAll(folder)).filter(({ file }) => file.includes(values.only));
const server = await startServer(cleanup, { data: temporaryFolder(cleanup), args: ['--demo'] });
const empty = await startServer(cleanup, { data: temporaryFolder(cleanup) });
const client = new TelltaleClient({ url: server.url });
await client.measurements.simulate('treated_turbidity', 'd1.4', {
  reason: 'the meter is being cleaned',
  validForS: 3600,
});
await client.alarms.activate('visitor_on_site');
process.stdout.write(`The plant runs for ${plantMs / 1000} s first.\n`);
await new Promise((resolve) => setTimeout(resolve, plantMs));
const browser = await startBrowser(cleanup);
const atMs = Date.now();
for (const shot of shots) await take(browser, shot.state === 'empty' ? empty.url : server.url, shot, atMs);
