// Promises of the list of all points, in a real browser against the real server.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { TelltaleClient } from '@telltale/client';
import type { Page } from 'playwright-core';
import { noChromium } from '../browser.ts';
import { PageSuite, widthNames } from './page-suite.ts';

const hostile = '<img src=x onerror=alert(1)>';
const longText = 'very long '.repeat(400);
const plain = 300;

function objects() {
  const of = (name: string, more: object) => ({
    operation: 'put',
    family: 'measurements',
    name,
    object: { name, datatype: 'd', connectorName: 'plc', address: 'sine(low=1, high=9)', archMode: 'none', ...more },
  });
  return [
    { operation: 'put', family: 'connectors', name: 'plc', object: { name: 'plc', stackName: 'simulator' } },
    of('__proto__', { description: hostile, area: 'works.east' }),
    of('constructor', { description: longText, area: 'works.west' }),
    ...Array.from({ length: plain }, (_, at) =>
      of(`pump${at}`, { description: `pump ${at}`, area: 'works.hall', eu: 'm' }),
    ),
  ];
}

const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
const namesOf = (page: Page) => page.locator('.grid-body [data-column=name]').allInnerTexts();
const count = (page: Page, text: string) => page.getByRole('status').getByText(text, { exact: true }).waitFor();

describe('the list of points', { skip: noChromium }, () => {
  const suite = new PageSuite({ args: ['--no-demo'] });

  before(async () => {
    if (noChromium) return;
    const body = JSON.stringify({ operations: objects() });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${suite.server.config}/cfgdb/txn?render=1`, { method: 'POST', headers, body });
    assert.equal(answer.status, 204, await answer.text());
  });

  test('filters while somebody types, and an address with a filter and columns shows the same', async (t) => {
    const page = await suite.open(t, '/points');
    await count(page, '302 of 302');
    await page.getByRole('searchbox').fill('pump 29');
    await count(page, '13 of 302');
    await page.waitForURL((url) => url.searchParams.get('text') === 'pump 29');
    await page.getByRole('combobox', { name: 'Area' }).selectOption('works.east');
    await count(page, '0 of 302');
    await page.getByText('No point matches the filters.').waitFor();
    await page.goto(`${suite.server.url}/points?text=pump%202&columns=name,unit&sort=-name`);
    await row(page, 'pump299').waitFor();
    assert.deepEqual((await namesOf(page)).toSorted().includes('pump299'), true);
    const heads = await page.getByRole('columnheader').allInnerTexts();
    assert.deepEqual(
      heads.map((text) => text.replace(/\s+/, ' ')),
      ['', 'Name ▼', 'Unit'],
    );
  });

  test('has the last filter in the address, however fast somebody types, in a browser that takes 100 addresses in 30 s', async (t) => {
    const page = await suite.open(t, '/points');
    await count(page, '302 of 302');
    await page.evaluate(`{
      const taken = history.replaceState;
      let count = 0;
      history.replaceState = (...given) => {
        if (++count > 100) throw new DOMException('too many', 'SecurityError');
        taken.apply(history, given);
      };
      const input = document.querySelector('input[type=search]');
      for (let at = 0; at < ${plain}; at++) {
        input.value = 'pump' + at;
        input.dispatchEvent(new InputEvent('input', { bubbles: true }));
      }
    }`);
    await count(page, '1 of 302');
    await page.waitForURL((url) => url.searchParams.get('text') === 'pump299');
  });

  test('shows names and descriptions as text, whatever stands in them', async (t) => {
    const page = await suite.open(t, '/points?text=img');
    await count(page, '1 of 302');
    await row(page, '__proto__').getByText(hostile).waitFor();
    await row(page, '__proto__').locator('.value .figure').waitFor();
    await page.getByRole('searchbox').fill('very long');
    await row(page, 'constructor').waitFor();
  });

  test('sorts names by the numbers in them, and by the values of one moment', async (t) => {
    const page = await suite.open(t, '/points?text=pump');
    await row(page, 'pump2').waitFor();
    const shown = (await page.locator('.grid-body [role=row]').evaluateAll(byIndex)).slice(0, 3);
    assert.deepEqual(shown, ['pump0', 'pump1', 'pump2']);
    await page.getByRole('button', { name: 'Value' }).click();
    await page.getByText(/Sorted by the values of/).waitFor();
    await page.getByRole('button', { name: 'Sort anew' }).click();
  });

  test('watches the names that are seen, and no others', async (t) => {
    const page = await suite.open(t, '/');
    const watched = new Set<string>();
    page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => {
        const message = JSON.parse(String(payload)) as { request?: string; measurements?: unknown };
        if (message.request !== 'WatchMeasurements') return;
        if (!Array.isArray(message.measurements)) assert.fail(`watches ${JSON.stringify(message.measurements)}`);
        for (const name of message.measurements as string[]) watched.add(name);
      }),
    );
    await page.goto(`${suite.server.url}/points`);
    await row(page, 'pump0').locator('.value .figure').waitFor();
    assert.ok(watched.has('pump0') && watched.size < 80, `${watched.size} names`);
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await row(page, 'pump299').locator('.value .figure').waitFor();
    assert.ok(watched.has('pump299') && watched.size < 160, `${watched.size} names`);
  });

  test('selects and forces many by keys alone, with an end and a reason, and releases them', async (t) => {
    const page = await suite.open(t, '/points?text=pump1');
    await row(page, 'pump1').locator('.value .figure').waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Force …' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Force 2 points' });
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('calibration');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await row(page, 'pump1').getByText('FORCED', { exact: true }).waitFor();
    const found = (await (await fetch(`${suite.server.url}/data/simulations`)).json()) as Record<
      string,
      { reason: string; until: unknown }
    >;
    assert.deepEqual(Object.keys(found).sort(), ['pump1', 'pump10']);
    assert.equal(found.pump1?.reason, 'calibration');
    assert.notEqual(found.pump1?.until, null);
    await page.getByRole('button', { name: 'Release', exact: true }).click();
    await row(page, 'pump1').getByText('FORCED', { exact: true }).waitFor({ state: 'detached' });
  });

  test('goes over all rows by keys, and opens the drawer of one', async (t) => {
    const page = await suite.open(t, '/points?text=pump');
    await row(page, 'pump0').waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('PageDown');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Control+a');
    await page.getByText('300 selected').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/points/pump1');
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => url.pathname === '/points' && url.searchParams.get('text') === 'pump');
  });

  test('never cuts a number, at any width: marks are signs, and the unit gives way', async (t) => {
    const client = new TelltaleClient({ url: suite.server.url });
    const name = 'pump299';
    await client.measurements.simulate(name, 'd-98765432.125', { quality: 0, reason: 'a long number' });
    t.after(() => client.measurements.stopSimulation(name));
    for (const on of widthNames) {
      const page = await suite.open(t, `/points?text=${name}&columns=name,value,age`, { on });
      const value = row(page, name).locator('.value');
      await value.getByText('-98765432.13').waitFor();
      assert.equal(await value.getByRole('link').count(), 2);
      const cut = await value.evaluate((each) => {
        const cell = each.closest('[role=gridcell]');
        const right = cell?.getBoundingClientRect().right ?? 0;
        const parts = [...each.querySelectorAll('.figure, .mark')];
        return parts.filter(
          (part) => part.scrollWidth > part.clientWidth + 2 || part.getBoundingClientRect().right > right,
        );
      });
      assert.deepEqual(cut, [], on);
    }
  });

  test('has two lines a row on a phone, and is as wide as the phone', async (t) => {
    const page = await suite.open(t, '/points', { on: 'phone', width: 360 });
    await row(page, 'pump0').locator('.value .figure').waitFor();
    assert.equal(await page.locator('html').evaluate((html) => html.scrollWidth), 360);
    await page.getByLabel('Sort by').waitFor();
  });
});

/** Names in the order in which the rows stand below each other, not that of the elements. */
const byIndex = (rows: { getAttribute(name: string): string | null; querySelector(path: string): unknown }[]) =>
  rows
    .toSorted((a, b) => Number(a.getAttribute('aria-rowindex')) - Number(b.getAttribute('aria-rowindex')))
    .map((each) => (each.querySelector('[data-column=name]') as { textContent: string }).textContent);
