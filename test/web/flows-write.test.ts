// Flows of an operator who acts on the plant, in a real browser against the real server: a command is written once, whatever
// happens, and what became of it is said; a value is forced with an end and a reason, marked everywhere, and released.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { TelltaleClient } from '@telltale/client';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { Page } from 'playwright-core';
import { ScriptedDevice } from '../../stacks/modbus/test/scripted-device.ts';
import { noChromium, openPage, startBrowser } from '../browser.ts';
import { startServer } from '../server-process.ts';
import { until } from '../until.ts';
import { violationsOf } from './axe.ts';
import { tabTo } from './by-keys.ts';
import { flowsPlant, gatePlant } from './flows-plant.ts';
import { PageSuite, widthNames } from './page-suite.ts';

const dialogOf = (page: Page) => page.getByRole('dialog');
const buttonOf = (page: Page, name: string) => dialogOf(page).getByRole('button', { name, exact: true });

/** Types a value into the dialog of the drawer, up to the question. */
async function prepare(page: Page, value: string): Promise<void> {
  await page.getByRole('button', { name: 'Write …' }).click();
  await page.getByLabel('New value').fill(value);
  await buttonOf(page, 'Continue').click();
}

describe('an operator who writes and forces', { skip: noChromium }, () => {
  const suite = new PageSuite({ args: ['--write-timeout', '2000'] });
  let client: TelltaleClient;
  before(async () => {
    client = new TelltaleClient({ url: suite.server.url });
    await client.configuration.transaction(flowsPlant, { render: true });
    await until('the link of the bench', async () => (await client.connectors.get('bench')).state === 'up');
  });
  const commandOf = async (name: string) => (await client.commands.get(name)).vt[0];

  for (const on of widthNames) {
    test(`sees the new value beside the old one, unit and range, and that the device has accepted it (${on})`, async (t) => {
      await client.commands.write('valve', 'd10');
      const page = await suite.open(t, '/points/valve?kind=commands', { on });
      await page.getByRole('button', { name: 'Write …' }).click();
      const dialog = dialogOf(page);
      await dialog.getByText('0.0 to 100.0 %').waitFor();
      await page.getByLabel('New value').fill('120');
      await dialog.getByText('Outside the range 0.0 to 100.0 %.').waitFor();
      await page.getByLabel('New value').fill('62,5');
      await buttonOf(page, 'Continue').click();
      await dialog.getByText('Send this to the device?').waitFor();
      assert.match(await dialog.locator('.beside').innerText(), /10[.]0\s%\s+New\s+62[.]5\s%/);
      await buttonOf(page, 'Write').click();
      await dialog.getByText(/✓ Accepted at/).waitFor();
      assert.equal(await commandOf('valve'), 'd62.5');
      await page.locator('.drawer .point-value').getByText('62.5').waitFor();
      assert.match(await dialog.locator('.beside').innerText(), /Before\s+10[.]0\s%\s+New\s+62[.]5\s%/);
      await buttonOf(page, 'Close').last().click();
      await page.locator('.drawer .point-value').getByText('62.5').waitFor();
      await page.locator('.point-history').getByText('10.0 → 62.5').first().waitFor();
    });
  }

  test('sees no value where nobody has written one', async (t) => {
    const page = await suite.open(t, '/points/lose_link?kind=commands');
    const value = page.locator('.drawer .point-value');
    await value.getByText('never written').waitFor();
    assert.equal(await value.locator('.figure').textContent(), '–');
  });

  test('does the same by keys alone', async (t) => {
    const page = await suite.open(t, '/points/valve?kind=commands');
    await tabTo(page, page.getByRole('button', { name: 'Write …' }));
    await page.keyboard.press('Enter');
    await dialogOf(page).waitFor();
    await page.keyboard.type('20');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByText('Send this to the device?').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(/✓ Accepted at/).waitFor();
    assert.equal(await commandOf('valve'), 'd20.1');
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'detached' });
    await page.locator('.drawer').getByRole('heading', { name: 'valve' }).waitFor();
  });

  test("reads the device's reason where it refuses, and that of the service", async (t) => {
    await client.commands.write('valve', 'd5');
    await client.commands.write('valve_refuses', 'b1');
    const page = await suite.open(t, '/points/valve?kind=commands');
    await prepare(page, '30');
    await buttonOf(page, 'Write').click();
    await page.getByText('✕ Refused: nothing has changed.').waitFor();
    await dialogOf(page).getByText('interlock open').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    assert.equal(await buttonOf(page, 'Write').count(), 0);
    await client.commands.write('valve_refuses', 'b0');
    await buttonOf(page, 'Back').click();
    await page.getByLabel('New value').fill('130');
    await buttonOf(page, 'Continue').click();
    await buttonOf(page, 'Write').click();
    await dialogOf(page)
      .getByText(/out of range/i)
      .waitFor();
    assert.equal(await commandOf('valve'), 'd5');
  });

  test('is told to look at the device where it gives no answer in time, and cannot send it again', async (t) => {
    await client.commands.write('valve_is_late', 'b1');
    const page = await suite.open(t, '/points/valve?kind=commands');
    await prepare(page, '40');
    await buttonOf(page, 'Write').click();
    await page.getByText('Under way. It is sent once.').waitFor();
    assert.ok(await buttonOf(page, 'Write').isDisabled());
    await page.getByText('? It is not known whether the device has it.').waitFor();
    await page.getByText('Look at the device before you do anything else.').waitFor();
    assert.equal(await buttonOf(page, 'Write').count(), 0);
    await client.commands.write('valve_is_late', 'b0');
  });

  test('gives the reason that a command wants', async (t) => {
    const page = await suite.open(t, '/points/drain?kind=commands');
    await page.getByRole('button', { name: 'Write …' }).click();
    await buttonOf(page, 'on').click();
    await buttonOf(page, 'Continue').click();
    await buttonOf(page, 'Write').click();
    await page.getByText('It wants a reason. Nothing was sent.').waitFor();
    await page.getByLabel('Reason').fill('inspection');
    await buttonOf(page, 'Write').click();
    await page.getByText(/✓ Accepted at/).waitFor();
    assert.equal(await commandOf('drain'), 'b1');
    await buttonOf(page, 'Close').last().click();
    await page.locator('.point-history').getByText('inspection').waitFor();
  });

  for (const on of widthNames) {
    test(`forces a value for ten minutes with a reason, sees it marked everywhere, and releases it (${on})`, async (t) => {
      const page = await suite.open(t, '/points/level', { on });
      await page.getByRole('button', { name: 'Force …' }).click();
      assert.ok(await page.getByRole('radio', { name: '10 min' }).isChecked());
      await page.getByLabel('New value').fill('1,5');
      await buttonOf(page, 'Force').click();
      await page.locator('.form small.error').waitFor();
      await page.getByLabel('Reason').fill('sensor is <b>cleaned</b>');
      assert.deepEqual(await violationsOf(page), []);
      await buttonOf(page, 'Force').click();
      await dialogOf(page).waitFor({ state: 'detached' });
      const { level } = await client.measurements.simulations();
      assert.equal(level?.value, 'd1.5');
      const seconds = Number(level?.until?.[0]) - Number(level?.since[0]);
      assert.ok(Math.abs(seconds - 600) <= 1, `${seconds} s`);
      const drawer = page.locator('.drawer');
      await drawer.locator('.point-value').getByText('FORCED').waitFor();
      await drawer.locator('.force-note').getByText('sensor is <b>cleaned</b>').waitFor();
      await page.getByRole('link', { name: '1 value forced' }).waitFor();
      await page.getByRole('row').filter({ hasText: 'level' }).getByText('FORCED').first().waitFor();
      await drawer.getByRole('button', { name: 'Release' }).click();
      await drawer.locator('.point-value').getByText('FORCED').waitFor({ state: 'detached' });
      await drawer.locator('.point-history').getByText('released').first().waitFor();
      assert.deepEqual(Object.keys(await client.measurements.simulations()), []);
    });
  }

  test('forces a switch by keys alone, and until it is released only where that is said twice', async (t) => {
    const page = await suite.open(t, '/points/door');
    await tabTo(page, page.getByRole('button', { name: 'Force …' }));
    await page.keyboard.press('Enter');
    await tabTo(page, buttonOf(page, 'on'));
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('radio', { name: '10 min' }));
    for (const _ of ['1 h', '8 h', 'until released']) await page.keyboard.press('ArrowDown');
    await tabTo(page, page.getByLabel('Reason'));
    await page.keyboard.type('door is open for the crane');
    await page.keyboard.press('Enter');
    await page.locator('label.error').getByText('It does not end by itself.').waitFor();
    assert.deepEqual(Object.keys(await client.measurements.simulations()), []);
    await tabTo(page, page.getByRole('checkbox'));
    await page.keyboard.press('Space');
    await tabTo(page, buttonOf(page, 'Force'));
    await page.keyboard.press('Enter');
    await page.locator('.force-note').getByText('until it is released').waitFor();
    assert.equal((await client.measurements.simulations()).door?.until, null);
    await tabTo(page, page.getByRole('button', { name: 'Release' }));
    await page.keyboard.press('Enter');
    await page.locator('.force-note').waitFor({ state: 'detached' });
  });

  test('enters a two-bit state by its word', async (t) => {
    const page = await suite.open(t, '/points/state');
    await page.getByRole('button', { name: 'Force …' }).click();
    await buttonOf(page, '2 on').click();
    await page.getByLabel('Reason').fill('test');
    await buttonOf(page, 'Force').click();
    await page.locator('.force-note').waitFor();
    assert.equal((await client.measurements.get('state')).vtq[0], 'q2');
    await client.measurements.stopSimulation('state');
  });
});

test('a command is unknown where the server is killed while it is under way, and the device gets it once', {
  skip: noChromium,
}, async (t) => {
  const device = await ScriptedDevice.start((_, request) => (request.startsWith('03') ? '03020000' : undefined));
  cleanupOf(t).defer(() => device.stop());
  const writes = () => device.asked.filter((each) => /^1[/](?:06|10)/.test(each));
  const data = temporaryFolder(t);
  const server = await startServer(t, { data, args: ['--write-timeout', '60000'] });
  const client = new TelltaleClient({ url: server.url });
  await client.configuration.transaction(gatePlant(device.port), { render: true });
  await until('the link of the device', async () => (await client.connectors.get('plc')).state === 'up');
  const browser = await startBrowser(t);
  const page = await openPage(browser, { scope: t, expects: [/WebSocket connection/] });
  await page.goto(`${server.url}/points/gate?kind=commands`);
  await prepare(page, '7');
  await buttonOf(page, 'Write').click();
  await until('the write has reached the device', async () => writes().length > 0);
  await page.getByText('Under way. It is sent once.').waitFor();
  await server.end('SIGKILL');
  await page.getByText('? It is not known whether the device has it.').waitFor();
  await page.getByText('It is not repeated.').waitFor();
  assert.equal(await buttonOf(page, 'Write').count(), 0);
  await startServer(t, { data, args: ['--port', new URL(server.url).port] });
  await page.getByText('● Live').waitFor();
  await until('the device is read again', async () => device.connections > 1);
  assert.equal(writes().length, 1, writes().join());
});
