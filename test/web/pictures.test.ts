// Promises of process pictures, in a real browser against the real server: what is bound shows what the plant says.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noChromium } from '../browser.ts';
import { until } from '../until.ts';
import { PageSuite, widthNames } from './page-suite.ts';
import { hiding, onePump, PicturePlant, picture, twoPumps } from './picture-plant.ts';

/** The element that has this id in the file. */
const drawn = (page: Page, id: string) => page.locator(`.picture-drawing [id$="-${id}"]`);
const marked = (page: Page, mark: string, point: string) =>
  page.locator(`.picture-marks [data-point="${point}"][data-marks~="${mark}"]`);
const pathOf = (page: Page) => new URL(page.url()).pathname;

async function hasText(page: Page, id: string, text: string): Promise<void> {
  await until(`${id} says ${text}`, async () => (await drawn(page, id).textContent())?.trim() === text);
}

/** What is left of an element between its ends, from 0 to 1. */
async function shareShown(page: Page, id: string, side: 'width' | 'height'): Promise<number> {
  const [box, clip] = (await page.evaluate(`(() => {
    const shape = document.querySelector('.picture-drawing [id$="-${id}"]');
    const rect = document.querySelector(/#[^)]*/.exec(shape.getAttribute('clip-path'))[0] + ' rect');
    return [shape, rect].map((each) => each.getBBox()).map(({ x, y, width, height }) => ({ x, y, width, height }));
  })()`)) as Record<'x' | 'y' | 'width' | 'height', number>[];
  if (box === undefined || clip === undefined) return Number.NaN;
  const start = side === 'width' ? 'x' : 'y';
  const from = Math.max(box[start], clip[start]);
  const to = Math.min(box[start] + box[side], clip[start] + clip[side]);
  return Math.max(0, to - from) / box[side];
}

const isShare = (wanted: number, share: number) => Math.abs(share - wanted) < 0.01;

describe('process pictures', { skip: noChromium }, () => {
  const suite = new PageSuite({ args: [] });
  let plant: PicturePlant;

  before(async () => {
    if (noChromium !== false) return;
    plant = await PicturePlant.open(suite.server.url, [
      picture('one', onePump, { description: 'One pump', parameters: { unit: 'pump1' }, area: 'works.pumps' }),
      picture('two', twoPumps, { description: 'Both pumps', area: 'works' }),
      picture('hiding', hiding),
    ]);
    await plant.run('pump1', { speed: 50, state: 1 });
    await plant.run('pump2', { speed: 150, state: 0 });
  });

  test('show values as texts, levels, angles, states, words, and what is there only sometimes', async (t) => {
    const page = await suite.open(t, '/pictures/one');
    await hasText(page, 'text', '50.0 rpm');
    await hasText(page, 'precise', 'Speed of pump1 50.000');
    await hasText(page, 'title', 'Pump pump1 {other}');
    await hasText(page, 'words', 'runs well');
    assert.ok(isShare(0.25, await shareShown(page, 'level', 'height')));
    assert.ok(isShare(0, await shareShown(page, 'half', 'width')));
    assert.equal(await drawn(page, 'pointer').getAttribute('transform'), 'translate(5 5) rotate(-45.00 650 153)');
    assert.match((await drawn(page, 'state').getAttribute('class')) ?? '', /\btt-state-on\b/);
    await drawn(page, 'shown').getByText('Attention').waitFor();

    await plant.run('pump1', { speed: 175, state: 0 });
    await hasText(page, 'text', '175.0 rpm');
    await hasText(page, 'words', 'stopped');
    assert.ok(isShare(0.875, await shareShown(page, 'level', 'height')));
    assert.ok(isShare(0.75, await shareShown(page, 'half', 'width')));
    assert.match((await drawn(page, 'state').getAttribute('class')) ?? '', /\btt-state-off\b/);
    await drawn(page, 'shown').getByText('Attention').waitFor({ state: 'hidden' });
    await plant.run('pump1', { speed: 50, state: 1 });
  });

  test('serve every machine that is alike by their parameters', async (t) => {
    const page = await suite.open(t, '/pictures/one?unit=pump2');
    await hasText(page, 'text', '150.0 rpm');
    await hasText(page, 'title', 'Pump pump2 {other}');
    await page.getByRole('heading', { name: 'One pump: pump2' }).waitFor();
    await page.goto(new URL('/pictures/one?unit=__proto__', suite.server.url).href);
    await hasText(page, 'title', 'Pump __proto__ {other}');
    await marked(page, 'unknown', '__proto___speed').first().waitFor();
  });

  test('draw a symbol once and show each machine where it is used', async (t) => {
    const page = await suite.open(t, '/pictures/two');
    await until('both are shown', async () => {
      const texts = await page.locator('.picture-drawing [data-tt-text]').allTextContents();
      return texts.join() === '0,50.0,150.0';
    });
    assert.match((await drawn(page, 'first').locator('circle').getAttribute('class')) ?? '', /tt-state-on/);
    assert.match((await drawn(page, 'second').locator('circle').getAttribute('class')) ?? '', /tt-state-off/);
    await page.getByRole('link', { name: /^Speed of pump2: 150.0 rpm/ }).waitFor();
    const [first, second] = await Promise.all(
      ['first', 'second'].map((id) => drawn(page, id).locator('circle').boundingBox()),
    );
    assert.ok(first && second && second.x > first.x + first.width, 'each has its place');
  });

  test('lead from picture to picture, to trends and points, and back', async (t) => {
    const page = await suite.open(t, '/pictures/two');
    await drawn(page, 'first').click();
    await page.waitForURL('**/pictures/one?unit=pump1');
    await page.getByRole('heading', { name: 'One pump' }).waitFor();
    const trail = page.getByRole('navigation', { name: 'Pictures that led here' });
    await trail.getByRole('link', { name: 'Both pumps' }).waitFor();
    // Whoever speaks to the page says what is written there.
    await page.getByRole('link', { name: 'Overview, To both' }).waitFor();
    await page.getByRole('link', { name: /^Speeds/ }).click();
    await page.waitForURL('**/trends/speeds');
    await page.goBack();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.waitForURL('**/pictures/two');
    await page.getByRole('link', { name: /^Speed of pump2/ }).click();
    await page.waitForURL('**/points/pump2_speed');
    await page.keyboard.press('Escape');
    await page.waitForURL('**/pictures/two');
    await page.goto(new URL('/pictures/one?unit=pump2', suite.server.url).href);
    await page.getByRole('link', { name: /^pump2_set_speed/ }).click();
    await page.waitForURL('**/points/pump2_set_speed?kind=commands');
  });

  test('are walked through by the keyboard alone', async (t) => {
    const page = await suite.open(t, '/pictures');
    await page.getByRole('link', { name: 'Both pumps' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: /^Speed of pump2/ }).waitFor();
    const names: string[] = [];
    await page.locator('.picture').focus();
    for (let at = 0; at < 3; at++) {
      await page.keyboard.press('Tab');
      names.push(String(await page.evaluate('document.activeElement.ariaLabel')));
    }
    assert.match(names.join('|'), /^Picture one: .*\|pump2_state: .*\|Speed of pump2: 150.0 rpm/);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/pictures/one?unit=pump1');
    await hasText(page, 'text', '50.0 rpm');
    const box = () => page.locator('.picture-drawing').first().getAttribute('viewBox');
    const whole = await box();
    await page.keyboard.press('+');
    await until('it is larger', async () => (await box()) !== whole);
    await page.keyboard.press('0');
    await until('it is whole', async () => (await box()) === whole);
    await page.locator('.picture').focus();
    await page.locator('main').focus();
    await page.keyboard.press('Backspace');
    await page.waitForURL('**/pictures/two');
  });

  test('mark what is forced, bad, and in alarm by themselves', async (t) => {
    const { measurements } = plant.client;
    t.after(() => measurements.stopSimulation('pump1_speed'));
    const page = await suite.open(t, '/pictures/one');
    await hasText(page, 'text', '50.0 rpm');
    assert.equal(await page.locator('.picture-mark').count(), 0);
    await measurements.simulate('pump1_speed', 'd195', {});
    await marked(page, 'forced', 'pump1_speed').first().waitFor();
    await hasText(page, 'text', '195.0 rpm');
    const alarm = page.locator('.picture-marks [data-point="pump1_speed"] .picture-alarm');
    await alarm.first().waitFor();
    assert.match((await alarm.first().getAttribute('class')) ?? '', /severity-1.* unacknowledged/);
    await page.getByRole('link', { name: /195\.0 rpm, .*forced, Severity 1: Too fast: pump1/ }).waitFor();
    await plant.client.alarms.acknowledge('pump1_fast');
    await page.locator('.picture-alarm.severity-1:not(.unacknowledged)').first().waitFor();
    await measurements.simulate('pump1_speed', 'd5', { quality: 24 });
    await marked(page, 'bad', 'pump1_speed').first().waitFor();
    await measurements.simulate('pump1_speed', 'd5', { quality: 64 });
    await marked(page, 'uncertain', 'pump1_speed').first().waitFor();
    await measurements.stopSimulation('pump1_speed');
    await hasText(page, 'text', '50.0 rpm');
    await alarm.first().waitFor({ state: 'detached' });
    await page.locator('.picture-mark[data-marks]').first().waitFor({ state: 'detached' });
  });

  test('mark them where the drawing hides them or covers them', async (t) => {
    const { measurements } = plant.client;
    t.after(async () => {
      await measurements.stopSimulation('pump1_speed');
      await measurements.stopSimulation('pump1_state');
    });
    await measurements.simulate('pump1_speed', 'd5', { quality: 24 });
    await measurements.simulate('pump1_state', 'q1', {});
    const page = await suite.open(t, '/pictures/hiding');
    await until('each is marked', async () => (await marked(page, 'bad', 'pump1_speed').count()) === 4);
    await marked(page, 'forced', 'pump1_state').waitFor();
    const onTop = (await page.evaluate(`(() => {
      document.querySelector('.picture-marks').style.pointerEvents = 'all';
      const chips = [...document.querySelectorAll('.picture-chip')];
      return chips.map((chip) => {
        const { left, top, width, height } = chip.getBoundingClientRect();
        const found = document.elementFromPoint(left + width / 2, top + height / 2);
        return width >= 8 && found !== null && found.closest('.picture-chip') === chip;
      });
    })()`)) as boolean[];
    assert.ok(
      onTop.every((each) => each),
      onTop.join(),
    );
    assert.ok(onTop.length >= 5);
    const opacities = (await page.evaluate(`[...document.querySelectorAll('.picture-mark')]
      .map((mark) => getComputedStyle(mark).opacity + getComputedStyle(mark).visibility)`)) as string[];
    assert.deepEqual(new Set(opacities), new Set(['1visible']));
  });

  test('show the moment of the past that points and alarms show', async (t) => {
    const { archive } = plant.client;
    const at = 1_717_200_000;
    await archive.backfill('measurements', 'pump1_speed', [
      ['d120', [at - 60, 0], 192],
      ['d80', [at + 60, 0], 24],
    ]);
    const page = await suite.open(t, `/pictures/one?at=${at}`);
    await hasText(page, 'text', '120.0 rpm');
    await page.getByRole('navigation', { name: 'Menu' }).getByText('Points', { exact: true }).click();
    await page.waitForURL(`**/points?at=${at}`);
    await page.getByRole('grid').getByText('120.0').first().waitFor();
    await page.goBack();
    await hasText(page, 'text', '120.0 rpm');
    await marked(page, 'none', 'pump1_state').first().waitFor();
    assert.equal(await page.getByRole('button', { name: 'Edit' }).count(), 0);
    await page.goto(new URL(`/pictures/one?at=${at + 120}`, suite.server.url).href);
    await marked(page, 'bad', 'pump1_speed').first().waitFor();
    await page.getByRole('button', { name: 'Earlier 1 h' }).click();
    await marked(page, 'none', 'pump1_speed').first().waitFor();
    await page.getByRole('button', { name: 'Back to now' }).click();
    await hasText(page, 'text', '50.0 rpm');
    assert.equal(pathOf(page), '/pictures/one');
  });

  test('say where there is no such picture, and what there is instead', async (t) => {
    const page = await suite.open(t, '/pictures/nothing');
    await page.getByText('There is no picture nothing that you may see.').waitFor();
    await page.getByRole('link', { name: 'All pictures' }).click();
    await page.getByRole('heading', { name: 'works', exact: true }).waitFor();
    await page.locator('.pictures-thumbnail svg').first().waitFor();
  });

  for (const on of widthNames) {
    test(`fit a ${on}: all of the picture is seen, and nothing is cut off`, async (t) => {
      const page = await suite.open(t, '/pictures/one', { on });
      await hasText(page, 'text', '50.0 rpm');
      const [inner, outer] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as number[];
      assert.ok(Number(inner) <= Number(outer), `${inner} px in ${outer}`);
      for (const id of ['title', 'command', 'pointer']) {
        const box = await drawn(page, id).boundingBox();
        const view = await page.locator('.picture').boundingBox();
        assert.ok(box && view && box.x >= view.x && box.x + box.width <= view.x + view.width + 1, id);
      }
    });
  }

  test('are marked as a whole when there is no link, and live again alone', async (t) => {
    const { server } = suite;
    t.after(() => process.kill(server.pid, 'SIGCONT'));
    const page = await suite.open(t, '/pictures/one', { expects: [/WebSocket/, /fetch/i] });
    await hasText(page, 'text', '50.0 rpm');
    await plant.run('pump1', { speed: 50, state: 0 });
    t.after(() => plant.run('pump1', { speed: 50, state: 1 }));
    await drawn(page, 'shown').and(page.locator('.tt-hidden')).waitFor({ state: 'attached' });
    process.kill(server.pid, 'SIGSTOP');
    await page.locator('.picture-drawing.picture-stale').waitFor();
    await until('each is marked', async () => (await page.locator('.picture-mark[data-stale]').count()) >= 5);
    const around = await page.evaluate(`(() => {
      const { left, top } = document.querySelector('.picture-drawing .tt-hidden').getBoundingClientRect();
      const boxes = [...document.querySelectorAll('.picture-hatched-stale')].map((mark) => mark.getBoundingClientRect());
      return [boxes.length, boxes.filter((box) => Math.hypot(box.left - left, box.top - top) < 3).length];
    })()`);
    const [all = 0, hidden] = around as number[];
    assert.ok(all > 0 && hidden === 0, 'what is not seen is not marked');
    process.kill(server.pid, 'SIGCONT');
    await page.locator('.picture-drawing.picture-stale').waitFor({ state: 'detached' });
    await page.locator('.picture-mark[data-stale]').first().waitFor({ state: 'detached' });
  });
});
