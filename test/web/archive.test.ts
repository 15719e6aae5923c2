// Promises of the view archive: a file is imported and exported, and what is erased was counted and confirmed before.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { noChromium } from '../browser.ts';
import { PageSuite } from './page-suite.ts';

describe('the view archive', { skip: noChromium }, () => {
  const suite = new PageSuite();

  test('imports a file, exports it, counts it, and erases it after the name was typed', async (t) => {
    const page = await suite.open(t, '/archive');
    const part = (name: string) =>
      page.locator('section').filter({ has: page.getByRole('heading', { name, exact: true }) });
    const importing = part('Import');
    const buffer = Buffer.from('time,value,quality\n1600000000,3.25,192\n1600000060,3.5,192\n');
    await importing.getByLabel('File').setInputFiles({ name: 'level.csv', mimeType: 'text/csv', buffer });
    await importing.getByLabel('Name of the point').fill('tank1_level');
    await importing.getByRole('button', { name: 'Import' }).click();
    await importing.getByText('All is stored').waitFor();
    const exporting = part('Export');
    await exporting.getByLabel('Names').fill('tank1_level');
    await exporting.getByLabel('From').fill('2020-09-13T00:00:00');
    await exporting.getByLabel('To').fill('2020-09-14T00:00:00');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      exporting.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    assert.equal(
      readFileSync(await download.path(), 'utf8')
        .trim()
        .split('\n').length,
      3,
    );
    const erasing = part('Erase');
    await erasing.getByLabel('Names').fill('tank1_level');
    await erasing.getByLabel('From').fill('2020-09-13T00:00:00');
    await erasing.getByLabel('To').fill('2020-09-14T00:00:00');
    await erasing.getByRole('button', { name: 'Count what would be lost' }).click();
    await erasing.getByText('2 records').waitFor();
    const erase = erasing.getByRole('button', { name: 'Erase for good' });
    assert.equal(await erase.isDisabled(), true);
    await erasing.getByLabel(/To confirm/).fill('tank1_level');
    await erase.click();
    await erasing.getByText('Erased: tank1_level').waitFor();
  });
});
