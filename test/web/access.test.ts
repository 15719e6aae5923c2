// Promises of the view access: who may what is shown and changed, secrets are shown once, operators see nothing of others.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { noChromium } from '../browser.ts';
import { ClosedSuite } from './admin-page.ts';
import { PageSuite } from './page-suite.ts';

describe('the view access', { skip: noChromium }, () => {
  const closed = new ClosedSuite({ olga: [{ role: 'operator' }] });

  test('makes a user of an area, whose name for people is text whatever it contains', async (t) => {
    const page = await closed.open(t, '/access?tab=users');
    await page.getByRole('button', { name: 'Add a user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: false }).first().fill('bert');
    await dialog.getByLabel('Name for people').fill('<img src=x onerror=alert(1)>\u202E');
    await dialog.getByLabel('Role').selectOption('operator');
    await dialog.getByLabel('Where').selectOption('area');
    await dialog.getByLabel('area', { exact: true }).fill('works');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('row', { name: /bert/ });
    await row.getByText('operator in works and below').waitFor();
    await row.getByText('<img src=x onerror=alert(1)>').waitFor();
    assert.equal(await page.locator('main img').count(), 0);
  });

  test('shows a token once, and keeps it nowhere in the page', async (t) => {
    const page = await closed.open(t, '/access?tab=tokens');
    await page.getByRole('button', { name: 'Make a token' }).click();
    await page.getByRole('dialog').getByLabel('Name', { exact: false }).first().fill('report');
    await page.getByRole('button', { name: 'Make', exact: true }).click();
    const secret = page.locator('.access-secret');
    await secret.getByText(/^tt_/).waitFor();
    const token = await secret.innerText();
    assert.ok(!page.url().includes(token));
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('row', { name: /report/ }).waitFor();
    assert.ok(!(await page.content()).includes(token));
  });

  test('shows an operator the own access, and nothing of others', async (t) => {
    const page = await closed.open(t, '/access?tab=users', 'olga');
    await page.getByText('Missing permission: Manage users').waitFor();
    await page.getByRole('heading', { name: 'olga' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Users', exact: true }).count(), 0);
    await page.goto(new URL('/audit', page.url()).href);
    await page.getByText('(read-audit)').waitFor();
    await page.goto(new URL('/archive', page.url()).href);
    await page.getByRole('heading', { name: 'Size and age' }).waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Erase' }).count(), 0);
    assert.equal(await page.getByRole('heading', { name: 'Import' }).count(), 0);
  });

  test('offers an administrator, who may not configure, nothing that would be refused, and says why', async (t) => {
    const offers = /^(\+|(New|Save|Upload|Replace|Rename|Delete|Generate|Render|Discard|Restart|Disable|Edit|Paste)\b)/;
    const page = await closed.open(t, '/config');
    await page.getByRole('heading', { name: 'What runs' }).waitFor();
    const { origin } = new URL(page.url());
    const paths = [
      '/config/changes',
      '/config/revisions',
      '/pictures',
      '/trends/tanks',
      '/connectors/waterworks',
      '/modules',
    ];
    for (const path of ['', ...paths]) {
      if (path !== '') await page.goto(origin + path);
      await page.locator('main :is(h1, h2)').first().waitFor();
      const offered = await page.locator('main').getByRole('button', { name: offers }).allInnerTexts();
      const linked = await page.locator('main').getByRole('link', { name: offers }).allInnerTexts();
      assert.deepEqual([path, ...offered, ...linked.filter((text) => text === '+')], [path]);
    }
    for (const path of [
      '/config/connectors?new=1',
      '/config/measurements/tank1_level',
      '/pictures/waterworks?edit=1',
    ]) {
      await page.goto(origin + path);
      await page.getByText('Missing permission: Change the configuration', { exact: false }).first().waitFor();
      assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
      assert.equal(await page.locator('main').locator('input:enabled, select:enabled, textarea:enabled').count(), 0);
    }
  });
});

describe('the view access of a service without users', { skip: noChromium }, () => {
  const suite = new PageSuite();

  test('says how the first administrator is made, by commands for this very service, and nothing else', async (t) => {
    const page = await suite.open(t, '/access?tab=users');
    await page.getByRole('heading', { name: 'There are no users' }).waitFor();
    await page.getByText(`telltale access init admin --data ${suite.folder}`, { exact: true }).waitFor();
    await page.getByText(`cat ${suite.folder}/first-administrator`, { exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Copy' }).count(), 2);
    assert.equal(await page.getByRole('button', { name: 'Add a user' }).count(), 0);
  });
});
