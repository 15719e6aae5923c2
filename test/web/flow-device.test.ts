// The flow of an engineer with a new device, as a person does it: a connector by the form of its stack, rendered, browsed, and what
// the device offers taken over, until its values are live. The device is another server, which serves a tank by OPC UA.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { TelltaleClient } from '@telltale/client';
import { freePort } from '@telltale/stack-kit/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { Page } from 'playwright-core';
import { noChromium } from '../browser.ts';
import { put } from '../live-plant.ts';
import { startServer } from '../server-process.ts';
import { until } from '../until.ts';
import { arrowTo, enter, tabTo, typeInto } from './by-keys.ts';
import { PageSuite, type Width, widthNames } from './page-suite.ts';

const field = (page: Page, key: string, control = 'input') => page.locator(`[data-field="${key}"] ${control}`);
const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });

describe('an engineer with a new device', { skip: noChromium }, () => {
  const cleanup = suiteCleanup();
  const suite = new PageSuite({ args: ['--no-demo'] });
  let service: TelltaleClient;
  let tank: TelltaleClient;
  let endpointUrl: string;

  before(async () => {
    if (noChromium) return;
    service = new TelltaleClient({ url: suite.server.url });
    const port = String(await freePort());
    endpointUrl = `opc.tcp://127.0.0.1:${port}`;
    const device = await startServer(cleanup, { data: temporaryFolder(cleanup), args: ['--no-demo'] });
    tank = new TelltaleClient({ url: device.url });
    const served = (name: string) => ({ connectorName: 'bench', providerAddresses: { ua: `Tank.${name}` } });
    await tank.configuration.transaction(
      [
        put('providers', 'ua', { stackName: 'opcua', vars: { port, unsecured: 'true', anonymous: 'true' } }),
        put('connectors', 'bench', { stackName: 'simulator', vars: { scanPeriodMs: '50' } }),
        put('measurements', 'Level', { datatype: 'd', address: 'echo(level)', ...served('Level') }),
        put('measurements', 'Door', { datatype: 'b', address: 'echo(door)', ...served('Door') }),
        put('commands', 'set_level', { datatype: 'd', connectorName: 'bench', address: 'echo(level)' }),
      ],
      { render: true },
    );
    await until('the tank is served', async () => (await tank.providers.get('ua')).state === 'up');
  });

  test('is told by an empty configuration where to begin, and not that it equals what runs', async (t) => {
    const page = await suite.open(t, '/config');
    await page.getByText('Nothing is configured yet.').waitFor();
    assert.equal(await page.getByText('What runs equals the database.').count(), 0);
    await page.getByRole('link', { name: 'Begin with a connector' }).click();
    await field(page, 'stackName', 'select').waitFor();
  });

  async function configureConnector(page: Page, name: string, on: Width): Promise<void> {
    await page.getByText('● Live').waitFor();
    if (on === 'phone') await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Configuration' }).click();
    await page.getByRole('link', { name: 'New connector' }).click();
    await field(page, 'name').fill(name);
    await field(page, 'stackName', 'select').selectOption('opcua');
    await page.getByText('OPC UA.', { exact: false }).first().waitFor();
    await page.getByText('Such as opc.tcp://192.168.0.20:4840').waitFor();
    await field(page, 'vars.endpointUrl').fill('127.0.0.1');
    await field(page, 'vars.securityMode', 'select').selectOption('None');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('[data-field="vars.endpointUrl"] .form-fault').getByText('opc.tcp://HOST:PORT').waitFor();
    await field(page, 'vars.endpointUrl').fill(endpointUrl);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText('It would work.').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForURL(`**/config/connectors/${name}`);
  }

  async function render(page: Page): Promise<void> {
    await page
      .getByRole('banner')
      .getByRole('link', { name: /pending/i })
      .click();
    await page.getByLabel('Comment').fill('the new tank');
    await page.getByRole('button', { name: 'Render 1 edit' }).click();
    await page.getByText('Rendered: it runs.').waitFor();
  }

  async function takeOver(page: Page, on: Width): Promise<void> {
    const grid = page.getByRole('grid', { name: 'Offered by the device' });
    await grid.getByRole('button', { name: 'Open ua', exact: true }).click();
    const level = grid.getByRole('row').filter({ hasText: 'measurement Level' });
    await level.locator('.grid-check').click();
    await page.getByText('1 selected').waitFor();
    await page.getByRole('button', { name: 'Review and take over …' }).click();
    await page.getByRole('heading', { name: 'Take over 1 object' }).waitFor();
    await page.getByRole('textbox', { name: /^Name for/ }).fill(`tank_${on}`);
    await page.getByLabel('Area of all of them').fill('works');
    await page.getByRole('button', { name: 'Take 1 object over' }).click();
    await page.getByText('1 object is in the configuration').waitFor();
    await page.getByRole('button', { name: 'Render', exact: true }).click();
    await page.getByRole('heading', { name: 'Rendered: they run.' }).waitFor();
  }

  for (const on of widthNames) {
    test(`has its values live in the list of points, from nothing, at the width of the ${on}`, async (t) => {
      await tank.commands.write('set_level', 'd1.5');
      const connector = `tank_of_${on}`;
      const page = await suite.open(t, '/', { on });
      await configureConnector(page, connector, on);
      assert.deepEqual(Object.keys(await service.connectors.list()).includes(connector), false, 'it does not run yet');
      await render(page);
      await page.goto(`${suite.server.url}/connectors`);
      await page.getByRole('link', { name: connector, exact: true }).click();
      await page.locator('.view-head').getByText('up', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Browse the device' }).click();
      await takeOver(page, on);
      await page.locator('.panel').getByRole('link', { name: 'Its points' }).click();
      await page.waitForURL(`**/points?connector=${connector}`);
      await row(page, `tank_${on}`).getByText('1.5', { exact: false }).waitFor();
      await tank.commands.write('set_level', 'd3.25');
      await row(page, `tank_${on}`).getByText('3.25', { exact: false }).waitFor();
      assert.equal((await service.measurements.get(`tank_${on}`)).area, 'works');
    });
  }

  test('does the same by keys alone', async (t) => {
    await tank.commands.write('set_level', 'd1.5');
    const page = await suite.open(t, '/');
    const menu = page.getByRole('navigation', { name: 'Menu' });
    await enter(page, menu.getByRole('link', { name: 'Configuration', exact: true }));
    await enter(page, page.getByRole('link', { name: 'New connector' }));
    await tabTo(page, field(page, 'stackName', 'select'));
    await page.keyboard.type('opcua');
    await page.getByText('Such as opc.tcp://192.168.0.20:4840').waitFor();
    await typeInto(page, field(page, 'name'), 'by_keys');
    await typeInto(page, field(page, 'vars.endpointUrl'), endpointUrl);
    await tabTo(page, field(page, 'vars.securityMode', 'select'));
    await page.keyboard.type('None');
    await enter(page, page.getByRole('button', { name: 'Save', exact: true }));
    await page.waitForURL('**/config/connectors/by_keys');
    await enter(page, page.getByRole('banner').getByRole('link', { name: /pending/i }));
    await enter(page, page.getByRole('button', { name: 'Render 1 edit' }));
    await page.getByText('Rendered: it runs.').waitFor();
    await enter(page, menu.getByRole('link', { name: 'Connectors', exact: true }));
    await arrowTo(page, page.getByRole('grid'), row(page, 'by_keys'));
    await row(page, 'by_keys').getByText('up', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await enter(page, page.getByRole('link', { name: 'Browse the device' }));
    const grid = page.getByRole('grid', { name: 'Offered by the device' });
    await arrowTo(page, grid, grid.getByRole('row').filter({ hasText: /^▸ua/ }));
    await page.keyboard.press('ArrowRight');
    await arrowTo(page, grid, grid.getByRole('row').filter({ hasText: 'measurement Level' }));
    await page.keyboard.press('Space');
    await page.getByText('1 selected').waitFor();
    await enter(page, page.getByRole('button', { name: 'Review and take over …' }));
    await typeInto(page, page.getByRole('textbox', { name: /^Name for/ }), 'tank_by_keys');
    await enter(page, page.getByRole('button', { name: 'Take 1 object over' }));
    await page.getByText('1 object is in the configuration').waitFor();
    await enter(page, page.getByRole('button', { name: 'Render', exact: true }));
    await page.getByRole('heading', { name: 'Rendered: they run.' }).waitFor();
    await enter(page, page.locator('.panel').getByRole('link', { name: 'Its points' }));
    await row(page, 'tank_by_keys').getByText('1.5', { exact: false }).waitFor();
  });
});
