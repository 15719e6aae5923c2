// Who may do what at which site, set on the page of a centre with users.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { CentreSite, User } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { noChromium } from '../browser.ts';
import { Nats, withoutNats } from '../engines/nats.ts';
import { startServer } from '../server-process.ts';
import { until } from '../until.ts';
import { ClosedSuite } from './admin-page.ts';
import { violationsOf } from './axe.ts';

describe('the people of a centre', { skip: noChromium || withoutNats }, () => {
  const scope = suiteCleanup();
  const args: string[] = [];
  before(async () => {
    const nats = await Nats.start(scope);
    const bus = ['--bus', nats.urls[0] ?? '', '--no-demo'];
    args.push(...bus, '--bus-role', 'centre'); // before the suite starts its server
    await startServer(scope, { data: join(temporaryFolder(scope), 'data'), args: [...bus, '--site', 'North'] });
  });
  const closed = new ClosedSuite({ nora: [{ role: 'viewer' }] }, { args });
  const sites = async () => Object.values(await closed.admin.do<Record<string, CentreSite>>('GET', '/sites'));

  test('get a role for one site, by its name, and for all of them again', async (t) => {
    const id = await until('North is there', async () => (await sites()).find(({ name }) => name === 'North')?.id);
    const page = await closed.open(t, '/access?tab=users');
    const row = page.getByRole('row').filter({ hasText: 'nora' });
    const edit = async (choose: string) => {
      await row.getByRole('button', { name: 'Edit nora' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Site').selectOption(choose);
      assert.deepEqual(await violationsOf(page), []);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    const grants = async () => (await closed.admin.do<User>('GET', '/access/users/nora')).grants;

    await edit('North');
    await row.getByText('viewer for all of the plant · North').waitFor();
    assert.deepEqual(await grants(), [{ role: 'viewer', site: id }]);
    await edit('here and at all sites');
    await row.getByText('viewer for all of the plant', { exact: true }).waitFor();
    assert.deepEqual(await grants(), [{ role: 'viewer' }]);
  });
});
