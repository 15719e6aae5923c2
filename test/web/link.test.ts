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

    const top = async () => (await page.getByRole('grid').boundingBox())?.y;
    const before = await top();
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
    await head.getByText('○ No link').waitFor();
    await page.locator('main[data-stale]').waitFor();
    assert.equal(await top(), before, 'what is shown has not moved');

    process.kill(server.pid, 'SIGCONT');
    await head.getByText('● Live').waitFor();
    await page.getByText('STALE').first().waitFor({ state: 'detached' });
    await page.getByText(/^⚠ No link to the service/).waitFor({ state: 'detached' });
  });

  test('marks the overview too, and lets nothing be acknowledged', async (t) => {
    const { server } = suite;
    t.after(() => process.kill(server.pid, 'SIGCONT'));
    const page = await suite.open(t, '/alarms', { expects: [/WebSocket/, /fetch/i] });
    await page.getByRole('button', { name: 'Ack visible' }).waitFor();
    await page.getByRole('navigation').getByText('Overview').click();
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    process.kill(server.pid, 'SIGSTOP');
    await page.getByRole('heading', { name: 'Now STALE' }).waitFor();
    assert.equal(await page.getByText('✓ Everything is as it should be.').count(), 0);
    await page.getByRole('navigation').getByText('Alarms').click();
    await page.getByRole('button', { name: 'Ack visible' }).and(page.locator(':disabled')).waitFor();
  });

  test('marks the state of connectors, which nobody follows any more', async (t) => {
    const { server } = suite;
    t.after(() => process.kill(server.pid, 'SIGCONT'));
    const page = await suite.open(t, '/connectors', { expects: [/WebSocket/, /fetch/i] });
    const state = page.getByRole('row').filter({ hasText: 'waterworks' }).locator('.state');
    await state.getByText('up', { exact: true }).waitFor();
    assert.equal(await state.getByText('STALE').count(), 0);
    process.kill(server.pid, 'SIGSTOP');
    await state.getByText('STALE').waitFor();
  });

  test('says so over a drawer on a phone, and offers nothing there that cannot be done', async (t) => {
    const { server } = suite;
    t.after(() => process.kill(server.pid, 'SIGCONT'));
    const page = await suite.open(t, '/points/tank1_level', { on: 'phone', expects: [/WebSocket/, /fetch/i] });
    await page.locator('.drawer .value').first().waitFor();
    process.kill(server.pid, 'SIGSTOP');
    const notice = page.getByText(/^⚠ No link to the service since/);
    await notice.waitFor();
    await notice.evaluate((each) => {
      each.style.pointerEvents = 'auto';
    });
    // Nothing is over it.
    await notice.click({ trial: true });
  });

  test('does not say that there are no alarms before the service has told them', async (t) => {
    const page = await suite.open(t, '/points', { expects: [/WebSocket/, /fetch/i] });
    await page.routeWebSocket(/./, () => undefined);
    await page.reload();
    await page.getByText('Alarms are not known yet').waitFor();
    assert.equal(await page.getByText('No alarms').count(), 0);
  });

  test('loads a view that could not be loaded without a link as soon as it is back', async (t) => {
    const page = await suite.open(t, '/', { expects: [/WebSocket/, /fetch/i, /assets/, /ERR_/] });
    await page.getByText('● Live').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('navigation').getByText('Forced').click();
    await page.getByText('It comes when the link is back.').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('heading', { name: 'Forced' }).waitFor();
  });
});
