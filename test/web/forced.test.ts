// Promises of the list of what is forced, in a real browser against the real server.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noChromium } from '../browser.ts';
import { arrowTo, enter, tabTo } from './by-keys.ts';
import { PageSuite } from './page-suite.ts';

const reason = '<img src=x onerror=alert(1)> calibration';
const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });

describe('the list of what is forced', { skip: noChromium }, () => {
  const suite = new PageSuite();

  const force = async (name: string, query: Record<string, string>) => {
    const parts = Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
    const url = `${suite.server.url}/data/measurements/${name}?${parts.join('&')}`;
    assert.equal((await fetch(url, { method: 'PUT' })).status, 204);
  };

  before(async () => {
    if (noChromium) return;
    await force('tank1_level', { value: 'd2', reason, 'valid-for': '3600' });
    for (const name of ['tank2_level', 'inlet_flow', 'inlet_turbidity']) await force(name, { value: 'd1' });
  });

  test('says of each its value, who, until when and why', async (t) => {
    const page = await suite.open(t, '/forced');
    await page.getByText('4 values are forced', { exact: true }).waitFor();
    await row(page, 'tank1_level').getByText(reason).waitFor();
    await row(page, 'tank1_level').getByText('FORCED').waitFor();
    await row(page, 'tank1_level')
      .getByText(/^(?:59|60) min$/)
      .waitFor();
    await row(page, 'tank2_level').getByText('until released').waitFor();
    await row(page, 'tank2_level').getByText('this computer').waitFor();
  });

  test('has the button of a row in its middle, and heads that can be read', async (t) => {
    const page = await suite.open(t, '/forced');
    const [around, button] = await Promise.all([
      row(page, 'tank1_level').boundingBox(),
      row(page, 'tank1_level').getByRole('button', { name: 'Release' }).boundingBox(),
    ]);
    assert.ok(around !== null && button !== null);
    const above = button.y - around.y;
    const below = around.y + around.height - button.y - button.height;
    assert.ok(above >= 0 && below >= 0 && Math.abs(above - below) <= 2, `${above} above, ${below} below`);
    const cut = await page
      .locator('.grid-head .grid-title-text')
      .evaluateAll((heads) =>
        heads.filter((head) => head.scrollWidth > head.clientWidth).map((head) => head.textContent),
      );
    assert.deepEqual(cut, []);
  });

  for (const [language, form] of [
    ['en', /^\d{1,2} \w{3,4} \d{2}:\d{2}$/],
    ['de', /^\d{1,2}\. \w{3,4}\.? \d{2}:\d{2}$/],
  ] as const) {
    test(`has room for the day of a moment that is not today (${language})`, async (t) => {
      await force('tank1_level', { value: 'd2', reason, 'valid-for': '172800' });
      const page = await suite.open(t, '/forced', { chosen: { language } });
      const until = row(page, 'tank1_level').locator('[data-column=until]');
      await until.getByText(form).waitFor();
      assert.equal(await until.evaluate((cell) => cell.scrollWidth > cell.clientWidth), false);
    });
  }

  test('follows, and releases one, those that are selected, and all', async (t) => {
    const page = await suite.open(t, '/forced');
    await row(page, 'inlet_flow').getByRole('button', { name: 'Release' }).click();
    await page.getByText('3 values are forced', { exact: true }).waitFor();
    await force('inlet_flow', { value: 'd7' });
    await page.getByText('4 values are forced', { exact: true }).waitFor();
    await tabTo(page, page.getByRole('grid'));
    await page.keyboard.press('Home');
    await page.keyboard.press('Space');
    await enter(page, page.getByRole('button', { name: 'Release 1' }));
    await page.getByText('3 values are forced', { exact: true }).waitFor();
    await arrowTo(page, page.getByRole('grid'), row(page, 'inlet_turbidity'));
    for (const _ of ['name', 'mark', 'Release']) await page.keyboard.press('ArrowRight');
    await tabTo(page, row(page, 'inlet_turbidity').getByRole('button', { name: 'Release' }));
    await page.keyboard.press('Enter');
    await page.getByText('2 values are forced', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Release all …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Release', exact: true }).click();
    await page.getByText('Nothing is forced', { exact: false }).waitFor();
  });
});
