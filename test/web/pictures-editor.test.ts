// Promises of the editor of pictures, in a real browser against the real server: from a file to what all see; hostile files do nothing.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noChromium } from '../browser.ts';
import { until } from '../until.ts';
import { PageSuite } from './page-suite.ts';
import { PicturePlant, picture, twoPumps } from './picture-plant.ts';

const plain = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 200">
<rect id="tank" x="20" y="20" width="100" height="150" style="fill:#888888"/>
<text id="speed" x="200" y="80" font-size="30">0.0</text></svg>`;

/** Would run, load or show what is not the picture's, in as many ways as there are. */
const hostile = (
  own: string,
) => `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 400 200"
  onload="window.hacked = 1">
<script>window.hacked = 2</script>
<style>@import url(http://127.0.0.1:9/a.css); rect { fill: url(http://127.0.0.1:9/b.svg#c) } .top { color: red }</style>
<foreignObject width="100" height="100"><body xmlns="http://www.w3.org/1999/xhtml"><img src="x" onerror="window.hacked = 3"/>
<iframe src="javascript:window.hacked = 4"/></body></foreignObject>
<image href="http://127.0.0.1:9/image.png" width="10" height="10"/>
<image xlink:href="http://127.0.0.1:9/linked.png" width="10" height="10"/>
<use href="data:image/svg+xml,&lt;svg id='x' xmlns='http://www.w3.org/2000/svg' onload='window.hacked=5'/&gt;#x"/>
<a href="javascript:window.hacked = 6"><text x="10" y="20">click</text></a>
<animate attributeName="href" values="javascript:window.hacked = 7"/><set attributeName="onclick" to="window.hacked = 8"/>
<rect id="own" x="10" y="10" width="50" height="50" style="background: url(http://127.0.0.1:9/d.png); fill: #777777" onclick="window.hacked = 9"
  filter="url(http://127.0.0.1:9/e.svg#f)" ${own}/>
<text id="__proto__" x="100" y="100" data-tt-point="&lt;img src=x onerror=alert(1)>" data-tt-text="value">&lt;img src=x onerror=window.hacked=10></text>
</svg>`;

const file = (text: string) => ({ name: 'drawing.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(text) });

async function uploadFile(page: Page, text: string): Promise<void> {
  await page.locator('input[type=file]').setInputFiles(file(text));
}

const region = (page: Page, name: string) => page.getByRole('region', { name });
const drawn = (page: Page, id: string) => page.locator(`.picture-drawing [id$="-${id}"]`);

describe('the editor of pictures', { skip: noChromium }, () => {
  const suite = new PageSuite({ args: [] });
  let plant: PicturePlant;

  before(async () => {
    if (noChromium !== false) return;
    plant = await PicturePlant.open(suite.server.url, [picture('two', twoPumps)]);
    await plant.run('pump1', { speed: 50, state: 1 });
  });

  test('leads from a file to a picture that shows the plant', async (t) => {
    const page = await suite.open(t, '/pictures');
    await page.getByRole('button', { name: 'New picture' }).click();
    await page.getByLabel('Name of the picture').fill('mine');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.waitForURL('**/pictures/mine?edit=1');
    await uploadFile(page, plain);
    await page.getByText('Nothing was removed from the file.').waitFor();
    await drawn(page, 'speed').click();
    const binding = region(page, 'Binding');
    await binding.getByRole('heading', { name: /text #speed/ }).waitFor();
    await binding.getByLabel('Point', { exact: true }).pressSequentially('speed of pump1');
    await binding.getByRole('button', { name: /^pump1_speed/ }).click();
    await until('it is seen at once', async () => (await drawn(page, 'speed').textContent()) === '50.0 rpm');
    await drawn(page, 'tank').click();
    await binding.getByRole('heading', { name: /rect #tank/ }).waitFor();
    await binding.getByLabel('Point', { exact: true }).fill('pump1_speed');
    await binding.getByLabel('Point', { exact: true }).press('Enter');
    await binding.getByText('It does nothing with the value yet').waitFor();
    await binding.getByLabel('Add').selectOption('Level');
    await binding.getByText('It does nothing with the value yet').waitFor({ state: 'detached' });
    await binding.getByLabel('Level', { exact: true }).fill('sideways');
    await binding.getByLabel('Level', { exact: true }).press('Enter');
    await binding.getByText('This makes no sense.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await binding.getByText('This makes no sense.').waitFor({ state: 'detached' });
    await page.getByLabel('Description').fill('My picture');
    await page.getByLabel('Description').press('Tab');

    await page.getByRole('button', { name: 'Save …' }).click();
    const changes = page.getByRole('dialog').getByRole('list', { name: 'What changes' });
    await changes.getByText('+ text #speed 0.0: data-tt-point="pump1_speed"').waitFor();
    await changes.getByText('description: – → My picture').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'Render to publish' }).waitFor();
    const stored = await plant.client.configuration.get('pictures', 'mine');
    assert.match(stored.svg, /data-tt-point="pump1_speed" data-tt-level="up"/);
    assert.match(stored.svg, /fill="#888888"/);
    assert.deepEqual(Object.keys(await plant.client.pictures.list()), ['two']);

    await plant.client.configuration.render();
    await page.goto(new URL('/pictures', suite.server.url).href);
    await page.getByRole('link', { name: /My picture/ }).click();
    await until('all see it', async () => (await drawn(page, 'speed').textContent()) === '50.0 rpm');
  });

  test('keeps what is bound by ids when the drawing is replaced, and tells what is lost', async (t) => {
    await plant.client.configuration.put('pictures', 'replaced', {
      name: 'replaced',
      svg: plain
        .replace('id="tank"', 'id="tank" data-tt-point="pump1_speed" data-tt-level="up"')
        .replace('id="speed"', 'id="speed" data-tt-point="pump1_speed" data-tt-text="value"'),
    });
    const page = await suite.open(t, '/pictures/replaced?edit=1');
    await drawn(page, 'tank').waitFor();
    await uploadFile(page, plain.replace('id="speed"', 'id="other"').replace('x="20"', 'x="40"'));
    const report = page.getByRole('status', { name: 'Uploaded, and not saved yet' });
    await report.getByText('data-tt-text="value"').waitFor();
    assert.equal(await drawn(page, 'tank').getAttribute('data-tt-level'), 'up');
    assert.equal(await drawn(page, 'tank').getAttribute('x'), '40');
    assert.equal(await drawn(page, 'other').getAttribute('data-tt-text'), null);
    const { svg } = await plant.client.configuration.get('pictures', 'replaced');
    assert.match(svg, /x="20"/, 'nothing is stored before it is saved');
  });

  test('binds by the keyboard alone, and puts symbols of the sheet into a picture', async (t) => {
    const page = await suite.open(t, '/pictures/fresh?edit=1');
    await page.getByText('Symbols', { exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'motor' }).focus();
    await page.keyboard.press('Enter');
    const binding = region(page, 'Binding');
    await binding.getByRole('heading', { name: 'use' }).waitFor();
    await binding.getByLabel('Point', { exact: true }).focus();
    await page.keyboard.type('pump1_state');
    await page.keyboard.press('Enter');
    await page.locator('.picture-drawing circle.tt-state-on').waitFor();
    await region(page, 'Elements')
      .getByRole('button', { name: /^circle/ })
      .focus();
    await page.keyboard.press('Enter');
    await binding.getByRole('heading', { name: 'circle' }).waitFor();
    await page.locator('main').focus();
    await page.keyboard.press('Control+s');
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved as a pending edit.').waitFor();
    const { svg } = await plant.client.configuration.get('pictures', 'fresh');
    assert.match(svg, /data-tt-parameters="states=0:off 1:on&amp;point=pump1_state"/);
  });

  test('makes nothing of a hostile file: nothing runs, and no request leaves', async (t) => {
    const requests: string[] = [];
    const page = await suite.open(t, '/pictures/hostile?edit=1');
    page.on('request', (request) => requests.push(request.url()));
    await uploadFile(page, hostile('data-tt-point="pump1_speed" data-tt-level="up"'));
    const report = page.getByRole('status', { name: 'Uploaded, and not saved yet' });
    await report.getByText('script', { exact: true }).waitFor();
    for (const what of ['foreignObject', 'onclick=', 'onload=', 'iframe'])
      await report.getByText(what, { exact: true }).waitFor();
    await drawn(page, 'own').click({ force: true });
    await page.getByRole('button', { name: 'Save …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'Render to publish' }).waitFor();
    await plant.client.configuration.render();
    await page.goto(new URL('/pictures/hostile', suite.server.url).href);
    await drawn(page, 'own').click({ force: true });
    await page.goto(new URL('/pictures', suite.server.url).href);
    await page.locator('.pictures-thumbnail svg').first().waitFor();
    assert.equal(await page.evaluate('window.hacked'), undefined);
    assert.equal(await page.locator('.picture-drawing :is(script, foreignObject, iframe, a, image)').count(), 0);
    assert.deepEqual(
      requests.filter((url) => !url.startsWith(suite.server.url) && !url.startsWith('data:')),
      [],
    );
  });

  test('says what is wrong with a file that is no SVG, and keeps the picture', async (t) => {
    const page = await suite.open(t, '/pictures/two?edit=1');
    await drawn(page, 'first').waitFor();
    await uploadFile(page, '<svg xmlns="http://www.w3.org/2000/svg"><g></svg>');
    await page
      .getByText(/line 1, column/)
      .first()
      .waitFor();
    await drawn(page, 'first').waitFor();
  });

  test('is not there in the past, where nothing is changed', async (t) => {
    const page = await suite.open(t, '/pictures/two?edit=1&at=1700000000');
    await page.getByText('PAST').waitFor();
    assert.equal(await page.locator('input[type=file]').count(), 0);
  });
});
