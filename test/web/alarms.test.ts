// Promises of the live list of alarms, in a real browser against the real server: a flood, and what is acknowledged in it.
import assert from 'node:assert/strict';
import { before, beforeEach, describe, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { noChromium } from '../browser.ts';
import { until } from '../until.ts';
import { AlarmPlant, alarmName, alarmNames, alarmPlant, namesOnScreen, render } from './alarm-plant.ts';
import { PageSuite } from './page-suite.ts';

const count = 1000;
const floodMs = 10_000;
const floodSteps = 50;

/** Records which alarm is under a place of the screen at each frame. */
const recordUnder = (x: number, y: number) => `(() => {
  globalThis.seenUnder = new Set();
  const look = () => {
    const row = document.elementFromPoint(${x}, ${y})?.closest('[role=row]');
    seenUnder.add(row?.querySelector('[data-alarm]')?.dataset.alarm ?? 'none');
    requestAnimationFrame(look);
  };
  look();
})()`;

describe('the live list of alarms', { skip: noChromium }, () => {
  const suite = new PageSuite({ args: [] });
  let plant: AlarmPlant;

  before(async () => {
    await render(suite.server, alarmPlant(count));
  });

  beforeEach(async (t) => {
    plant = await AlarmPlant.open(suite.server);
    await plant.calm(count);
    (t as TestContext).after(() => plant.close());
  });

  const rowOf = (page: Page, name: string) =>
    page.getByRole('row').filter({ has: page.locator(`[data-alarm="${name}"]`) });
  const summary = (page: Page, text: string) => page.locator('.alarm-counts').getByText(text).waitFor();

  const titleIs = (page: Page, title: string) =>
    until(`the title is ${title}`, async () => (await page.title()) === title);

  test('is calm where nothing is wrong, and has the quiet alarms by choice', async (t) => {
    const page = await suite.open(t, '/alarms');
    await page.getByText('No alarm is active, and all are acknowledged.').waitFor();
    await page.getByLabel('Quiet ones too').check();
    await summary(page, `${count} alarms`);
    await page.waitForURL('**/alarms?quiet=1');
  });

  test('loses none in a flood of 1,000 in ten seconds, and moves no row under the pointer', async (t) => {
    await plant.operate('activate', alarmNames(0, 30));
    const page = await suite.open(t, '/alarms');
    await summary(page, '30 alarms');
    const [, , third = ''] = await namesOnScreen(page);
    const box = await rowOf(page, third).boundingBox();
    assert.ok(box !== null);
    const place = { x: box.x + 300, y: box.y + box.height / 2 };
    await page.mouse.move(place.x, place.y);
    await page.evaluate(recordUnder(place.x, place.y));
    const order = await namesOnScreen(page);
    for (let step = 0; step < floodSteps; step++) {
      const [from, to] = [step, step + 1].map((each) => Math.round(30 + (each * (count - 30)) / floodSteps));
      await Promise.all([plant.operate('activate', alarmNames(from ?? 0, to ?? 0)), wait(floodMs / floodSteps)]);
    }
    const show = page.getByRole('button', { name: '970 new alarms' });
    await show.waitFor();
    await summary(page, `${count} alarms`);
    assert.deepEqual(await namesOnScreen(page), order);
    assert.deepEqual(await page.evaluate('[...seenUnder]'), [third]);
    await page.keyboard.press('s');
    await show.waitFor({ state: 'detached' });
    await page.locator(`[role=grid][aria-rowcount="${count + 1}"]`).waitFor();
    const all = new Set<string>();
    for (let top = 0; all.size < count && top < count * 40; top += 300) {
      await page.locator('.grid-scroll').evaluate((grid, y) => grid.scrollTo({ top: y }), top);
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
      for (const name of await namesOnScreen(page)) all.add(name);
    }
    assert.equal(all.size, count);
  });

  test('puts the most urgent first as soon as nobody is at the list', async (t) => {
    await plant.operate('activate', alarmNames(1, 4));
    const page = await suite.open(t, '/alarms');
    await summary(page, '3 alarms');
    assert.deepEqual(await namesOnScreen(page), ['a0001', 'a0002', 'a0003']);
    await rowOf(page, 'a0002').hover();
    await plant.operate('activate', [alarmName(0)]);
    await page.getByRole('button', { name: '1 new alarm' }).waitFor();
    assert.deepEqual(await namesOnScreen(page), ['a0001', 'a0002', 'a0003']);
    await page.mouse.move(5, 5);
    await rowOf(page, 'a0000').waitFor();
    assert.deepEqual(await namesOnScreen(page), ['a0000', 'a0001', 'a0002', 'a0003']);
  });

  test('acknowledges one by its button, and those that are selected by A', async (t) => {
    await plant.operate('activate', alarmNames(0, 8));
    const page = await suite.open(t, '/alarms');
    await summary(page, '8 alarms');
    await page.getByRole('button', { name: 'Acknowledge a0004' }).click();
    await rowOf(page, 'a0004').getByText('active, acknowledged').waitFor();
    assert.deepEqual(await plant.inState('ACT_ACK'), ['a0004']);
    await rowOf(page, 'a0001').locator('.grid-check').click();
    await rowOf(page, 'a0006').locator('.grid-check').click();
    await page.getByRole('button', { name: 'Ack 2 selected' }).waitFor();
    await page.keyboard.press('a');
    await rowOf(page, 'a0006').getByText('active, acknowledged').waitFor();
    assert.deepEqual(await plant.inState('ACT_ACK'), ['a0001', 'a0004', 'a0006']);
    await page.getByRole('button', { name: 'Ack visible' }).waitFor();
  });

  test('is worked by keys alone', async (t) => {
    await plant.operate('activate', alarmNames(1, 4));
    const page = await suite.open(t, '/alarms');
    await summary(page, '3 alarms');
    await page.getByRole('grid').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press(' ');
    await page.getByRole('button', { name: 'Ack 1 selected' }).waitFor();
    await plant.operate('activate', [alarmName(0)]);
    await page.getByRole('button', { name: '1 new alarm' }).waitFor();
    await page.keyboard.press('a');
    await rowOf(page, 'a0002').getByText('active, acknowledged').waitFor();
    assert.deepEqual(await plant.inState('ACT_ACK'), ['a0002']);
    await page.keyboard.press('m');
    await page.getByRole('button', { name: 'Deactivate by hand' }).click();
    await until('it is deactivated', async () => (await plant.inState('ACT_ACK')).length === 0);
  });

  test('acknowledges what is visible by A after asking, and nothing that came since', async (t) => {
    await plant.operate('activate', alarmNames(100, 200));
    const page = await suite.open(t, '/alarms', { on: 'control' });
    await summary(page, '100 alarms');
    const seen = await namesOnScreen(page);
    assert.ok(seen.length > 20 && seen.length < 100, `${seen.length}`);
    await page.keyboard.press('a');
    const dialog = page.getByRole('dialog', { name: `Acknowledge ${seen.length} alarms?` });
    await dialog.waitFor();
    await plant.operate('activate', alarmNames(0, 40));
    await summary(page, '140 alarms');
    await dialog.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByText(`${seen.length} alarms acknowledged`).waitFor();
    assert.deepEqual((await plant.inState('ACT_ACK')).sort(), [...seen].sort());
  });

  test('keeps its filter in the address, also below the drawer of an alarm', async (t) => {
    await plant.operate('activate', alarmNames(0, 40));
    const page = await suite.open(t, '/alarms');
    await summary(page, '40 alarms');
    await page.getByLabel('Area').selectOption('south');
    await summary(page, '4 of 40 alarms');
    await page.getByLabel('Severity', { exact: true }).selectOption('2');
    await summary(page, '2 of 40 alarms');
    await page.getByLabel('Filter').fill('drive 10');
    await summary(page, '1 of 40 alarms');
    assert.equal(new URL(page.url()).search, '?area=south&severity=2&text=drive+10');
    await page.reload();
    await summary(page, '1 of 40 alarms');
    await rowOf(page, 'a0010').getByRole('link').click();
    await page.waitForURL('**/points/a0010?kind=alarms');
    await summary(page, '1 of 40 alarms');
    assert.deepEqual(await namesOnScreen(page), ['a0010']);
    await page.keyboard.press('Escape');
    await page.waitForURL('**/alarms?area=south&severity=2&text=drive+10');
  });

  test('has the most urgent in the banner and the count in the title, and acknowledges it there', async (t) => {
    await plant.operate('activate', [alarmName(1), alarmName(3)]);
    const page = await suite.open(t, '/');
    const banner = page.getByRole('region', { name: 'Alarms' });
    await banner.getByRole('link', { name: 'Fault of drive 1 a0001' }).waitFor();
    await titleIs(page, '(2) Overview – Telltale');
    await banner.getByRole('button', { name: 'Acknowledge' }).click();
    await banner.getByRole('link', { name: 'Fault of drive 3 a0003' }).waitFor();
    assert.deepEqual(await plant.inState('ACT_ACK'), ['a0001']);
    await banner.getByRole('link', { name: 'Fault of drive 3 a0003' }).hover();
    await plant.operate('activate', [alarmName(0)]);
    await titleIs(page, '(2) Overview – Telltale');
    await banner.getByRole('link', { name: 'Fault of drive 3 a0003' }).waitFor();
    await page.mouse.move(600, 600);
    await banner.getByRole('link', { name: 'Fault of drive 0 a0000' }).waitFor();
  });

  test('blinks beside the sign, which can be read all the time', async (t) => {
    await plant.operate('activate', [alarmName(1)]);
    const page = await suite.open(t, '/alarms', { reducedMotion: 'no-preference' });
    const sign = rowOf(page, alarmName(1)).locator('.severity.unacknowledged').first();
    await sign.waitFor();
    const keyframes =
      'sign.getAnimations().flatMap(({ effect }) => effect.getKeyframes()).flatMap((each) => Object.keys(each))';
    const script = `((sign) => ${keyframes})(document.querySelector('.grid-body .severity.unacknowledged'))`;
    const changed = (await page.evaluate(script)) as string[];
    assert.ok(changed.includes('outlineColor') && !changed.includes('opacity'), changed.join());
  });

  test('keeps the moment at which an alarm came, whatever becomes of it since', async (t) => {
    await plant.operate('activate', [alarmName(4)]);
    const page = await suite.open(t, '/alarms');
    const came = rowOf(page, alarmName(4)).locator('[data-column=time] time');
    const moment = await came.getAttribute('title');
    await rowOf(page, alarmName(4)).getByRole('button', { name: 'Acknowledge' }).click();
    await rowOf(page, alarmName(4)).getByText('active, acknowledged').waitFor();
    assert.equal(await came.getAttribute('title'), moment);
    await page.getByRole('button', { name: 'Ack visible' }).and(page.locator(':disabled')).waitFor();
    await page.reload();
    await until('it is read from the archive', async () => (await came.getAttribute('title')) === moment);
  });

  test('shows the alarms as they were at a moment of the past, and offers nothing there', async (t) => {
    await plant.operate('activate', [alarmName(7)]);
    await wait(1100);
    const at = Date.now() / 1000;
    await wait(1100);
    await plant.calm(count);
    const page = await suite.open(t, `/alarms?at=${at}`);
    await summary(page, '1 alarm');
    assert.deepEqual(await namesOnScreen(page), ['a0007']);
    assert.equal(await page.getByRole('button', { name: /^Acknowledge|visible/ }).count(), 0);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByText('No alarm is active, and all are acknowledged.').waitFor();
  });
});
