// Promises of every view, in a real browser against the real server: accessible in each theme, within the width of each screen,
// and without errors in the page or violations of its policy, which fail the test by themselves.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pageRoutes } from '@telltale/schema';
import type { Page } from 'playwright-core';
import { noChromium } from '../browser.ts';
import { violationsOf } from './axe.ts';
import { PageSuite, widthNames, widths } from './page-suite.ts';

/** What stands for the parameters of a route, in the demo plant. */
const examples: Readonly<Record<string, string>> = {
  '/points/:name': '/points/tank1_level',
  '/trends': '/trends?pens=tank1_level,pump1_start',
  '/trends/:name': '/trends/tanks',
  '/pictures/:name': '/pictures/waterworks',
  '/config/:family': '/config/measurements',
  '/config/:family/:name': '/config/measurements/tank1_level',
  '/connectors/:name': '/connectors/waterworks',
  '/modules/:name': '/modules/unknown',
};
const paths = [
  ...pageRoutes.map((route) => examples[route] ?? route),
  '/points/pump1_start?kind=commands',
  '/points/tank1_level_low?kind=alarms',
  '/points?at=1700000000',
];
/** Beside the usual one. */
const themes = ['dark', 'contrast'];

/** Until what the view reads first is there: nothing is requested any more, and no text says that it loads. */
async function settled(page: Page): Promise<void> {
  await page.getByText(/^● (Live|Link up|Verbunden)$/).waitFor();
  await page.waitForLoadState('networkidle').catch(() => undefined); // views that ask again and again never are
  await page.getByText('Loading …').first().waitFor({ state: 'detached' });
}

describe('every view', { skip: noChromium }, () => {
  const suite = new PageSuite();

  for (const path of paths) {
    test(`${path} is accessible in each theme, on a desk and as narrow as a phone`, async (t) => {
      const page = await suite.open(t, path);
      await settled(page);
      for (const on of ['desk', 'phone'] as const) {
        await page.setViewportSize(widths[on]);
        if (on === 'phone') await page.getByRole('button', { name: 'Menu' }).waitFor();
        await page.evaluate(`document.documentElement.dataset.theme = 'light'`);
        assert.deepEqual(await violationsOf(page), [], on);
        for (const theme of themes) {
          await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
          assert.deepEqual(await violationsOf(page, 'colours'), [], `${theme}, ${on}`);
        }
      }
    });
    test(`${path} has its width on every screen, also in German`, async (t) => {
      for (const on of widthNames) {
        const page = await suite.open(t, path, { on, chosen: { language: 'de' } });
        await page.getByText(/^● (Live|Link up|Verbunden)$/).waitFor();
        await page.getByText('Lädt …').first().waitFor({ state: 'detached' });
        const [inner, outer] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as number[];
        assert.ok(Number(inner) <= Number(outer), `${inner} px on a ${on}, which has ${outer}`);
        const [content, room] = (await page.evaluate(
          '[document.querySelector("main").scrollWidth, document.querySelector("main").clientWidth]',
        )) as number[];
        assert.ok(Number(content) <= Number(room), `${content} px in a view of ${room} on a ${on}`);
        await page.context().close();
      }
    });
  }
});
