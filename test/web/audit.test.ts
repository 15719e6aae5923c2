// Promises of the view audit: records are found by who, what and outcome, shown as differences, and exported.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { noChromium } from '../browser.ts';
import { ClosedSuite } from './admin-page.ts';

describe('the view audit', { skip: noChromium }, () => {
  const closed = new ClosedSuite({ olga: [{ role: 'operator' }] });

  test('shows what differs in a record, by a link that can be sent', async (t) => {
    const displayName = '<b onclick=x>';
    await closed.admin.do('PUT', '/access/users/olga', { displayName, grants: [{ role: 'viewer' }] });
    const page = await closed.open(t, '/audit?operation=putUser&object=olga');
    await page.getByText('2 records').waitFor();
    await page.locator('.grid-body .grid-row').first().dblclick();
    await page.waitForURL(/record=\d+/);
    const row = page.getByRole('dialog').getByRole('row', { name: /displayName/ });
    await row.getByText(displayName).waitFor();
    await row.getByText('not there').waitFor();
  });

  test('exports exactly what the filter leaves', async (t) => {
    const page = await closed.open(t, '/audit?operation=setPassword');
    await page.getByText('1 record').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export JSON' }).click(),
    ]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).operation),
      ['setPassword'],
    );
  });
});
