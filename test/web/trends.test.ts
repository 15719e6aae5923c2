// Promises of trends, in a real browser against the real server: what is drawn is read from the table of the visible window.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import type { TelltaleClient } from '@telltale/client';
import type { Page } from 'playwright-core';
import { noChromium } from '../browser.ts';
import { until } from '../until.ts';
import { PageSuite, widthNames } from './page-suite.ts';
import { bad, configure, fill, trendArgs, uncertain } from './trend-plant.ts';

/** 2024-06-01T00:00:00Z. */
const base = 1_717_200_000;
const hour = 3600;
const day = 24 * hour;

const windowOf = (from: number, to: number) => `from=${from}&until=${to}`;
const query = (page: Page) => new URL(page.url()).searchParams;
const plotOf = (page: Page) => page.getByRole('application', { name: /^Trend of / });
const legendOf = (page: Page) => page.getByRole('table', { name: 'Pens' });
const rowOf = (page: Page, name: string) => legendOf(page).getByRole('row', { name: new RegExp(`\\b${name}\\b`) });

async function openTable(page: Page) {
  await page.getByText('Data of the visible window').click();
  return page.getByRole('table', { name: 'Data of the visible window' });
}

/** Time, name and value of each record that is drawn. */
async function drawn(page: Page): Promise<string[][]> {
  const rows = page.getByRole('table', { name: 'Data of the visible window' }).locator('tbody tr');
  return await rows.evaluateAll((all) =>
    all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent?.trim() ?? '')),
  );
}

describe('trends', { skip: noChromium }, () => {
  const suite = new PageSuite({ args: trendArgs });
  let client: TelltaleClient;

  before(async () => {
    if (noChromium !== false) return;
    client = await configure(suite.server.url);
    await fill(client, 'level', [
      { s: base - 10 * day, value: 'd1' },
      { s: base + hour, value: 'd2' },
      { s: base + 2 * hour, value: 'd9', quality: bad },
      { s: base + 3 * hour, value: 'd3', quality: uncertain },
      { s: base + 4 * hour, value: 'd4', flags: 1 },
      { s: base + 5 * hour, value: 'd5' },
    ]);
    await fill(client, 'running', [
      { s: base, value: 'b1' },
      { s: base + 3 * hour, value: 'b0' },
    ]);
    await fill(client, 'batch_text', [{ s: base, value: 's<img src=x onerror=alert(1)>' }]);
    await fill(client, 'counter', [{ s: base, value: 'l9007199254740993' }]);
    await fill(client, '__proto__', [{ s: base, value: 'd7.5' }]);
    await fill(
      client,
      'flow',
      Array.from({ length: 20_000 }, (_, at) => ({ s: base - 400 * day + at * 1800, value: `f${at % 48}` })),
    );
  });

  test('say how to begin, and draw what is searched and added', async (t) => {
    const page = await suite.open(t, '/trends');
    await page.getByText('Nothing to draw yet').waitFor();
    await page.getByLabel('Add a pen').fill('other_lev');
    await page.getByRole('button', { name: /other_level/ }).click();
    await rowOf(page, 'other_level').waitFor();
    await page.waitForURL(/pens=other_level/);
    await page.reload();
    await rowOf(page, 'other_level').waitFor();
    await page.getByRole('button', { name: 'Remove other_level' }).click();
    await page.getByText('Nothing to draw yet').waitFor();
  });

  test('begin with the value in force, leave a gap where quality was bad, and mark what is uncertain and forced', async (t) => {
    const page = await suite.open(t, `/trends?pens=level,running&${windowOf(base, base + 6 * hour)}`);
    const table = await openTable(page);
    await table.getByText('BAD').waitFor();
    const rows = await drawn(page);
    assert.match(rows.find(([, name]) => name === 'level')?.[0] ?? '', /02:00:00.000 \+02:00 in force at the start/);
    assert.deepEqual(
      rows.map(([, name, value]) => `${name} ${value}`),
      [
        'level 1.000m',
        'running on',
        'level 2.000m',
        'level 9.000m✕ BAD',
        'level 3.000m? UNCERTAIN',
        'running off',
        'level 4.000mF FORCED',
        'level 5.000m',
      ],
    );
    await until('there is a gap', async () => (await inkAt(page, 2.5 / 6)) === 0);
    assert.ok((await inkAt(page, 1.5 / 6)) > 0, 'a line is drawn where the value is good');
    assert.ok((await inkAt(page, 4.5 / 6)) > (await inkAt(page, 5.5 / 6)), 'a forced stretch is hatched');
  });

  test('have statistics of exactly the window, from all records', async (t) => {
    const page = await suite.open(t, `/trends?pens=level,batch_text&${windowOf(base, base + 6 * hour)}`);
    const row = rowOf(page, 'level');
    // An hour of 1, 2, nothing, 3, 4 and 5; the time that is uncertain is no good time.
    await row.getByText('66.7 %').waitFor();
    await row.getByRole('cell', { name: '3.000', exact: true }).waitFor();
    await row.getByRole('cell', { name: '1.000', exact: true }).waitFor();
    await rowOf(page, 'batch_text').getByText('100 %').waitFor();
    await page.goto(`${suite.server.url}/trends?pens=level,running&${windowOf(base, base + 6 * hour)}`);
    await rowOf(page, 'running')
      .getByText(/^on \d+(\.\d)? %$/)
      .waitFor();
    await rowOf(page, 'level').getByTitle('A forced value is among them').waitFor();
  });

  test('have two cursors, set by keys, moved by keys, with exact values and their difference', async (t) => {
    const page = await suite.open(
      t,
      `/trends?pens=level,running&${windowOf(base, base + 6 * hour)}&cursorA=${base + 1.5 * hour}`,
    );
    await rowOf(page, 'level').getByRole('cell', { name: '2.000', exact: true }).waitFor();
    await plotOf(page).focus();
    await page.keyboard.press('b');
    const b = page.getByRole('slider', { name: 'Cursor B' });
    await b.focus();
    await page.keyboard.press('End');
    await rowOf(page, 'level').getByRole('cell', { name: '3.000', exact: true }).first().waitFor();
    await page.getByText('04:30:00').waitFor();
    await page.waitForURL(/cursorB=/);
    await page.keyboard.press('Delete');
    await b.waitFor({ state: 'detached' });
    await page.waitForURL((url) => !url.searchParams.has('cursorB'));
  });

  test('zoom out to years and back by keys alone, and each window is a link', async (t) => {
    const page = await suite.open(t, `/trends?pens=flow&${windowOf(base - day, base)}`);
    await plotOf(page).focus();
    for (let count = 0; count < 18; count++) await page.keyboard.press('-');
    await page.waitForURL(
      (url) => Number(url.searchParams.get('until')) - Number(url.searchParams.get('from')) > 365 * day,
    );
    await rowOf(page, 'flow').getByText('47').waitFor();
    await openTable(page);
    await page.getByText(/The first 500 of/).waitFor();
    const wide = query(page);
    await page.keyboard.press('ArrowLeft');
    for (let count = 0; count < 6; count++) {
      await plotOf(page).focus();
      await page.keyboard.press('PageUp');
    }
    await page.waitForURL((url) => Number(url.searchParams.get('from')) < Number(wide.get('from')));
    const link = query(page);
    const again = await suite.open(t, `/trends?${link}`);
    await rowOf(again, 'flow').waitFor();
    await again.getByLabel('Until', { exact: true }).waitFor();
    assert.equal(query(again).get('from'), link.get('from'));
  });

  test('zoom by the wheel where the pointer is, and pan by a drag', async (t) => {
    const page = await suite.open(t, `/trends?pens=level&${windowOf(base, base + 6 * hour)}`);
    await rowOf(page, 'level').getByText('66.7 %').waitFor();
    const box = (await plotOf(page).boundingBox()) ?? assert.fail('there is no plot');
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 3);
    await page.mouse.wheel(0, -400);
    await page.waitForURL((url) => Number(url.searchParams.get('until')) < base + 6 * hour - 60);
    const zoomed = Number(query(page).get('until')) - Number(query(page).get('from'));
    assert.ok(zoomed < 5 * hour, `${zoomed} s`);
    const from = Number(query(page).get('from'));
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 4, box.y + box.height / 3, { steps: 5 });
    await page.mouse.up();
    await page.waitForURL((url) => Number(url.searchParams.get('from')) > from + 60);
    const panned = Number(query(page).get('until')) - Number(query(page).get('from'));
    assert.ok(Math.abs(panned - zoomed) < 1, 'panning keeps the length');
  });

  test('follow the time until somebody pans, and again at a button', async (t) => {
    const page = await suite.open(t, '/trends?pens=live&span=60');
    await openTable(page);
    await client.measurements.simulate('live', 'd41.5', { validForS: 600 });
    t.after(() => client.measurements.stopSimulation('live'));
    await page.getByRole('table', { name: 'Data of the visible window' }).getByText('41.5').waitFor();
    await client.measurements.simulate('live', 'd42.5', { validForS: 600 });
    await page.getByRole('table', { name: 'Data of the visible window' }).getByText('42.5').waitFor();
    await plotOf(page).focus();
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL(/from=/);
    const live = page.getByRole('button', { name: 'Live', exact: true });
    assert.equal(await live.getAttribute('aria-pressed'), 'false');
    await live.click();
    await page.waitForURL((url) => !url.searchParams.has('from'));
    assert.equal(await live.getAttribute('aria-pressed'), 'true');
  });

  test('end at the moment of the past that the page shows', async (t) => {
    const page = await suite.open(t, `/trends?pens=level&span=${6 * hour}&at=${base + 4.5 * hour}`);
    await openTable(page);
    await page.getByRole('table', { name: 'Data of the visible window' }).getByText('FORCED').waitFor();
    const rows = await drawn(page);
    assert.deepEqual(
      rows.map(([, , value]) => value),
      ['1.000m', '2.000m', '9.000m✕ BAD', '3.000m? UNCERTAIN', '4.000mF FORCED'],
    );
    await rowOf(page, 'level').getByText('FORCED').first().waitFor();
  });

  test('write each record of the window into a CSV file, and the picture into a PNG file', async (t) => {
    const page = await suite.open(t, `/trends?pens=level&${windowOf(base, base + 6 * hour)}`);
    await rowOf(page, 'level').getByText('66.7 %').waitFor();
    const [csv] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()]);
    const lines = readFileSync(await csv.path(), 'utf8')
      .trim()
      .split('\r\n');
    assert.equal(lines[0], 'name,time,value [m],quality,flags');
    assert.deepEqual(
      lines.slice(1).map((line) => line.split(',')[2]),
      ['1', '2', '9', '3', '4', '5'],
    );
    const [png] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'PNG' }).click()]);
    assert.match(png.suggestedFilename(), /^trend-.*\.png$/);
    assert.equal(
      readFileSync(await png.path())
        .subarray(1, 4)
        .toString(),
      'PNG',
    );
  });

  test('show points of any name and texts of any kind, exactly', async (t) => {
    const page = await suite.open(
      t,
      `/trends?pens=__proto__,batch_text,counter,no_such_point,not a name&${windowOf(base, base + hour)}`,
    );
    const table = await openTable(page);
    await table.getByText('<img src=x onerror=alert(1)>').waitFor();
    await table.getByText('9007199254740993').waitFor();
    await table.getByText('7.5').waitFor();
    assert.equal(await legendOf(page).locator('tbody tr').count(), 4);
    await rowOf(page, 'no_such_point').getByText('no record').waitFor();
  });

  test('give each pen an axis by its unit, its own, or one that it shares, and a line of steps or straight', async (t) => {
    const page = await suite.open(t, `/trends?pens=level,other_level&${windowOf(base, base + hour)}`);
    await page.getByLabel('Axis of other_level').selectOption('own');
    await page.waitForURL(/pens=level,other_level:own/);
    await page.getByLabel('Line of level').selectOption('straight');
    await page.waitForURL(/pens=level:line,other_level:own/);
    await page.getByLabel('Show level').uncheck();
    await page.waitForURL(/pens=level:line:hidden,other_level:own/);
    await page.getByRole('button', { name: 'Remove level' }).click();
    await page.waitForURL(/pens=other_level:own:c1/);
  });

  /** 2024-03-31 in Vienna has 23 hours, 2024-10-27 has 25. */
  const spring = { from: 1_711_839_600, until: 1_711_922_400 };
  const autumn = { from: 1_729_980_000, until: 1_730_070_000 };

  test('have their ticks on the clock of the plant, also on days of 23 and 25 hours', async (t) => {
    const page = await suite.open(t, '/trends');
    await recordTexts(page);
    await page.goto(`${suite.server.url}/trends?pens=level&${windowOf(spring.from, spring.until)}`);
    await until('the ticks of the day of 23 hours', async () => (await textsOf(page)).includes('21:00'));
    const short = (await textsOf(page)).filter((text) => /^\d\d:\d\d$/.test(text));
    assert.deepEqual([...new Set(short)], ['00:00', '03:00', '06:00', '09:00', '12:00', '15:00', '18:00', '21:00']);
    await page.goto(`${suite.server.url}/trends?pens=level&${windowOf(autumn.from, autumn.from + 6 * hour)}`);
    await until('both hours after two', async () => {
      const texts = await textsOf(page);
      return texts.lastIndexOf('02:00') > texts.indexOf('02:00') && texts.includes('+01:00');
    });
    await page.goto(`${suite.server.url}/trends?pens=level&${windowOf(autumn.from, autumn.until)}`);
    await until('the ticks of the day of 25 hours', async () => (await textsOf(page)).includes('21:00'));
    const long = (await textsOf(page)).filter((text) => /^\d\d:\d\d$/.test(text));
    assert.deepEqual([...new Set(long)], ['00:00', '03:00', '06:00', '09:00', '12:00', '15:00', '18:00', '21:00']);
  });

  test('lay another day under the present one by the clock, also where it has another length', async (t) => {
    await fill(client, 'other_level', [
      { s: 1_711_753_200, value: 'd5' },
      { s: 1_711_796_400, value: 'd6' },
      { s: 1_729_936_800, value: 'd8' },
    ]);
    const page = await suite.open(t, `/trends?pens=other_level&${windowOf(spring.from, spring.until)}&overlay=1`);
    const table = await openTable(page);
    await table
      .getByRole('row', { name: /2024-03-31 12:00:00.000 \+02:00 .* of 2024-03-30 12:00:00 \+01:00 6 m/ })
      .waitFor();
    await page.goto(`${suite.server.url}/trends?pens=other_level&${windowOf(autumn.from, autumn.until)}&overlay=1`);
    await openTable(page);
    await table
      .getByRole('row', { name: /2024-10-27 12:00:00.000 \+01:00 .* of 2024-10-26 12:00:00 \+02:00 8 m/ })
      .waitFor();
    await page.goto(`${suite.server.url}/trends?pens=level&${windowOf(base - 30 * day, base - 29 * day)}&overlay=1`);
    await page.getByText('There are no records to compare with.').waitFor();
  });

  test('are shared by a name: saved as an edit, opened by everybody once it is rendered', async (t) => {
    const page = await suite.open(t, `/trends?pens=level,running,other_level:own:hidden&span=600`);
    await page.getByRole('button', { name: 'Save as a named trend' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save as a named trend' });
    await dialog.getByLabel('Name').fill('tanks');
    await dialog.getByLabel('Description').fill('All <b>tanks</b>');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/tanks is saved as an edit/).waitFor();
    const named = page.getByRole('region', { name: 'Named trends' });
    await named.getByRole('listitem').filter({ hasText: 'tanks ✎ saved, not rendered yet' }).waitFor();
    await client.configuration.render();
    const other = await suite.open(t, '/trends');
    await other.getByRole('link', { name: 'tanks' }).click();
    await rowOf(other, 'running').waitFor();
    assert.equal(await other.getByLabel('Show other_level').isChecked(), false);
    assert.equal(new URL(other.url()).search, '');
    await other.getByLabel('Span').and(other.locator(':has(option[value="600"]:checked)')).waitFor();
    await other.getByRole('button', { name: 'Remove running' }).click();
    await other.waitForURL(/trends\/tanks\?pens=level,other_level:own:hidden:c2/);
  });

  test('mark when alarms came and went, and where their limits are', async (t) => {
    await client.measurements.simulate('live', 'd60', { validForS: 600 });
    t.after(() => client.measurements.stopSimulation('live'));
    const page = await suite.open(t, '/trends');
    await recordTexts(page);
    await page.goto(`${suite.server.url}/trends?pens=live&span=600`);
    await until('the limit', async () => (await textsOf(page)).includes('level_high > 50'));
    assert.equal(await page.evaluate(`alignOf['level_high > 50']`), 'left', 'all of it is in the plot');
    await page.getByText('Marks of the visible window').click();
    await page
      .getByRole('list', { name: 'Marks of the visible window' })
      .getByText(/level_high/)
      .first()
      .waitFor();
    await page
      .getByRole('list', { name: 'Marks of the visible window' })
      .getByText(/Configuration 1/)
      .waitFor();
  });

  for (const on of widthNames) {
    test(`fit on the ${on}`, async (t) => {
      const page = await suite.open(t, `/trends?pens=level,flow,running&${windowOf(base, base + 6 * hour)}`, { on });
      await rowOf(page, 'level').getByText('66.7 %').waitFor();
      const size = await page.evaluate('({ wide: document.documentElement.scrollWidth, room: innerWidth })');
      const { wide, room } = size as { wide: number; room: number };
      assert.ok(wide <= room, `${wide} > ${room}`);
      const box = (await plotOf(page).boundingBox()) ?? assert.fail('there is no plot');
      assert.ok(box.height > 200 && box.width > 300, `${box.width} × ${box.height}`);
    });
  }
});

/** How many pixels of a column of the plot have the colour of the first pen. */
async function inkAt(page: Page, share: number): Promise<number> {
  const script = `((share) => {
    const canvas = document.querySelector('.trend-canvas canvas');
    const area = document.querySelector('.trend-area');
    if (canvas === null || area === null) return -1;
    const ratio = canvas.width / canvas.clientWidth;
    const left = Math.round((area.offsetLeft + area.offsetWidth * share) * ratio);
    const height = Math.round((area.offsetHeight - 40) * ratio);
    const { data } = canvas.getContext('2d').getImageData(left, Math.round(area.offsetTop * ratio), 8, height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) if (data[at + 2] > data[at] + 60 && data[at + 3] > 100) count++;
    return count;
  })(${share})`;
  return (await page.evaluate(script)) as number;
}

/** What the page writes on canvases from its next load on. */
async function recordTexts(page: Page): Promise<void> {
  await page.addInitScript(`{
    const { fillText } = CanvasRenderingContext2D.prototype;
    globalThis.drawnTexts = [];
    globalThis.alignOf = {};
    CanvasRenderingContext2D.prototype.fillText = function (text, ...others) {
      globalThis.drawnTexts.push(String(text));
      globalThis.alignOf[text] = this.textAlign;
      return fillText.call(this, text, ...others);
    };
  }`);
}

async function textsOf(page: Page): Promise<string[]> {
  return (await page.evaluate('globalThis.drawnTexts')) as string[];
}
