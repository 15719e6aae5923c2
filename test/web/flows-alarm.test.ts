// Flows of an operator, as a person does them, in a real browser against the real server: an alarm from the banner to its
// acknowledgement, and a bad value to the stage and connector at fault.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { TelltaleClient } from '@telltale/client';
import { noChromium } from '../browser.ts';
import { until } from '../until.ts';
import { violationsOf } from './axe.ts';
import { arrowTo, enter, tabTo } from './by-keys.ts';
import { flowsPlant, hostileText } from './flows-plant.ts';
import { PageSuite, widthNames } from './page-suite.ts';

describe('an operator', { skip: noChromium }, () => {
  const suite = new PageSuite({ args: [] });
  let client: TelltaleClient;
  before(async () => {
    client = new TelltaleClient({ url: suite.server.url });
    await client.configuration.transaction(flowsPlant, { render: true });
    await until('the link of the bench', async () => (await client.connectors.get('bench')).state === 'up');
  });

  /** From low to high: a new alarm each time. */
  const raise = async () => {
    const stateIs = (wanted: string) =>
      until(`the alarm is ${wanted}`, async () => (await client.alarms.get('level_high')).state.startsWith(wanted));
    await client.commands.write('set_level', 'd2');
    await stateIs('INACT');
    await client.alarms.acknowledge('level_high');
    await client.commands.write('set_level', 'd4.8');
    await stateIs('ACT_UNACK');
  };

  for (const on of widthNames) {
    test(`goes from the alarm in the banner to its trend, limit and cause, and acknowledges it (${on})`, async (t) => {
      await raise();
      const page = await suite.open(t, '/', { on });
      await page
        .locator('.banner')
        .getByRole('link', { name: /The tank is nearly full/ })
        .click();
      const drawer = page.locator('.drawer');
      await drawer.getByRole('heading', { name: 'level_high' }).waitFor();
      await drawer.getByText('active, not acknowledged').first().waitFor();
      await drawer.getByText('level > 4.50 m, back by 0.10 m').waitFor();
      await drawer.getByText('From ten minutes before the alarm').waitFor();
      const link = await drawer.getByRole('link', { name: 'Open in trends' }).getAttribute('href');
      const query = new URL(link ?? '', suite.server.url).searchParams;
      assert.equal(query.get('pens'), 'level');
      assert.ok(Number(query.get('span')) >= 600);
      await drawer.locator('.trend canvas').first().waitFor();
      await drawer.getByText('How it came about').waitFor();
      await drawer.getByText('It is good.').waitFor();
      await drawer.getByRole('link', { name: 'bench' }).waitFor();
      await drawer.getByRole('button', { name: 'Acknowledge' }).click();
      await drawer.locator('.point-alarm-state').getByText('active, acknowledged', { exact: true }).waitFor();
      assert.equal((await client.alarms.get('level_high')).state, 'ACT_ACK');
      await drawer.getByText('No alarm').waitFor({ state: 'detached' });
    });
  }

  test('does the same by keys alone', async (t) => {
    await raise();
    const page = await suite.open(t, '/');
    const alarm = page.locator('.banner').getByRole('link', { name: /The tank is nearly full/ });
    await enter(page, alarm);
    const drawer = page.locator('.drawer');
    await drawer.getByText('How it came about').waitFor();
    await tabTo(page, drawer.getByRole('link', { name: 'Open in trends' }));
    await page.keyboard.press('Shift+Tab');
    await enter(page, drawer.getByRole('button', { name: 'Acknowledge' }));
    await drawer.locator('.point-alarm-state').getByText('active, acknowledged', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).pathname, '/');
  });

  for (const on of widthNames) {
    test(`goes from a bad value by its mark to the stage and connector at fault (${on})`, async (t) => {
      await client.commands.write('set_level', 'd3');
      await client.commands.write('level_bad', 'b1');
      const page = await suite.open(t, '/points', { on });
      const row = page.getByRole('row').filter({ hasText: 'level' });
      await row.getByRole('link', { name: '✕ BAD' }).first().click();
      const fault = page.locator('.drawer .chain-fault');
      await fault.getByText('This is where it became bad, device failure.').waitFor();
      assert.match(await fault.innerText(), /^✕\s*Reading/);
      await page.locator('.drawer .chain-fault:focus').waitFor();
      await page.locator('.drawer').getByRole('link', { name: 'bench' }).click();
      await page.waitForURL('**/connectors/bench');
      await page.locator('.view-head').getByText('up', { exact: true }).waitFor();
      await client.commands.write('level_bad', 'b0');
    });
  }

  test('goes there by keys alone, also where the link is lost, and is back in the list where it was', async (t) => {
    await client.commands.write('level_bad', 'b1');
    const page = await suite.open(t, '/points');
    const grid = page.getByRole('grid');
    const level = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'level', exact: true }) });
    await arrowTo(page, grid, level);
    await level.getByText('✕ BAD').waitFor();
    await page.keyboard.press('Enter');
    const drawer = page.locator('.drawer');
    const fault = drawer.locator('.chain-fault');
    await fault.getByText('This is where it became bad, device failure.').waitFor();
    await client.commands.write('lose_link', 'i15');
    await fault.getByText('Watchdog').waitFor();
    await drawer.getByText('✕ down').waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await page.getByRole('grid').and(page.locator(':focus')).waitFor();
    await level.and(page.locator('.active')).waitFor();
    await page.keyboard.press('Enter');
    await enter(page, drawer.getByRole('link', { name: 'bench' }));
    await page.waitForURL('**/connectors/bench');
    await page.locator('.view-head').getByText('down', { exact: true }).waitFor();
    await until('the link is back', async () => (await client.connectors.get('bench')).state === 'up');
    await client.commands.write('level_bad', 'b0');
  });

  test('follows a link right to an alarm, with all points below its drawer', async (t) => {
    const page = await suite.open(t, '/points/level_high?kind=alarms');
    await page.locator('.drawer').getByRole('heading', { name: 'level_high' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'set_level' }).waitFor();
    await page.locator('.drawer').getByRole('link', { name: 'level', exact: true }).click();
    await page.locator('.drawer').getByRole('heading', { name: 'level', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => url.pathname === '/points');
  });

  test('reads a description with markup as text, finds names that are alike, and is not led astray by odd ones', async (t) => {
    const page = await suite.open(t, '/points/level');
    await page.locator('.drawer').getByText(hostileText).waitFor();
    assert.notEqual(await page.title(), '1');
    await page.goto(`${suite.server.url}/points/level_hihg`);
    await page.getByText('There is no point level_hihg.').waitFor();
    await page.locator('.point-near').getByRole('link', { name: 'level_high' }).click();
    await page.locator('.drawer').getByText('Alarm', { exact: true }).waitFor();
    for (const odd of ['__proto__', '%3Cimg%20src=x%20onerror=alert(1)%3E', 'constructor?kind=__proto__']) {
      await page.goto(`${suite.server.url}/points/${odd}`);
      await page.getByText('There is no point').waitFor();
    }
  });

  test('sees a moment of the past as it was, and is offered nothing to do', async (t) => {
    const at = Date.now() / 1000;
    await client.commands.write('set_level', 'd1.25');
    const page = await suite.open(t, `/points/level?at=${at}`);
    await page.getByText('How values came about is known of now alone.').waitFor();
    await page.locator('.point-value .figure, .point-value .mark').first().waitFor();
    assert.equal(await page.getByRole('button', { name: 'Force …' }).count(), 0);
    assert.doesNotMatch(await page.locator('.point-value').innerText(), /1[.]25/);
  });

  for (const theme of ['light', 'dark', 'contrast']) {
    test(`finds the drawer accessible in the theme ${theme}, with a bad value too`, async (t) => {
      await client.commands.write('level_bad', 'b1');
      const page = await suite.open(t, '/points/level', { chosen: { theme } });
      await page.locator('.chain-fault').waitFor();
      await page.getByText('Configuration').last().click();
      await page.locator('.point-blame').waitFor();
      assert.deepEqual(await violationsOf(page), []);
      await page.goto(`${suite.server.url}/points/level_high?kind=alarms`);
      await page.getByText('Last transitions').waitFor();
      assert.deepEqual(await violationsOf(page), []);
      await client.commands.write('level_bad', 'b0');
    });
  }
});
