// Promises of the views of connectors and providers, in a real browser: with racks that tell everything of themselves, and what a
// rack offers taken over into the configuration.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noChromium } from '../browser.ts';
import { put } from '../live-plant.ts';
import { rackArgs, rackPlant } from '../rack-plant.ts';
import { until } from '../until.ts';
import { PageSuite, widthNames } from './page-suite.ts';

const hostile = '<img src=x onerror=alert(1)>';

describe('the view of connectors', { skip: noChromium }, () => {
  const suite = new PageSuite({ args: rackArgs });

  before(async () => {
    const others = [
      put('connectors', 'fresh', { stackName: 'rack' }),
      put('connectors', 'idle', { stackName: 'rack' }),
    ];
    const answer = await suite.server.send('POST', '/cfgdb/txn?render=1', { operations: [...rackPlant, ...others] });
    assert.equal(answer.status, 204, await answer.text());
    await until('the rack is up', async () => (await linkOf('rack')).state === 'up');
  });

  const linkOf = async (name: string) => {
    const answer = await fetch(`${suite.server.url}/data/connectors/${name}`);
    return (await answer.json()) as { state: string; disabled: { reason: string } | null };
  };
  const rowOf = (page: Page, name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });

  for (const on of widthNames) {
    test(`lists on a ${on} what is wrong first, whatever its name, and nothing is cut off`, async (t) => {
      const page = await suite.open(t, '/connectors', { on });
      await rowOf(page, 'fatal').getByText('failed').waitFor();
      await rowOf(page, 'unreachable').getByText('down').waitFor();
      await rowOf(page, 'rack').getByText('up').waitFor();
      await page.getByRole('link', { name: '__proto__', exact: true }).waitFor();
      const top = async (name: string) => (await rowOf(page, name).boundingBox())?.y ?? Number.NaN;
      assert.ok((await top('fatal')) < (await top('unreachable')));
      assert.ok((await top('unreachable')) < (await top('rack')));
      const [inner, outer] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as number[];
      assert.ok(Number(inner) <= Number(outer), `${inner} px in ${outer}`);
    });
  }

  test('shows the devices behind one, the lost one first, its scan groups and the last error', async (t) => {
    await fetch(`${suite.server.url}/data/commands/set_u2_power?value=i0`, { method: 'PUT' });
    const page = await suite.open(t, '/connectors/rack');
    await page.getByText('up, 1 device down').waitFor();
    const first = page.getByRole('table').first().getByRole('row').nth(1);
    await first.getByRole('rowheader', { name: 'u2' }).waitFor();
    await first.getByText('down', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Scan groups' }).waitFor();
    await page.goto(`${suite.server.url}/connectors/unreachable`);
    await page.getByText('nobody is there').waitFor();
    await page.goto(`${suite.server.url}/connectors/panel?role=provider`);
    await page.getByText('Provider · rack').waitFor();
  });

  test('disables one with a reason, which all see as it is, and enables it again, by keys alone', async (t) => {
    const page = await suite.open(t, '/connectors/idle');
    const other = await suite.open(t, '/connectors');
    await rowOf(other, 'idle').getByText('up').waitFor();
    await page.getByRole('button', { name: 'Disable …' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Disable idle' }).waitFor();
    await page.keyboard.insertText(hostile);
    await page.keyboard.press('Enter');
    await page.getByText('Disabled by').waitFor();
    await page.getByText('<img src=x onerror=alert(1)>').waitFor();
    assert.equal(await page.locator('main img').count(), 0);
    await rowOf(other, 'idle').getByText('disabled', { exact: true }).waitFor();
    assert.equal((await linkOf('idle')).disabled?.reason, hostile);
    await page.getByRole('button', { name: 'Enable' }).focus();
    await page.keyboard.press('Enter');
    await rowOf(other, 'idle').getByText('up').waitFor();
    assert.equal((await linkOf('idle')).disabled, null);
  });

  test('of the past it says that it knows none, and offers no action', async (t) => {
    const page = await suite.open(t, '/connectors/rack?at=1700000000');
    await page.getByText('This view knows no past').waitFor();
    await page.getByText('Connector · rack').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Restart' }).count(), 0);
  });

  test('says where there is no such connector, and where one cannot be browsed', async (t) => {
    const page = await suite.open(t, '/connectors/nothing');
    await page.getByText('Nothing with the name nothing runs.').waitFor();
    await page.goto(`${suite.server.url}/connectors/__proto__?show=browse`);
    await page.getByText('cannot tell what its device offers').waitFor();
  });

  test('browses by keys alone, marks the rows that are wrong, takes the others over, and renders', async (t) => {
    const page = await suite.open(t, '/connectors/fresh?show=browse');
    const grid = page.getByRole('grid', { name: 'Offered by the device' });
    await grid.getByText('Unit u1').waitFor();
    await grid.focus();
    await page.keyboard.press('ArrowRight');
    await grid.getByText('Füllstand').waitFor();
    await grid.getByText('not possible: the rack has units u1 and u2').waitFor();
    await page.keyboard.press('Space');
    await page.getByText('1 selected').waitFor();
    await page.getByRole('button', { name: 'Review and take over …' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Take over \d+ objects$/ }).waitFor();

    const name = page.getByRole('textbox', { name: 'Name for u1.level' });
    await name.fill('u1_level');
    await page.keyboard.press('Enter');
    await page.getByText('There is one with this name already.').waitFor();
    assert.equal(await name.getAttribute('aria-invalid'), 'true');
    await page.locator('[aria-invalid=true]:focus').waitFor();
    const present = await (await fetch(`${suite.server.url}/config/v2/measurements/u1_level`)).json();
    assert.equal((present as { connectorName: string }).connectorName, 'rack', 'it was not replaced');

    await name.fill('no name');
    await page.keyboard.press('Enter');
    await page.getByText('A name has 1 to 64 characters').waitFor();
    await name.fill('fresh_level');
    await page.keyboard.press('Enter');
    await page.getByText(/objects are in the configuration/).waitFor();
    await page.getByRole('button', { name: 'Render' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Rendered: they run.' }).waitFor();
    await until('it is read', async () => {
      const answer = await fetch(`${suite.server.url}/data/measurements/fresh_level`);
      return answer.status === 200 && ((await answer.json()) as { vtq: unknown[] }).vtq[2] === 192;
    });
    await page.getByRole('button', { name: 'Back to the device' }).click();
    await grid.getByText('Unit u1').waitFor();
    await grid.focus();
    await page.keyboard.press('ArrowRight');
    await grid.getByRole('link', { name: 'configured as fresh_level' }).waitFor();
  });

  test('offers no more than a thousand at once of a folder with many', async (t) => {
    const page = await suite.open(t, '/connectors/fresh?show=browse');
    const grid = page.getByRole('grid', { name: 'Offered by the device' });
    const many = grid.getByRole('row').filter({ hasText: 'Unit many' });
    await many.locator('.grid-check').click();
    await page.getByRole('button', { name: 'Review and take over …' }).click();
    await page.getByText('Only the first 1000 are shown.').waitFor();
    assert.equal(await page.getByRole('textbox', { name: /^Name for/ }).count(), 1000);
  });
});
