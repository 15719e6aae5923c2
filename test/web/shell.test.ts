// Promises of the frame around the views, in a real browser against the real server.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noChromium } from '../browser.ts';
import { until } from '../until.ts';
import { PageSuite, widthNames } from './page-suite.ts';

const pathOf = (page: Page) => new URL(page.url()).pathname;

describe('the page', { skip: noChromium }, () => {
  const suite = new PageSuite();

  test('starts with the time of the plant, the link to the service, and who is there', async (t) => {
    const page = await suite.open(t, '/');
    await page.getByText('● Live').waitFor();
    await page.getByRole('button', { name: /Open to this machine/ }).waitFor();
    await page.locator('.clock time').waitFor();
    await page.getByRole('navigation').getByText('Points').click();
    await until('the title names the view', async () => (await page.title()) === 'Points – Telltale');
  });

  test('names the keys on the screen, where they can be clicked too', async (t) => {
    const page = await suite.open(t, '/');
    await page.getByRole('button', { name: 'Go to … Ctrl+K' }).click();
    await page.getByRole('dialog', { name: 'Go to' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Keys ?' }).click();
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  });

  test('takes a moment of 24 hours as it is written, and says where it is none', async (t) => {
    const page = await suite.open(t, '/?at=1700000000', { locale: 'en-US' });
    const field = page.getByRole('region', { name: 'PAST' }).getByLabel('Show another moment');
    assert.equal(await field.inputValue(), '2023-11-14 22:13:20');
    await field.fill('2023-11-14 10 PM');
    await field.press('Enter');
    await page.getByText('A moment is written as 2026-11-19 14:03:00.').waitFor();
    await field.fill('2023-11-13 23:59');
    await field.press('Enter');
    await page.waitForURL('**/?at=1699919940');
  });

  test('says in the past which parts of the frame are of now', async (t) => {
    const page = await suite.open(t, '/?at=1700000000');
    const head = page.getByRole('banner');
    await head.getByText('Now:').waitFor();
    await head.getByText('● Link up').waitFor();
    assert.equal(await head.getByText('Live').count(), 0);
  });

  test('has a bar of the past on a phone that leaves the screen to the view', async (t) => {
    const page = await suite.open(t, '/points?at=1700000000', { on: 'phone' });
    const bar = await page.getByRole('region', { name: 'PAST' }).boundingBox();
    assert.ok(bar !== null && bar.height < 210, `${bar?.height} px`);
  });

  test('leads to a point, a view or an action by a few letters, by keys alone', async (t) => {
    const page = await suite.open(t, '/');
    await page.getByRole('navigation').getByText('Points').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('tank1_level');
    await page
      .getByRole('option', { name: /^tank1_level / })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/points/tank1_level**');
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => url.pathname === '/');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('connectors');
    await page.getByRole('option', { name: /^Connectors/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/connectors');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('theme dark');
    await page.keyboard.press('Enter');
    await page.locator('html[data-theme=dark]').waitFor();
  });

  test('shows the keys at ?, and closes them at Escape', async (t) => {
    const page = await suite.open(t, '/');
    await page.getByText('● Live').waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    await dialog.getByText('Go to a point, view or action').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test('stays as a person has chosen it: theme, language, time zone', async (t) => {
    const page = await suite.open(t, '/');
    await page.getByRole('button', { name: /Open to this machine/ }).click();
    await page.getByRole('button', { name: 'High contrast' }).click();
    await page.getByRole('button', { name: 'UTC' }).click();
    await page.getByRole('button', { name: 'Deutsch' }).click();
    await page.getByRole('navigation').getByText('Punkte').waitFor();
    await page.reload();
    await page.getByRole('navigation').getByText('Punkte').waitFor();
    const chosen = await page.locator('html').evaluate((html) => [html.lang, html.dataset.theme]);
    assert.deepEqual(chosen, ['de', 'contrast']);
  });

  test('frames a moment of the past, keeps it over views, and n leads back to now', async (t) => {
    const page = await suite.open(t, '/?at=1700000000');
    await page.getByText('◀ PAST').waitFor();
    await page.getByText('Everything here shows the moment 2023-11-14 22:13:20').waitFor();
    await page.getByRole('navigation').getByText('Points').click();
    await page.waitForURL('**/points?at=1700000000');
    await page.getByRole('button', { name: 'Earlier 1 h' }).click();
    await page.waitForURL('**/points?at=1699996400');
    await page.locator('main').focus();
    await page.keyboard.press('n');
    await page.getByText('◀ PAST').waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).search, '');
  });

  test('says where there is no such view, and leads on', async (t) => {
    const page = await suite.open(t, '/');
    await page.evaluate(`history.pushState({}, '', '/nowhere/at/all'); dispatchEvent(new PopStateEvent('popstate'))`);
    await page.getByText('There is no such page.').waitFor();
    await page.getByRole('link', { name: 'To the start' }).click();
    assert.equal(pathOf(page), '/');
  });

  for (const on of widthNames) {
    test(`fits a ${on}: nothing is cut off, and every way is there`, async (t) => {
      const page = await suite.open(t, '/', { on });
      await page.getByText('● Live').waitFor();
      if (on === 'phone') await page.getByRole('button', { name: 'Menu' }).click();
      await page.getByRole('navigation').getByText('System').click();
      await page.waitForURL('**/system');
      const [inner, outer] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as number[];
      assert.ok(Number(inner) <= Number(outer), `${inner} px in ${outer}`);
    });
  }
});
