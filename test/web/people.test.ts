// People at the page of a closed service, in real browsers: signatures and second persons, second factors, certificates, and sessions
// that begin and end.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Approval, Session } from '@telltale/schema';
import type { Page } from 'playwright-core';
import { presentCode } from '../../packages/server/src/access/passwords/totp.ts';
import { addAuthenticator, noChromium } from '../browser.ts';
import { administrator, password } from '../closed-server.ts';
import { put } from '../live-plant.ts';
import { until } from '../until.ts';
import { ClosedSuite } from './admin-page.ts';
import { violationsOf } from './axe.ts';
import { enter, tabTo, typeInto } from './by-keys.ts';
import { widthNames } from './page-suite.ts';

const reason = 'the tank <b>must</b> be emptied';

const command = (name: string, confirm: string) =>
  put('commands', name, { datatype: 'i', eu: '%', euRangeLo: '0', euRangeHi: '100', properties: { confirm } });

const dialogOf = (page: Page) => page.getByRole('dialog');
const buttonOf = (page: Page, name: string) => dialogOf(page).getByRole('button', { name, exact: true });
const articleOf = (page: Page, name: string) => page.locator('.access-approval', { hasText: name }).first();

/** Up to the dialog in which it is signed. */
async function askFor(page: Page, value: string): Promise<void> {
  await page.getByRole('button', { name: 'Write …' }).click();
  await page.getByLabel('New value').fill(value);
  await buttonOf(page, 'Continue').click();
  await buttonOf(page, 'Write').click();
  await dialogOf(page).getByText('This has to be signed').waitFor();
}

async function sign(page: Page, given = password): Promise<void> {
  await dialogOf(page).getByLabel('Reason').fill(reason);
  await dialogOf(page).getByLabel('Password').fill(given);
  await buttonOf(page, 'Sign').click();
}

async function decide(page: Page, name: string, word: 'Approve' | 'Reject'): Promise<void> {
  await articleOf(page, name).getByRole('button', { name: word }).click();
  await dialogOf(page)
    .getByLabel(word === 'Approve' ? 'Password' : 'Reason')
    .fill(word === 'Approve' ? password : 'not <i>now</i>');
  await buttonOf(page, word).click();
}

describe('people of a closed service', { skip: noChromium }, () => {
  const closed = new ClosedSuite({
    anna: [{ role: 'operator' }],
    vera: [{ role: 'operator' }],
    paul: [{ role: 'operator' }],
    lead: [{ role: 'shift-lead' }],
  });

  before(async () => {
    if (noChromium) return;
    const { admin } = closed;
    await admin.do('PUT', `/access/users/${administrator}`, {
      grants: [{ role: 'administrator' }, { role: 'engineer' }],
    });
    const names = widthNames.map((on) => `double_${on}`);
    const operations = [
      ...names.map((name) => command(name, 'two-person')),
      command('signed', 'sign'),
      command('taken', 'two-person'),
    ];
    await admin.do('POST', '/config/v2/cfgdb/txn?render=1', { operations });
  });

  const writtenTo = async (name: string) =>
    (await closed.admin.do<{ vt: [string] }>('GET', `/data/commands/${name}`)).vt[0];
  const approvalsOf = async (name: string) =>
    (await closed.admin.do<Approval[]>('GET', '/data/approvals')).filter(({ input }) => input.name === name);

  for (const on of widthNames) {
    test(`one asks and signs, another approves in a browser of their own, and it is done once (${on})`, async (t) => {
      const name = `double_${on}`;
      const anna = await closed.open(t, `/points/${name}?kind=commands`, 'anna', { on });
      await askFor(anna, '7');
      await sign(anna);
      await dialogOf(anna).getByText('It waits for a second person.').waitFor();
      assert.deepEqual(await violationsOf(anna), []);
      assert.equal(await writtenTo(name), 'i0');

      const lead = await closed.open(t, '/access?tab=approvals', 'lead', { on });
      const article = articleOf(lead, name);
      await article.getByText(reason).waitFor();
      await article.getByText('anna', { exact: true }).waitFor();
      await decide(lead, name, 'Approve');
      await article.getByText('done', { exact: true }).waitFor();
      assert.equal(await writtenTo(name), 'i7');

      await dialogOf(anna).getByRole('link', { name: 'Approvals' }).click();
      await articleOf(anna, name).getByText('done', { exact: true }).waitFor();
      await articleOf(anna, name).getByText('lead', { exact: true }).waitFor();
      assert.equal(await articleOf(anna, name).getByRole('button').count(), 0);
      assert.equal((await approvalsOf(name)).length, 1);
    });
  }

  test('who has asked cannot approve it, another can reject it, with a reason', async (t) => {
    const anna = await closed.open(t, '/points/taken?kind=commands', 'anna');
    await askFor(anna, '9');
    await sign(anna);
    await dialogOf(anna).getByRole('link', { name: 'Approvals' }).click();
    await articleOf(anna, 'taken').getByRole('button', { name: 'Approve' }).click();
    await dialogOf(anna).getByLabel('Second person').fill('anna');
    await dialogOf(anna).getByLabel('Password').fill(password);
    await buttonOf(anna, 'Approve').click();
    await dialogOf(anna).getByRole('alert').waitFor();
    assert.equal(await writtenTo('taken'), 'i0');
    await buttonOf(anna, 'Cancel').click();

    const lead = await closed.open(t, '/access?tab=approvals', 'lead');
    await decide(lead, 'taken', 'Reject');
    await articleOf(anna, 'taken').getByText('rejected', { exact: true }).waitFor();
    await articleOf(anna, 'taken').getByText('not <i>now</i>').waitFor();
    assert.equal(await writtenTo('taken'), 'i0');
  });

  test('one signs by keys alone, and is told where the password was wrong', async (t) => {
    const page = await closed.open(t, '/points/signed?kind=commands', 'anna');
    await enter(page, page.getByRole('button', { name: 'Write …' }));
    await typeInto(page, page.getByLabel('New value'), '30');
    await page.keyboard.press('Enter');
    await page.getByText('Send this to the device?').waitFor();
    await page.keyboard.press('Enter');
    await typeInto(page, dialogOf(page).getByLabel('Reason'), reason);
    await typeInto(page, dialogOf(page).getByLabel('Password'), 'wrong password');
    await page.keyboard.press('Enter');
    await dialogOf(page).getByRole('alert').waitFor();
    assert.equal(await writtenTo('signed'), 'i0');
    await typeInto(page, dialogOf(page).getByLabel('Password'), password);
    await enter(page, buttonOf(page, 'Sign'));
    await page.getByText(/✓ Accepted at/).waitFor();
    assert.equal(await writtenTo('signed'), 'i30');
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'detached' });
    await tabTo(page, page.getByRole('button', { name: 'Write …' }));
    assert.ok(!(await page.content()).includes(password));
  });

  test('an authenticator app is set up, and its code is wanted from then on', async (t) => {
    const page = await closed.open(t, '/access?tab=own', 'vera');
    await page.getByRole('button', { name: 'Set up an app' }).click();
    const secret = await page.locator('.access-secret').first().innerText();
    const code = page.getByLabel('Code that the app shows');
    await code.fill('000000');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('alert').waitFor();
    const codeNow = () => presentCode({ secret, lastStep: 0 }, Date.now() * 1000);
    await code.fill(codeNow());
    await page.getByRole('button', { name: 'Confirm' }).click();
    const codes = await dialogOf(page).locator('pre').innerText();
    const [recovery = ''] = codes.split('\n');
    assert.ok(recovery.length >= 8);
    await buttonOf(page, 'I have kept them').click();
    await page.getByText('An app is set up.').waitFor();
    assert.ok(!(await page.content()).includes(secret));

    const other = await closed.suite.open(t, '/access/sign-in?to=/forced');
    await other.locator('[name=user]').fill('vera');
    await other.locator('[name=password]').fill(password);
    await other.keyboard.press('Enter');
    await other.locator('[name=code]').fill(recovery);
    await other.keyboard.press('Enter');
    await other.waitForURL('**/forced');
    await other.getByText('● Live').waitFor();
  });

  test('a passkey is made, signs in by itself, and is removed', async (t) => {
    // A passkey belongs to a name, which 127.0.0.1 is not.
    const url = closed.suite.server.url.replace('127.0.0.1', 'localhost');
    const page = await closed.suite.open(t, '/access/sign-in');
    await page.goto(`${url}/access/sign-in?to=/access%3Ftab%3Down`);
    const authenticator = await addAuthenticator(page);
    await page.locator('[name=user]').fill('paul');
    await page.locator('[name=password]').fill(password);
    await page.keyboard.press('Enter');
    await page.getByLabel('Name, such as phone').fill('<b>phone</b>');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await buttonOf(page, 'I have kept them').click();
    await page.getByText('<b>phone</b>', { exact: true }).waitFor();

    await page.locator('.person').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(/sign-in\?to=%2Faccess%3Ftab%3Down/);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.waitForURL(`${url}/access?tab=own`);
    await page.getByRole('button', { name: 'Remove: <b>phone</b>' }).click();
    await page.getByText('<b>phone</b>', { exact: true }).waitFor({ state: 'detached' });
    await authenticator.detach();
  });

  test('the certificate of a program is added, and removed after asking', async (t) => {
    const page = await closed.open(t, '/access?tab=certificates');
    const fingerprint = 'ab'.repeat(32);
    await page.getByRole('button', { name: 'Add a certificate' }).click();
    await dialogOf(page).getByLabel('Name', { exact: true }).fill('gateway');
    await dialogOf(page).getByLabel('Fingerprint').fill('nonsense');
    await buttonOf(page, 'Save').click();
    await dialogOf(page).getByRole('alert').waitFor();
    await dialogOf(page).getByLabel('Fingerprint').fill(fingerprint);
    await buttonOf(page, 'Save').click();
    const row = page.getByRole('row', { name: /gateway/ });
    await row.getByText('viewer for all of the plant').waitFor();
    await row.getByRole('button', { name: /^(?:Remove|Delete): gateway/ }).click();
    await dialogOf(page).getByRole('heading', { name: 'Delete the certificate gateway?' }).waitFor();
    await dialogOf(page).locator('button.main').click();
    await row.waitFor({ state: 'detached' });
  });

  test('a session that is ended leads to the sign-in, and from there to the same address', async (t) => {
    const path = '/points?text=tank1_level&at=1700000000';
    const page = await closed.open(t, path, 'anna', { expects: [/WebSocket/] });
    await page.getByText('PAST').waitFor();
    const sessions = await closed.admin.do<Session[]>('GET', '/access/sessions');
    for (const { id, user } of sessions) if (user === 'anna') await closed.admin.do('DELETE', `/access/sessions/${id}`);
    await page.waitForURL('**/access/sign-in?**');
    await page.locator('[name=user]').fill('anna');
    await page.locator('[name=password]').fill(password);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname + url.search === path);
    await page.getByRole('button', { name: 'anna' }).waitFor();
    await until('it is connected', async () => (await page.getByText('● Link up').count()) === 1);
  });
});
