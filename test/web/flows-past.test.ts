// The flow of an operator who looks for what was: time is dragged back, and pictures, points and alarms show that moment together.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { noChromium } from '../browser.ts';
import { until } from '../until.ts';
import { enter, tabTo } from './by-keys.ts';
import { PageSuite, type Width, widthNames } from './page-suite.ts';
import { onePump, PicturePlant, picture } from './picture-plant.ts';

const hourS = 3600;

/** In the zone of the browser, which is that of the plant here: UTC. */
const textOf = (s: number) => new Date(1000 * s).toISOString().slice(0, 19).replace('T', ' ');

/** Seconds since 1970. */
const shownIn = (address: string) => Number(new URL(address).searchParams.get('at'));

async function goTo(page: Page, on: Width, view: string): Promise<void> {
  if (on === 'phone') await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: view, exact: true }).click();
}

/** By the pointer, from where the handle is to a share of the whole. */
async function drag(page: Page, slider: Locator, share: number): Promise<void> {
  const box = (await slider.boundingBox()) ?? assert.fail('there is no slider');
  const [from, to] = [await slider.evaluate(shareOfSlider), share].map((each) => box.x + 8 + (box.width - 16) * each);
  await page.mouse.move(from ?? 0, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(to ?? 0, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
}

const shareOfSlider = ({ min, max, value }: { min: string; max: string; value: string }) =>
  (Number(value) - Number(min)) / (Number(max) - Number(min));

describe('an operator who goes back in time', { skip: noChromium }, () => {
  const suite = new PageSuite({ args: [] });
  let plant: PicturePlant;
  /** Seconds since 1970: the pump was too fast then. */
  let fastAt: number;

  before(async () => {
    if (noChromium !== false) return;
    plant = await PicturePlant.open(suite.server.url, [
      picture('one', onePump, { description: 'One pump', parameters: { unit: 'pump1' } }),
    ]);
    const now = Date.now() / 1000;
    await plant.client.archive.backfill('measurements', 'pump1_speed', [
      ['d120', [Math.floor(now - 9 * hourS), 0], 192],
      ['d80', [Math.floor(now - 2 * hourS), 0], 192],
    ]);
    const { alarms } = plant.client;
    const alarmIs = (wanted: string) =>
      until(`the alarm is ${wanted}`, async () => (await alarms.get('pump1_fast')).state.startsWith(wanted));
    await plant.run('pump1', { speed: 195, state: 1 });
    await alarmIs('ACT');
    fastAt = Math.ceil(Date.now() / 1000) + 1;
    await until('that moment is past', async () => Date.now() / 1000 > fastAt + 1);
    await plant.run('pump1', { speed: 50, state: 1 });
    await alarmIs('INACT');
    await alarms.acknowledge('pump1_fast');
  });

  const speedIn = async (page: Page, text: string) => {
    const drawn = page.locator('.picture-drawing [id$="-text"]');
    await until(`the picture says ${text}`, async () => (await drawn.textContent())?.trim() === text);
  };
  const pointsSay = (page: Page, value: string) =>
    page
      .getByRole('row')
      .filter({ has: page.getByRole('link', { name: 'pump1_speed', exact: true }) })
      .getByText(value)
      .waitFor();
  const alarm = (page: Page) => page.locator('main [data-alarm="pump1_fast"]');

  for (const on of widthNames) {
    test(`drags to where pictures, points and alarms show that moment together (${on})`, async (t) => {
      const page = await suite.open(t, '/pictures/one', { on });
      await speedIn(page, '50.0 rpm');
      await page.locator('.clock').click();
      await page.getByRole('button', { name: '60 min ago' }).click();
      await page.getByText('PAST').waitFor();
      await speedIn(page, '80.0 rpm');
      const slider = page.getByRole('slider', { name: 'Moment' });
      await drag(page, slider, 0.5);
      await speedIn(page, '120.0 rpm');
      await goTo(page, on, 'Points');
      await pointsSay(page, '120.0');
      await goTo(page, on, 'Alarms');
      await page.locator('.past-bar').waitFor();
      assert.equal(await alarm(page).count(), 0);

      await page.locator('.past-bar').getByLabel('Show another moment').fill(textOf(fastAt));
      await page.keyboard.press('Enter');
      await alarm(page).waitFor();
      await goTo(page, on, 'Points');
      await pointsSay(page, '195.0');
      await page.goto(`${suite.server.url}/pictures/one?at=${fastAt}`);
      await speedIn(page, '195.0 rpm');
      await page.locator('.picture-marks [data-point="pump1_speed"] .picture-alarm').first().waitFor();
      await page.getByRole('button', { name: 'Back to now' }).first().click();
      await speedIn(page, '50.0 rpm');
      await page.getByText('PAST').waitFor({ state: 'detached' });
    });
  }

  test('goes there by keys alone', async (t) => {
    const page = await suite.open(t, '/pictures/one');
    await speedIn(page, '50.0 rpm');
    await enter(page, page.locator('.clock'));
    await enter(page, page.getByRole('button', { name: '60 min ago' }));
    await page.getByText('PAST').waitFor();
    await speedIn(page, '80.0 rpm');
    const slider = page.getByRole('slider', { name: 'Moment' });
    await tabTo(page, slider);
    for (let pages = 0; pages < 3; pages++) await page.keyboard.press('PageDown');
    await speedIn(page, '120.0 rpm');
    const menu = page.getByRole('navigation', { name: 'Menu' });
    await enter(page, menu.getByRole('link', { name: 'Points', exact: true }));
    await pointsSay(page, '120.0');
    await enter(page, page.locator('.clock'));
    await enter(page, page.getByRole('button', { name: '10 min ago' }));
    await page.waitForURL((url) => shownIn(url.href) > fastAt - hourS);
    await tabTo(page, page.getByRole('button', { name: 'Later 1 min', exact: true }));
    // The address may follow a little later.
    const shown = () => page.locator('.past-bar').getByLabel('Show another moment').inputValue();
    while ((await shown()) < textOf(fastAt - 60)) await page.keyboard.press('Enter');
    await tabTo(page, slider);
    while ((await shown()) < textOf(fastAt)) await page.keyboard.press('ArrowRight');
    await pointsSay(page, '195.0');
    await enter(page, menu.getByRole('link', { name: 'Alarms', exact: true }));
    await alarm(page).waitFor();
    await page.keyboard.press('n');
    await page.getByText('PAST').waitFor({ state: 'detached' });
    await page.getByText('No alarm is active, and all are acknowledged.').waitFor();
  });
});
