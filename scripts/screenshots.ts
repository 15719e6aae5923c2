// Takes pictures of every view of the page, with the demo plant, in two themes and at three widths, for people to look at:
// npm run screenshots [-- FOLDER]. With --readme: only those that README shows, into docs/screenshots/.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { TelltaleClient } from '@telltale/client';
import { pageRoutes } from '@telltale/schema';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { Browser } from 'playwright-core';
import { openPage, startBrowser } from '../test/browser.ts';
import { startServer } from '../test/server-process.ts';
import { widthNames, widths } from '../test/web/page-suite.ts';

const { values, positionals } = parseArgs({ options: { readme: { type: 'boolean' } }, allowPositionals: true });

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

interface Shot {
  readonly path: string;
  readonly file: string;
  readonly theme: string;
  readonly width: number;
  readonly height: number;
}

function shotsOfAll(folder: string): Shot[] {
  const paths = pageRoutes.map((route) => examples[route] ?? route).filter((path) => !path.includes(':'));
  return paths.flatMap((path) =>
    ['light', 'dark'].flatMap((theme) =>
      widthNames.map((on) => {
        const name = path.replaceAll(/\W+/g, '-').replaceAll(/^-|-$/g, '') || 'start';
        return { path, file: join(folder, `${name}-${theme}-${on}.png`), theme, ...widths[on] };
      }),
    ),
  );
}

const ofReadme: readonly Shot[] = [
  { path: '/pictures/waterworks', file: 'picture.png', theme: 'light' },
  { path: '/points/tank1_level', file: 'point.png', theme: 'light' },
  { path: '/trends?pens=tank1_level,tank2_level,main_flow&span=600', file: 'trends.png', theme: 'dark' },
].map((shot) => ({ ...shot, file: join('docs/screenshots', shot.file), ...widths.desk }));

/** So long, for the demo plant to have something to show. */
const plantMs = values.readme ? 180_000 : 20_000;
/** What is drawn after the values are there: trends, sparklines. */
const drawnMs = 1500;

async function take(browser: Browser, url: string, { path, file, theme, width, height }: Shot): Promise<void> {
  await using scope = new AsyncDisposableStack();
  const page = await openPage(browser, { scope, width, height, reducedMotion: 'reduce' });
  await page.addInitScript({
    content: `localStorage['telltale.theme'] = '${theme}'; localStorage['telltale.language'] = 'en'`,
  });
  await page.goto(url + path);
  await page.getByText('● Live').waitFor();
  await page.waitForTimeout(drawnMs);
  await page.screenshot({ path: file });
  process.stdout.write(`${file}\n`);
}

await using cleanup = new AsyncDisposableStack();
const folder = positionals[0] ?? 'screenshots';
mkdirSync(values.readme ? 'docs/screenshots' : folder, { recursive: true });
const server = await startServer(cleanup, { data: temporaryFolder(cleanup), args: ['--demo'] });
const client = new TelltaleClient({ url: server.url });
await client.measurements.simulate('treated_turbidity', 'd1.4', {
  reason: 'the meter is being cleaned',
  validForS: 3600,
});
await client.alarms.activate('visitor_on_site');
process.stdout.write(`The plant runs for ${plantMs / 1000} s first.\n`);
await new Promise((resolve) => setTimeout(resolve, plantMs));
const browser = await startBrowser(cleanup);
for (const shot of values.readme ? ofReadme : shotsOfAll(folder)) await take(browser, server.url, shot);
