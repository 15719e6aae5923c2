// Promises of the page while there is no link to the service: nothing is shown as if it were live, and it comes back alone.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { noChromium } from '../browser.ts';
import { until } from '../until.ts';
import { PageSuite } from './page-suite.ts';

/** From the moment at which the service says nothing any more. */
const mostStaleMs = 12_000;

describe('the page without a link', { skip: noChromium }, () => {
  const suite = new PageSuite();

  test('marks everything stale within 12 s of a service that stands still, and comes back by itself', async (t) => {
    const { server } = suite;
    t.after(() => process.kill(server.pid, 'SIGCONT'));
    const page = await suite.open(t, '/points?text=tank1_level', { expects: [/WebSocket/, /fetch/i] });
    const values = page.getByRole('grid').locator('.value');
    await values.first().waitFor();
    const banner = page.getByRole('region', { name: 'Alarms' });
    await banner.getByRole('link').first().waitFor();
    assert.equal(await page.getByText('STALE').count(), 0);

    process.kill(server.pid, 'SIGSTOP');
    const since = performance.now();
    await page.getByText(/^⚠ No link to the service since/).waitFor();
    const tookMs = performance.now() - since;
    // Beyond its promise, this machine may be slow to notice.
    assert.ok(tookMs < mostStaleMs + 3000, `${tookMs} ms`);
    await page.getByText('No link', { exact: false }).first().waitFor();
    await banner.getByText('STALE').waitFor();
    const allStale = `[...document.querySelectorAll('[role=grid] .value')].every(
      (value) => value.dataset.stale === 'true' && value.textContent.includes('STALE'))`;
    await until('all values are marked', () => page.evaluate(allStale) as Promise<boolean>);
    const head = page.getByRole('banner');
    await head.getByText('○').waitFor();

    process.kill(server.pid, 'SIGCONT');
    await head.getByText('● Live').waitFor();
    await page.getByText('STALE').first().waitFor({ state: 'detached' });
    await page.getByText(/^⚠ No link to the service/).waitFor({ state: 'detached' });
  });
});
