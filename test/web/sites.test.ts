// Promises of the page of a centre, with real sites on a real bus: they are listed, each has the whole page below its base, and nobody
// takes one for another.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { CentreSite, Overview } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { Page } from 'playwright-core';
import { noChromium } from '../browser.ts';
import { Nats, withoutNats } from '../engines/nats.ts';
import { put } from '../live-plant.ts';
import { type ServerProcess, startServer } from '../server-process.ts';
import { until } from '../until.ts';
import { violationsOf } from './axe.ts';
import { PageSuite, widthNames, widths } from './page-suite.ts';

interface Site {
  readonly id: string;
  readonly data: string;
  server: ServerProcess;
}

/** The centre has no store. */
const up = 'not stored';
/** A page that is open has lost its site. */
const expects = [/WebSocket connection .* failed/];
const plant = [
  put('commands', 'setpoint', { datatype: 'd' }),
  put('commands', 'dose', { datatype: 'd', properties: { confirm: 'sign' } }),
  put('measurements', 'level', { datatype: 'd', description: 'Level of the tank' }),
  put('alarms', 'flood', { severity: 1, description: 'Flood' }),
];

describe('the page of a centre', { skip: noChromium || withoutNats }, () => {
  const scope = suiteCleanup();
  const bus: string[] = [];
  const centreArgs: string[] = [];
  before(async () => {
    const nats = await Nats.start(scope);
    bus.push('--bus', nats.urls[0] ?? '');
    centreArgs.push(...bus, '--bus-role', 'centre', '--no-demo'); // before the suite starts its server
  });
  const suite = new PageSuite({ args: centreArgs });
  const started = new Map<string, Site>();
  before(async () => {
    for (const name of ['North', 'South']) {
      const data = join(temporaryFolder(scope), 'data');
      const server = await startSite(name, data);
      const made = await server.send('POST', '/cfgdb/txn?render=1', { operations: plant });
      assert.equal(made.status, 204, await made.text());
      started.set(name, { id: await idOf(name), data, server });
    }
  });

  const startSite = (name: string, data: string) =>
    startServer(scope, { data, args: [...bus, '--site', name, '--no-demo'] });
  const siteOf = (name: string) => started.get(name) as Site;
  const idOf = (name: string) =>
    until(`${name} is there`, async () => {
      const answer = await fetch(`${suite.server.url}/sites/${name}`);
      const site = answer.ok ? ((await answer.json()) as CentreSite) : undefined;
      return site?.state === 'up' && site.id;
    });
  const rowOf = (page: Page, name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
  const barOf = (page: Page) => page.getByRole('region', { name: 'Site' });
  const setpointAt = async (name: string) => {
    const answer = await fetch(`${siteOf(name).server.url}/data/commands/setpoint`);
    return ((await answer.json()) as { vt: [string] }).vt[0];
  };

  test('lists the sites, finds one by a word, and opens it', async (t) => {
    const page = await suite.open(t, '/');
    await page.getByRole('link', { name: 'Sites', exact: true }).click();
    await rowOf(page, 'South').getByText(up).waitFor();
    await page.getByRole('searchbox').fill('nor');
    await rowOf(page, 'South').waitFor({ state: 'detached' });
    await page.getByText('1 of 2').waitFor();
    await rowOf(page, 'North').getByRole('link', { name: 'North' }).click();
    await barOf(page).getByText('North', { exact: true }).waitFor();
    await page.getByText('● Live').waitFor();
    assert.equal(new URL(page.url()).pathname, `/sites/${siteOf('North').id}/`);
    await until('the title says it', async () => (await page.title()).startsWith('North – '));
    await page.goBack();
    await rowOf(page, 'North').waitFor();
  });

  test('of a site, every link leads to the same site, in a new tab too, and one leads back to all of them', async (t) => {
    const page = await suite.open(t, '/sites/North/points/level');
    await page.getByRole('heading', { name: 'level' }).waitFor();
    await page.getByRole('link', { name: 'Points', exact: true }).waitFor();
    const base = '/sites/North';
    const outside = new Set(['/sites', '/docs/', '/access']);
    const paths = (await page.evaluate(`[...document.links].map(({ pathname }) => pathname)`)) as string[];
    const others = paths.filter((path) => path !== base && !path.startsWith(`${base}/`) && !outside.has(path));
    assert.deepEqual(others, []);
    assert.ok(paths.includes(`${base}/points`) && paths.includes(`${base}/alarms`));
    await page.reload();
    await page.getByRole('heading', { name: 'level' }).waitFor();
    await page.getByRole('link', { name: 'Trends', exact: true }).click();
    await page.getByRole('heading', { name: 'Trends', exact: true }).waitFor();
    assert.equal(new URL(page.url()).pathname, `${base}/trends`);
    await page.getByRole('link', { name: 'All sites' }).click();
    await rowOf(page, 'South').waitFor();
  });

  test('a command that is written on the page of a site is written there, and its dialog says which site it is', async (t) => {
    const page = await suite.open(t, `/sites/${siteOf('South').id}/points/setpoint?kind=commands`);
    await page.getByRole('button', { name: 'Write …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading').getByText('South', { exact: true }).waitFor();
    await page.getByLabel('New value').fill('4.5');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByRole('button', { name: 'Write', exact: true }).click();
    await dialog.getByText(/✓ Accepted at/).waitFor();
    assert.deepEqual([await setpointAt('South'), await setpointAt('North')], ['d4.5', 'd0']);
    await page.locator('.drawer .point-value').getByText('4.5').waitFor();
  });

  test('what a site wants to have signed is signed at the site: its page asks for no password, and nothing is sent', async (t) => {
    for (const [language, said] of [
      ['en', /^This has to be signed at the site itself/],
      ['de', /^Das muss am Standort selbst unterschrieben werden/],
    ] as const) {
      const page = await suite.open(t, '/sites/South/points/dose?kind=commands', { chosen: { language } });
      const sent: string[] = [];
      page.on('request', (request) => request.method() !== 'GET' && sent.push(`${request.method()} ${request.url()}`));
      await page.locator('.drawer button', { hasText: / …$/ }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox').fill('2');
      await page.keyboard.press('Enter');
      await dialog.locator('button[type=submit]:focus').waitFor();
      await page.keyboard.press('Enter');
      await dialog.getByText(said).waitFor();
      assert.equal(await dialog.locator('form, input, [autocomplete]').count(), 0);
      assert.deepEqual(sent, []);
    }
  });

  test('nobody decides at the page of a site who may do what there, or what is approved', async (t) => {
    for (const path of ['/access', '/access?tab=approvals']) {
      const page = await suite.open(t, `/sites/South${path}`);
      await page.getByText('There is no such page.').waitFor();
    }
  });

  test('an alarm of a site is shown on its page alone', async (t) => {
    const raised = await fetch(`${siteOf('North').server.url}/data/alarms/flood/activate`, { method: 'POST' });
    assert.equal(raised.status, 204, await raised.text());
    const north = await suite.open(t, '/sites/North/alarms');
    await north.getByRole('region', { name: 'Alarms' }).getByText('Flood', { exact: true }).waitFor();
    const south = await suite.open(t, '/sites/South/alarms');
    await south.getByText('● Live').waitFor();
    await south.getByRole('region', { name: 'Alarms' }).getByText('No alarms').waitFor();
  });

  test('says of a site that is unknown that there is none', async (t) => {
    const page = await suite.open(t, '/sites/Nowhere/', { expects });
    await barOf(page).getByText('There is no site').waitFor();
    await barOf(page).getByText('Nowhere', { exact: true }).waitFor();
  });

  for (const on of widthNames) {
    test(`list and page of a site fit a ${on}, are accessible, and say the name, in German too`, async (t) => {
      for (const path of ['/sites', '/sites/North/points/level', '/sites/North/system']) {
        const page = await suite.open(t, path, { on, chosen: { language: 'de' } });
        await page.getByText('● Live').waitFor();
        await page.getByText('Lädt …').first().waitFor({ state: 'detached' });
        await page.getByText('North', { exact: true }).filter({ visible: true }).first().waitFor();
        const [inner, outer] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as number[];
        assert.ok(Number(inner) <= Number(outer), `${path}: ${inner} px in ${outer}`);
        assert.equal(page.viewportSize()?.width, widths[on].width);
        assert.deepEqual(await violationsOf(page), [], path);
        for (const theme of ['dark', 'contrast']) {
          await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
          assert.deepEqual(await violationsOf(page, 'colours'), [], `${path}, ${theme}`);
        }
        await page.context().close();
      }
    });
  }

  test('a site that goes away is first in the list, its page says so and keeps what it has, and all is well when it is back', async (t) => {
    const south = siteOf('South');
    const list = await suite.open(t, '/sites');
    const page = await suite.open(t, '/sites/South/points/level', { expects });
    await rowOf(list, 'South').getByText(up).waitFor();
    await page.getByText('● Live').waitFor();
    await until('the centre has the mirror', async () => {
      const answer = await fetch(`${suite.server.url}/sites/South/data/measurements`);
      await answer.arrayBuffer();
      return answer.headers.get('etag')?.includes(south.id) === true;
    });
    await south.server.end('SIGKILL');
    await rowOf(list, 'South').getByText('away').waitFor();
    const first = list
      .getByRole('row')
      .filter({ has: list.getByRole('link') })
      .first();
    await first.getByRole('link', { name: 'South' }).waitFor();
    await list.getByText('2 not well').waitFor();
    await barOf(page)
      .getByText(/Away since/)
      .waitFor();
    await page.locator('.drawer .point-value').getByText('BAD').waitFor();
    // Whoever comes now sees the same.
    const fresh = await suite.open(t, '/sites/South/points/level', { expects });
    await barOf(fresh)
      .getByText(/Away since/)
      .waitFor();
    await fresh.locator('.drawer .point-value').getByText('BAD').waitFor();
    south.server = await startSite('South', south.data);
    await rowOf(list, 'South').getByText(up).waitFor();
    await page.getByText('● Live').waitFor();
    await barOf(page)
      .getByText(/Away since/)
      .waitFor({ state: 'detached' });
  });

  test('a server that is no centre has no way to sites, and says so at their address', async (t) => {
    const page = await suite.open(t, `${siteOf('North').server.url}/sites`);
    await page.getByText('No site has been heard of').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Sites', exact: true }).count(), 0);
  });

  test('what other machines do not do is said above every view, in the words of the service', async (t) => {
    const { degraded } = (await (await fetch(`${siteOf('North').server.url}/data/overview`)).json()) as Overview;
    const [first] = degraded;
    assert.match(first?.text ?? '', /store/);
    for (const path of ['/points', '/trends']) {
      const page = await suite.open(t, `${siteOf('North').server.url}${path}`);
      await page.getByRole('region', { name: 'Degraded' }).getByText('Nothing goes to the store').waitFor();
    }
    const page = await suite.open(t, '/sites/North/system');
    await page.getByRole('heading', { name: 'Shared store' }).waitFor();
    await page.getByText(/^connected, nats:/).waitFor();
    await page.getByText(/^not reached, /).waitFor();
  });
});
