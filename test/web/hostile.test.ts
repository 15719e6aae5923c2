// Promises of the page to those whose links, names and texts are not meant well, in a real browser against the real server: no
// view fails or is blank, no text is run or turns what stands beside it. What is thrown or logged fails the test by itself.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import { TelltaleClient } from '@telltale/client';
import { pageRoutes } from '@telltale/schema';
import type { Page } from 'playwright-core';
import { noChromium } from '../browser.ts';
import { put } from '../live-plant.ts';
import { until } from '../until.ts';
import { PageSuite } from './page-suite.ts';

const run = 'globalThis.wasRun = true';
const texts: Readonly<Record<string, string>> = {
  markup: `"'><img src=x onerror="${run}"><script>${run}</script>{{wasRun=1}}`,
  turned: 'turned\u2066 \u202eback',
  long: 'W'.repeat(10_000),
  lines: 'one\ntwo\r\n\tthree\u0007\u2028\u{1f4a9}',
  formula: '=HYPERLINK("http://example.org";"level")',
};
const names = Object.keys(texts);
const onDevice = (tag: string) => ({ connectorName: 'device', address: `echo(${tag})` });

const plant = [
  put('connectors', 'device', { stackName: 'simulator', vars: { scanPeriodMs: '20' } }),
  ...Object.entries(texts).flatMap(([name, description]) => [
    put('measurements', name, { datatype: 'd', eu: description.slice(0, 64), description, ...onDevice(name) }),
    put('measurements', `${name}_text`, { datatype: 's', description, ...onDevice(`${name}_text`) }),
    put('commands', `set_${name}_text`, { datatype: 's', description, ...onDevice(`${name}_text`) }),
    put('alarms', `${name}_high`, {
      ...{ severity: name === 'turned' ? 0 : 1, description, archMode: 'change' },
      ...{ trgMeasurement: name, trgOperator: 'gt', trgRefValue: '10' },
    }),
    put('pictures', `${name}_picture`, {
      description,
      parameters: { unit: description },
      svg: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 100"><text x="10" y="40">{unit}</text>
        <text id="shown" x="10" y="80" data-tt-point="${name}" data-tt-text="description value unit">0</text></svg>`,
    }),
    put('trends', `${name}_trend`, { description, pens: [{ kind: 'measurements', name }] }),
  ]),
  put('pictures', 'beyond', {
    svg: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1e308 1e308"><g transform="scale(0)">
      <rect width="1e300" height="10" data-tt-point="markup" data-tt-level="up"/></g>
      <rect width="9" height="9" data-tt-point="markup" data-tt-rotation="from=-1e300 to=1e300 cx=1e300"/></svg>`,
  }),
  put('pictures', 'repeated', {
    svg: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 100"><defs>
      <text id="l0" data-tt-point="markup" data-tt-text="value">99.9</text>${Array.from(
        { length: 5 },
        (_, at) => `<g id="l${at + 1}">${`<use href="#l${at}"/>`.repeat(8)}</g>`,
      ).join('')}</defs><use href="#l5"/></svg>`,
  }),
  put('pictures', 'growing', {
    svg: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 100">${Array.from(
      { length: 60 },
      () => `<g data-tt-parameters="a=${'{a}'.repeat(1000)}">`,
    ).join('')}<text id="last">{a}</text>${'</g>'.repeat(60)}</svg>`,
    parameters: { a: 'again' },
  }),
];

const oddNames = [
  ...['__proto__', 'constructor', '%00', '%3Cimg%20src%3Dx%3E', '..%2F..%2Fdata', '%E0%A4%A', '%ED%A0%80', '%E2%80%AE'],
  ...['a'.repeat(2000), "'%22", '%25'],
];
const oddQueries = [
  ...['at=NaN', 'at=1e308', 'at=-1', 'at=1e13', 'at=9e9'],
  'from=1e308&until=1e309&to=1e308',
  'from=1e12&to=1e13&interval=own',
  'pens=__proto__,constructor:x&span=9e9&overlay=1e9&y=axis1:1e308:-1e308&cursorA=1e300&hide=,',
  'sort=__proto__&columns=__proto__,constructor',
  'sort=-toString&order=constructor&severity=1e9&state=constructor&area=..%2F&quality=x&kind=__proto__&datatype=__proto__',
  'role=__proto__&tab=constructor&show=__proto__&record=1e99&revision=1e99&new=__proto__&edit=1&text=(((%5C',
  `text=${'%F0%9F%92%A9'.repeat(300)}&=&&=&%E0%A4%A=1`,
];

/** What a browser says of numbers beyond its own in the picture of that name, also where it is drawn small. */
const beyondNumbers = /attribute (?:viewBox|width): /;

/** As a link of the page leads there, without loading it anew. */
async function goTo(page: Page, address: string): Promise<void> {
  await page.evaluate(
    `history.pushState({}, '', ${JSON.stringify(address)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
  await until(`${address.slice(0, 100)} is there`, async () => {
    const [main, top] = (await page.evaluate(
      `['main', '.top'].map((each) => (document.querySelector(each)?.innerText ?? '').trim())`,
    )) as [string, string];
    return main !== '' && main !== 'Loading …' && /Live|Link up/.test(top);
  });
}

describe('what is not meant well', { skip: noChromium }, () => {
  const suite = new PageSuite({ args: ['--no-demo'] });

  before(async () => {
    if (noChromium !== false) return;
    const client = new TelltaleClient({ url: suite.server.url });
    await client.configuration.transaction(plant, { render: true });
    await until('the connector is up', async () => (await client.connectors.get('device')).state === 'up');
    for (const [name, text] of Object.entries(texts)) {
      await client.commands.write(`set_${name}_text`, `s${text}`);
      await client.measurements.simulate(name, 'd12.5', { reason: texts.markup ?? '' });
    }
  });

  const examples: Readonly<Record<string, string>> = { ':family': 'measurements', ':name': 'markup' };
  for (const route of pageRoutes) {
    test(`leads to something that can be read: ${route}`, async (t) => {
      const page = await suite.open(t, '/', { expects: [beyondNumbers] });
      await page.getByText('● Live').waitFor();
      const good = route.replaceAll(/:\w+/g, (name) => examples[name] ?? '');
      const named = route.includes(':') ? oddNames.map((name) => route.replaceAll(/:\w+/g, () => name)) : [];
      for (const address of [...named, ...oddQueries.map((query) => `${good}?${query}`)]) await goTo(page, address);
    });
  }

  test('stays what it was where the path begins with two slashes', async (t) => {
    const page = await suite.open(t, '/');
    await page.goto(`${suite.server.url}//points?forced=1`);
    await page.getByText('5 of 15', { exact: true }).waitFor();
    await page.getByRole('searchbox').first().fill('lines');
    await page.waitForURL(`${suite.server.url}/points?forced=1&text=lines`);
  });

  test('is shown as the text that it is in every view, and breaks no screen', async (t) => {
    const page = await suite.open(t, '/', { on: 'phone', expects: [beyondNumbers] });
    await page.getByText('● Live').waitFor();
    const families = ['measurements', 'alarms', 'pictures', 'trends'];
    const views = [
      ...[
        '/',
        '/points',
        '/alarms',
        '/alarms/history',
        '/pictures',
        '/forced',
        '/connectors/device',
        '/config/changes',
      ],
      ...names.flatMap((name) => [`/points/${name}`, `/points/${name}_text`, `/points/${name}_high?kind=alarms`]),
      ...names.flatMap((name) => [`/pictures/${name}_picture`, `/trends/${name}_trend`]),
      ...families.map((family) => `/config/${family}`),
      ...names.map((name) => `/config/measurements/${name}`),
    ];
    for (const view of views) {
      await goTo(page, view);
      await page.getByText('Loading …').first().waitFor({ state: 'detached' });
      const [found, inner, outer] = (await page.evaluate(
        `[document.querySelectorAll('img, script:not([src])').length + Number(globalThis.wasRun ?? 0),
          document.documentElement.scrollWidth, innerWidth]`,
      )) as [number, number, number];
      assert.equal(found, 0, view);
      assert.ok(inner <= outer, `${inner} px in ${outer}: ${view}`);
    }
  });

  test('turns nothing that stands beside it', async (t) => {
    const page = await suite.open(t, '/points/turned_high?kind=alarms');
    await page.getByText('● Live').waitFor();
    await until('texts that are no part of it read from left to right', async () => {
      const turned = (await page.evaluate(`(() => {
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const found = [];
        for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
          const { data } = text;
          if (!/turned_high/.test(data) || /[\\u202a-\\u202e]/.test(data)) continue;
          const at = data.indexOf('turned_high');
          const [first, last] = [at, at + 10].map((from) => {
            const range = document.createRange();
            range.setStart(text, from);
            range.setEnd(text, from + 1);
            return range.getBoundingClientRect().left;
          });
          found.push(first <= last);
        }
        return found;
      })()`)) as boolean[];
      return turned.length >= 2 && turned.every((each) => each);
    });
    await page.goto(new URL('/pictures/turned_picture', suite.server.url).href);
    await page.locator('.picture-drawing [id$="-shown"]', { hasText: 'turned back 12.5 turned back' }).waitFor();
  });

  test('hides no mark beyond the numbers that a browser draws with', async (t) => {
    const page = await suite.open(t, '/pictures/beyond', { expects: [beyondNumbers] });
    const forced = page.locator('.picture-mark[data-marks~="forced"] .picture-chip-forced');
    await until('both are marked where they are seen', async () => {
      const boxes = await Promise.all((await forced.all()).map((each) => each.boundingBox()));
      const view = await page.locator('.picture').boundingBox();
      const isSeen = (box: (typeof boxes)[number]) =>
        box !== null && view !== null && box.width >= 8 && box.x >= view.x - 1 && box.y >= view.y - 1;
      return boxes.length >= 1 && boxes.every(isSeen);
    });
    await page.locator('.picture-mark[data-marks~="mistake"]').first().waitFor();
  });

  test('shows no text as a value that is none, where a picture repeats more than a browser can', async (t) => {
    const page = await suite.open(t, '/pictures/repeated');
    await page.getByRole('alert').getByText('This is no SVG that can be shown.').waitFor();
    assert.equal(await page.getByText('99.9').count(), 0);
  });

  test('does not fill the memory of whoever opens a picture', async (t) => {
    const page = await suite.open(t, '/pictures/growing');
    const last = page.locator('.picture-drawing [id$="-last"]');
    await last.waitFor({ state: 'attached' });
    assert.ok(((await last.textContent()) ?? '').length < 4096);
  });

  test('is no formula in a file for spreadsheets', async (t) => {
    const page = await suite.open(t, '/alarms/history');
    await page.getByRole('grid').getByText('formula_high').first().waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    const rows = (await readFile(await file.path(), 'utf8')).split('\n');
    const row = rows.find((each) => each.includes('formula_high')) ?? '';
    assert.match(row, /,"'=HYPERLINK\(/);
  });
});
