// Promises of the view system: how the service is, and its configuration as a file.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { noChromium } from '../browser.ts';
import { PageSuite, widthNames } from './page-suite.ts';

describe('the view system', { skip: noChromium }, () => {
  const suite = new PageSuite();

  test('takes the configuration away, and says that it is the same when it comes back', async (t) => {
    const page = await suite.open(t, '/system');
    await page.getByText('The service does all of its work.').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the configuration' }).click(),
    ]);
    const buffer = readFileSync(await download.path());
    assert.match(buffer.toString('latin1', 0, 15), /^SQLite format 3/);
    await page.getByLabel('File').setInputFiles({ name: 'c.sqlite', mimeType: 'application/x-sqlite3', buffer });
    await page.getByRole('button', { name: 'Upload and compare' }).click();
    await page.getByText('It is the same as what runs.').waitFor();
  });

  test('lists the settings with where each comes from, and finds one by a word of its description', async (t) => {
    const page = await suite.open(t, '/system');
    await page.getByRole('heading', { name: 'Settings' }).click();
    const row = page.getByRole('row', { name: /^max-watches 200000 default/ });
    await row.waitFor();
    await page.getByRole('searchbox', { name: 'Filter' }).fill('time zone plant');
    await row.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /^time-zone / }).waitFor();
    await page.getByText('1 setting', { exact: true }).waitFor();
  });

  for (const on of widthNames) {
    test(`fits a ${on}, as archive, audit and access do`, async (t) => {
      for (const path of ['/system', '/archive', '/audit', '/access']) {
        const page = await suite.open(t, path, { on });
        await page.getByRole('heading', { level: 1 }).waitFor();
        const [inner, outer] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as number[];
        assert.ok(Number(inner) <= Number(outer), `${path}: ${inner} px in ${outer}`);
      }
    });
  }
});
