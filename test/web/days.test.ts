// Days of 23 and 25 hours on the page, in the zone of the plant: whoever steps over the change, types a moment or reads a record
// always knows which hour it is.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { TelltaleClient } from '@telltale/client';
import type { Page } from 'playwright-core';
import { noChromium } from '../browser.ts';
import { PageSuite } from './page-suite.ts';
import { configure, fill } from './trend-plant.ts';

/** Seconds since 1970. On 2026-03-29 the clock goes from 02:00 to 03:00, on 2026-10-25 from 03:00 to 02:00. */
const secondsOf = (text: string) => Date.parse(text) / 1000;
const spring = secondsOf('2026-03-29T00:30:00Z');
const autumn = secondsOf('2026-10-25T00:30:00Z');
const hour = 3600;

const shows = (page: Page, moment: string) =>
  page.getByText(`Everything here shows the moment ${moment}`, { exact: true }).waitFor();

async function typeMoment(page: Page, text: string): Promise<void> {
  const field = page.locator('.past-bar').getByLabel('Show another moment');
  await field.fill(text);
  await field.press('Enter');
}

describe('on days of 23 and 25 hours', { skip: noChromium }, () => {
  const suite = new PageSuite({ args: ['--time-zone', 'Europe/Berlin'] });
  let client: TelltaleClient;

  before(async () => {
    if (noChromium !== false) return;
    client = await configure(suite.server.url);
    await fill(client, 'level', [
      { s: spring, value: 'd1' },
      { s: spring + hour, value: 'd2' },
      { s: autumn, value: 'd3' },
      { s: autumn + hour, value: 'd4' },
    ]);
  });

  test('the time bar steps by hours that pass, and a typed hour that there is not is the one after it', async (t) => {
    const page = await suite.open(t, `/points?text=level&at=${spring}`);
    const value = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'level', exact: true }) });
    await shows(page, '2026-03-29 01:30:00 +01:00');
    await value.getByText('1.0').waitFor();
    await page.getByRole('button', { name: 'Later 1 h' }).click();
    await shows(page, '2026-03-29 03:30:00 +02:00');
    await value.getByText('2.0').waitFor();
    await page.getByRole('button', { name: 'Earlier 1 h' }).click();
    await shows(page, '2026-03-29 01:30:00 +01:00');
    await typeMoment(page, '2026-03-29T02:30:00');
    await shows(page, '2026-03-29 03:30:00 +02:00');
    await typeMoment(page, '2026-03-29T03:00:00');
    await shows(page, '2026-03-29 03:00:00 +02:00');
  });

  test('an hour that comes twice is told apart by its offset, and a typed one is the first', async (t) => {
    const page = await suite.open(t, `/points?text=level&at=${autumn}`);
    const value = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'level', exact: true }) });
    await shows(page, '2026-10-25 02:30:00 +02:00');
    await value.getByText('3.0').waitFor();
    await page.getByRole('button', { name: 'Later 1 h' }).click();
    await shows(page, '2026-10-25 02:30:00 +01:00');
    await value.getByText('4.0').waitFor();
    // Whoever leaves the field as it is stays where they are.
    await page.locator('.past-bar').getByLabel('Show another moment').press('Enter');
    await shows(page, '2026-10-25 02:30:00 +01:00');
    await typeMoment(page, '2026-10-25T02:45:00');
    await shows(page, '2026-10-25 02:45:00 +02:00');
  });

  test('records of both hours stand in the trend, each with its offset', async (t) => {
    const page = await suite.open(t, `/trends?pens=level&from=${autumn - hour}&until=${autumn + 2 * hour}`);
    await page.getByText('Data of the visible window').click();
    const table = page.getByRole('table', { name: 'Data of the visible window' });
    await table.getByRole('row', { name: /2026-10-25 02:30:00.000 \+02:00 level 3/ }).waitFor();
    await table.getByRole('row', { name: /2026-10-25 02:30:00.000 \+01:00 level 4/ }).waitFor();
    await page.getByLabel('From', { exact: true }).fill('2026-03-29T00:00:00');
    await page.getByLabel('From', { exact: true }).press('Enter');
    await page.waitForURL((url) => url.searchParams.get('from') === String(secondsOf('2026-03-28T23:00:00Z')));
  });

  test('a whole day of the history of alarms has all of its hours', async (t) => {
    const page = await suite.open(t, '/alarms/history?interval=own&from=1700000000&to=1700003600');
    for (const [day, hours] of [
      ['2026-03-29', 23],
      ['2026-10-25', 25],
    ] as const) {
      const next = `${day.slice(0, 8)}${Number(day.slice(8)) + 1}`;
      await page.getByLabel('From', { exact: true }).fill(`${day}T00:00:00`);
      await page.getByLabel('To', { exact: true }).fill(`${next}T00:00:00`);
      await page.keyboard.press('Enter');
      await page.waitForURL(({ searchParams: query }) => {
        const [from, to] = ['from', 'to'].map((end) => Number(query.get(end)));
        return Number(to) - Number(from) === hours * hour;
      });
    }
    assert.match(page.url(), new RegExp(`from=${secondsOf('2026-10-24T22:00:00Z')}`));
  });
});
