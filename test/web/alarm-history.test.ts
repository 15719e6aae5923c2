// Promises of the history of alarms, in a real browser against the real server.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noChromium } from '../browser.ts';
import { until } from '../until.ts';
import { AlarmPlant, alarmNames, alarmPlant, render } from './alarm-plant.ts';
import { tabTo } from './by-keys.ts';
import { PageSuite } from './page-suite.ts';

const count = 200;

describe('the history of alarms', { skip: noChromium }, () => {
  const suite = new PageSuite({ args: [] });

  /** Each is activated, acknowledged and deactivated, one after the other. */
  before(async () => {
    await render(suite.server, alarmPlant(count));
    const plant = await AlarmPlant.open(suite.server);
    for (const opcode of ['activate', 'acknowledge', 'deactivate'] as const) {
      await plant.operate(opcode, alarmNames(0, count));
    }
    plant.close();
    await until('all transitions are archived', async () => {
      const answer = await fetch(`${suite.server.url}/data/archive/alarms/?t_since=-3600&t_until=0`);
      const records = (await answer.json()) as Record<string, unknown[]>;
      return Object.values(records).flat().length === 3 * count;
    });
  });

  /** Until the end of the interval has been reached, it says so. */
  const summary = (page: Page, text: string) =>
    page
      .locator('.alarm-counts')
      .filter({ hasText: new RegExp(`^${text}(?: so far)?$`) })
      .waitFor();

  /** What the rows say from top to bottom, however far one has to scroll. */
  async function rowsOf(page: Page): Promise<string[]> {
    const grid = page.locator('.grid-scroll');
    const rows = new Map<number, string>();
    for (let top = 0; ; top += 300) {
      await grid.evaluate((element, y) => element.scrollTo({ top: y }), top);
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
      const seen = (await page.evaluate(`[...document.querySelectorAll('.grid-body [role=row]')].map(
        (row) => [Number(row.getAttribute('aria-rowindex')), row.textContent])`)) as [number, string][];
      for (const [at, text] of seen) rows.set(at, text);
      if (await grid.evaluate((element) => element.scrollTop + element.clientHeight >= element.scrollHeight - 1)) break;
    }
    return [...rows].sort(([a], [b]) => a - b).map(([, text]) => text);
  }

  test('shows each transition once, the newest first', async (t) => {
    const page = await suite.open(t, '/alarms/history');
    await summary(page, `${3 * count} transitions`);
    const rows = await rowsOf(page);
    await page
      .locator('.alarm-counts')
      .filter({ hasText: /transitions$/ })
      .waitFor();
    assert.equal(rows.length, 3 * count);
    assert.equal(new Set(rows).size, 3 * count);
    const states = rows.map((row) => /quiet|active, (?:not )?acknowledged/.exec(row)?.[0]);
    const expected = ['quiet', 'active, acknowledged', 'active, not acknowledged'];
    assert.deepEqual([...new Set(states)], expected);
    for (const state of expected) assert.equal(states.filter((each) => each === state).length, count);
  });

  test('keeps its filter in the address', async (t) => {
    const page = await suite.open(t, '/alarms/history');
    await summary(page, `${3 * count} transitions`);
    await page.getByLabel('Interval').selectOption('1h');
    await page.getByLabel('State').selectOption('active, not acknowledged');
    await summary(page, `${count} transitions`);
    await page.getByLabel('Area').selectOption('south');
    await summary(page, `${count / 10} transitions`);
    await page.getByLabel('Severity', { exact: true }).selectOption('2');
    await summary(page, `${count / 20} transitions`);
    await page.getByLabel('Filter').fill('drive 110');
    await summary(page, '1 transition');
    await page.reload();
    await summary(page, '1 transition');
    const { searchParams } = new URL(page.url());
    assert.deepEqual(Object.fromEntries(searchParams), {
      interval: '1h',
      state: 'ACT_UNACK',
      area: 'south',
      severity: '2',
      text: 'drive 110',
    });
    await page.goto(`${suite.server.url}/alarms/history?alarm=a0042`);
    await summary(page, '3 transitions');
    await page.goto(`${suite.server.url}/alarms/history?from=1700000000&to=1700003600`);
    await page.getByText('No transition in this interval matches the filter.').waitFor();
  });

  test('leads from a row to the alarm, and to the moment of the transition', async (t) => {
    const page = await suite.open(t, '/alarms/history?alarm=a0042&state=ACT_ACK');
    await summary(page, '1 transition');
    await page.getByRole('grid').getByRole('link', { name: 'Fault of drive 42' }).click();
    await page.waitForURL('**/points/a0042?kind=alarms');
    await page.keyboard.press('Escape');
    await page.waitForURL('**/alarms/history?alarm=a0042&state=ACT_ACK');
    await page.getByRole('grid').locator('time').click();
    await page.getByText('PAST').first().waitFor();
    assert.match(page.url(), /\/alarms\?at=[\d.]+$/);
    await page.getByLabel('Filter').fill('drive 42');
    await page.locator('[data-alarm="a0042"]').waitFor();
    await page.getByRole('row').getByText('active, acknowledged').waitFor();
  });

  test('leads there by keys alone, and back to the rows', async (t) => {
    const page = await suite.open(t, '/alarms/history?alarm=a0042&state=ACT_ACK');
    await summary(page, '1 transition');
    const grid = page.getByRole('grid');
    await tabTo(page, grid);
    await page.keyboard.press('ArrowRight');
    await tabTo(page, grid.locator('a:has(time)'));
    await page.keyboard.press('ArrowLeft');
    await tabTo(page, grid);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/alarms\?at=[\d.]+$/);
  });

  test('gives all that the filter leaves as CSV', async (t) => {
    const page = await suite.open(t, '/alarms/history?state=ACT_ACK');
    await summary(page, `${count} transitions`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    const [head, ...lines] = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
    assert.equal(head, 'time,name,state,severity,area,authority,description');
    assert.equal(lines.length, count);
    assert.match(
      lines.find((line) => line.includes('a0042')) ?? '',
      /Z,a0042,ACT_ACK,2,north\.line1,operator,Fault of/,
    );
  });
});
