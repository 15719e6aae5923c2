// Engineers at work in the browser: a table edited, pasted and saved, checked by the service alone; the way from an edit over
// its difference and the rendering back to what was before.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noChromium } from '../browser.ts';
import { arrowTo, enter, typeInto } from './by-keys.ts';
import { PageSuite, widthNames } from './page-suite.ts';

const cell = (page: Page, name: string, column: string) =>
  page
    .locator('.edit-table [role=row]', { has: page.getByRole('link', { name, exact: true }) })
    .locator(`[data-column="${column}"]`);

/** Into the grid, as a spreadsheet leaves it. */
async function pasteInto(page: Page, text: string): Promise<void> {
  await page.locator('.edit-table .grid-scroll').focus();
  await page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${JSON.stringify(text)});
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(event);
  }`);
}

type Fields = Readonly<Record<string, unknown>>;

describe('the configuration in the browser', { skip: noChromium }, () => {
  const suite = new PageSuite();
  const read = async <Body = Fields>(path: string) => (await (await suite.server.get(path)).json()) as Body;
  const put = (family: string, name: string, object: object) =>
    suite.server.send('PUT', `/${family}/${name}`, { name, ...object });

  for (const on of widthNames) {
    test(`an edit is tried, saved, seen as a difference, rendered and undone, at the width of the ${on}`, async (t) => {
      const page = await suite.open(t, '/config/measurements/tank1_level', { on });
      const deadband = page.getByLabel('Deadband', { exact: false }).first();
      await deadband.fill('much');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.locator('[data-field=deadband] .form-fault').getByText('much').waitFor();
      await page.getByText('It can be saved, and not be rendered yet: 1 thing is wrong.').waitFor();
      assert.equal((await read('/measurements/tank1_level')).deadband, '0.02%', 'nothing was changed');

      await deadband.fill('0.5');
      await page.getByRole('button', { name: 'Check' }).click();
      await page.getByText('It would work.').waitFor();
      assert.equal((await read('/measurements/tank1_level')).deadband, '0.02%', 'a check changes nothing');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.locator('[data-field=deadband]').getByText('runs with: 0.02%').waitFor();

      await page.goto(`${suite.server.url}/config/changes`);
      const change = page.getByRole('listitem').filter({ hasText: 'tank1_level' });
      assert.match(await change.locator('dd').innerText(), /0\.02%\s*→\s*0\.5/);
      await page.getByLabel('Comment').fill('less noise in the archive');
      await page.getByRole('button', { name: 'Render 1 edit' }).click();
      await page.getByText('Rendered: it runs.').waitFor();

      await page.getByRole('link', { name: 'What was applied' }).click();
      await page.getByRole('row').filter({ hasText: 'less noise in the archive' }).first().getByText('runs').waitFor();
      await page.getByRole('button', { name: /^↶ Undo/ }).click();
      await page.getByRole('dialog').getByText('0.02%').waitFor();
      await page.getByRole('button', { name: 'Undo and render' }).click();
      await page.getByText(/Revision \d+ runs again/).waitFor();
      assert.equal((await read('/measurements/tank1_level')).deadband, '0.02%');
      assert.deepEqual(await read('/cfgdb/render'), { up_to_date: true });
    });
  }

  for (const on of widthNames) {
    test(`what is not saved never covers the field with the focus, at the width of the ${on}`, async (t) => {
      const page = await suite.open(t, '/config/measurements/tank1_level', { on });
      await page.locator('[data-field=deadband] input').fill('much');
      await page.getByRole('button', { name: 'Check' }).click();
      await page.locator('.draft-bar .problem').waitFor();
      const controls = page.locator('.object-form').locator('input, select, textarea');
      await controls.first().focus();
      for (let left = await controls.count(); left > 1; left--) {
        await page.keyboard.press('Tab');
        while ((await page.locator('.object-form :is(input, select, textarea):focus').count()) === 0) {
          await page.keyboard.press('Tab');
        }
        const covered = await page.evaluate(`{
          const { left, top, width, height } = document.activeElement.getBoundingClientRect();
          const seen = document.elementFromPoint(left + width / 2, top + height - 2);
          seen === document.activeElement ? '' : document.activeElement.outerHTML;
        }`);
        assert.equal(covered, '');
      }
      await page.locator('.draft-bar').getByRole('button', { name: 'Discard' }).click();
    });
  }

  test('the same by keys alone, from the start of the page', async (t) => {
    const page = await suite.open(t, '/');
    const menu = page.getByRole('navigation', { name: 'Menu' });
    await enter(page, menu.getByRole('link', { name: 'Configuration', exact: true }));
    await enter(page, page.locator('.family-list').getByRole('link', { name: 'Measurements', exact: true }));
    await typeInto(page, page.getByRole('searchbox'), 'tank2_level');
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'tank2_level', exact: true }) });
    await arrowTo(page, page.getByRole('grid'), row);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/config/measurements/tank2_level');
    await typeInto(page, page.locator('[data-field=deadband] input'), '0.25');
    await enter(page, page.getByRole('button', { name: 'Check' }));
    await page.getByText('It would work.').waitFor();
    await enter(page, page.getByRole('button', { name: 'Save', exact: true }));
    await page.locator('[data-field=deadband]').getByText('runs with: 0.02%').waitFor();
    await enter(page, page.getByRole('banner').getByRole('link', { name: /pending/i }));
    const change = page.getByRole('listitem').filter({ hasText: 'tank2_level' });
    assert.match(await change.locator('dd').innerText(), /0\.02%\s*→\s*0\.25/);
    await typeInto(page, page.getByLabel('Comment'), 'by keys alone');
    await enter(page, page.getByRole('button', { name: 'Render 1 edit' }));
    await page.getByText('Rendered: it runs.').waitFor();
    await enter(page, page.getByRole('link', { name: 'What was applied' }));
    await page.getByRole('row').filter({ hasText: 'by keys alone' }).first().getByText('runs').waitFor();
    await enter(page, page.getByRole('button', { name: /^↶ Undo/ }));
    await enter(page, page.getByRole('dialog').getByRole('button', { name: 'Undo and render' }));
    await page.getByText(/Revision \d+ runs again/).waitFor();
    assert.equal((await read('/measurements/tank2_level')).deadband, '0.02%');
  });

  test('of a thousand pasted rows with three mistakes, three cells are marked and nothing is changed', async (t) => {
    const rows = Array.from({ length: 1000 }, (_, at) => [`pasted_${at}`, 'd', String(at % 60), `Row ${at}`]);
    const wrong = [
      [17, 1, 'x'],
      [400, 2, 'soon'],
      [999, 0, 'has space'],
    ] as const;
    for (const [row, column, text] of wrong) (rows[row] as string[])[column] = text;
    const names = await read('/measurements/names');
    const page = await suite.open(t, '/config/measurements?columns=name,datatype,archPeriod,description');
    await page.getByRole('link', { name: 'chlorine_residual', exact: true }).waitFor();
    await pasteInto(
      page,
      ['name\tdatatype\tarchPeriod\tdescription', ...rows.map((row) => row.join('\t'))].join('\r\n'),
    );
    await page.getByText('1000 rows pasted').waitFor();
    assert.ok((await page.locator('.edit-table [role=row]').count()) < 60, 'only what is seen is made');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('3 things are wrong; nothing was changed.').waitFor();
    await page.getByRole('button', { name: 'Wrong (3)' }).click();
    await page.locator('.edit-cell.faulty').nth(2).waitFor();
    const marked = await page
      .locator('.edit-cell.faulty')
      .evaluateAll((cells) => cells.map((each) => each.closest('[data-column]')?.getAttribute('data-column')));
    assert.deepEqual(marked.toSorted(), ['archPeriod', 'datatype', 'name']);
    assert.deepEqual(await read('/measurements/names'), names);

    // Corrected, all of them come.
    await page.locator('.fault-list').getByRole('button', { name: 'pasted_400 · archPeriod' }).click();
    await page.locator('.edit-table .grid-scroll:focus').waitFor();
    await page.keyboard.type('5s');
    await page.keyboard.press('Enter');
    await page.locator('.edit-table [role=row]').filter({ hasText: 'pasted_400' }).getByText('5s').waitFor();
    await page.locator('.draft-bar').getByRole('button', { name: 'Check' }).click();
    await page.getByText('2 things are wrong; nothing was changed.').waitFor();
    await page.locator('.draft-bar').getByRole('button', { name: 'Discard' }).click();
    await page.locator('.draft-bar').waitFor({ state: 'detached' });
  });

  test('a table is edited by the keyboard alone', async (t) => {
    await put('measurements', 'kb_a', { datatype: 'd' });
    await put('measurements', 'kb_b', { datatype: 'd' });
    const page = await suite.open(t, '/config/measurements?filter=kb_&columns=name,eu,deadband,archMode');
    await cell(page, 'kb_a', 'eu').waitFor();
    await page.locator('.edit-table .grid-scroll').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.type('bar');
    await page.keyboard.press('Tab');
    await page.keyboard.type('0.25');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('F2');
    await page.keyboard.type('7');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Delete');
    await cell(page, 'kb_b', 'deadband').getByText('7').waitFor({ state: 'detached' });
    await page.keyboard.type('9');
    await page.keyboard.press('Escape');
    await page.keyboard.type('2');
    await page.keyboard.press('Enter');
    for (let at = 0; at < 12; at++) {
      await page.keyboard.press('Tab');
      if (await page.locator('.draft-bar button.main:focus').count()) break;
    }
    await page.keyboard.press('Enter');
    await page.getByText('2 objects saved').waitFor();
    assert.deepEqual(await read('/measurements/kb_a'), { name: 'kb_a', datatype: 'd', eu: 'bar', deadband: '0.25' });
    assert.deepEqual(await read('/measurements/kb_b'), { name: 'kb_b', datatype: 'd', deadband: '2' });
  });

  test('what is typed before the cell is drawn that it goes to is all there', async (t) => {
    await put('measurements', 'fast_a', { datatype: 'd' });
    await put('measurements', 'fast_b', { datatype: 'd' });
    const page = await suite.open(t, '/config/measurements?filter=fast_&columns=name,eu,deadband');
    await cell(page, 'fast_a', 'eu').waitFor();
    await page.locator('.edit-table .grid-scroll').focus();
    const typeAtOnce = (keys: readonly string[]) =>
      page.evaluate(`for (const key of ${JSON.stringify(keys)})
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))`);
    await typeAtOnce(['ArrowRight', 'b', 'a', 'r', 'Enter', 'm', 'V', 'Tab', '7', 'Escape']);
    await cell(page, 'fast_a', 'eu').getByText('bar', { exact: true }).waitFor();
    await cell(page, 'fast_b', 'eu').getByText('mV', { exact: true }).waitFor();
    assert.equal(await cell(page, 'fast_b', 'deadband').innerText(), '');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('2 objects saved').waitFor();
    assert.equal((await read('/measurements/fast_a')).eu, 'bar');
  });

  test('a decimal comma is a decimal point in German, and what others changed meanwhile is said', async (t) => {
    await put('measurements', 'komma', { datatype: 'd', deadband: '0.5' });
    const page = await suite.open(t, '/config/measurements/komma', { chosen: { language: 'de' } });
    const deadband = page.locator('[data-field=deadband] input');
    await deadband.waitFor();
    assert.equal(await deadband.inputValue(), '0,5');
    await page.locator('[data-field=deadband] [lang=en]').waitFor();
    await deadband.fill('0,75');
    await put('measurements', 'komma', { datatype: 'd', deadband: '3' });
    await page.getByRole('button', { name: 'Speichern' }).click();
    await page.getByText('Jemand anders hat').waitFor();
    assert.equal((await read('/measurements/komma')).deadband, '3');
    await page.getByRole('button', { name: 'Speichern' }).click();
    await page.getByText('1 Objekt gespeichert').waitFor();
    assert.equal((await read('/measurements/komma')).deadband, '0.75');
  });

  test('many rows get a value at once, are renamed with what refers to them, and deleted after that was said', async (t) => {
    await put('measurements', 'many_1', { datatype: 'd' });
    await put('measurements', 'many_2', { datatype: 'd' });
    await put('alarms', 'many_high', { severity: 1, trgMeasurement: 'many_1', trgOperator: 'gt', trgRefValue: '2' });
    const page = await suite.open(t, '/config/measurements?filter=many_');
    await page.getByRole('button', { name: 'Select all' }).click();
    await page.getByRole('button', { name: 'Set a field' }).click();
    await page.getByLabel('Field', { exact: true }).selectOption('eu');
    await page.getByLabel('Value', { exact: true }).fill('kPa');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('2 objects saved').waitFor();
    assert.equal((await read('/measurements/many_2')).eu, 'kPa');

    await cell(page, 'many_2', 'eu').click();
    await page.locator('.edit-table .grid-scroll').focus();
    await page.keyboard.press('Space');
    await page.getByText('1 selected').waitFor();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('New name').fill('many_one');
    await page.getByRole('dialog').getByText('many_high').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByText('many_1 is many_one when it is rendered').waitFor();
    assert.equal((await read('/alarms/many_high')).trgMeasurement, 'many_one');

    await page.goto(`${suite.server.url}/config/measurements/many_one`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByText('there is no measurement "many_one"').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 object deleted').waitFor();
    await page.goto(`${suite.server.url}/config/changes`);
    await page.getByRole('button', { name: /^Render/ }).click();
    await page.getByText('there is no measurement "many_one"').waitFor();
    await page.getByRole('link', { name: 'alarm many_high' }).waitFor();
    await page.getByRole('button', { name: 'Discard all edits' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard', exact: true }).click();
    await page.getByText('What runs equals the database.').waitFor();
  });

  test('tables leave as CSV and as a workbook, and come back after a dry run', async (t) => {
    const page = await suite.open(t, '/config/alarms');
    for (const [name, begins] of [
      ['CSV', 'name,'],
      ['XLSX', 'PK'],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name, exact: true }).click(),
      ]);
      const path = await download.path();
      const bytes = await readFile(path);
      assert.equal(bytes.toString('latin1', 0, begins.length), begins);
      await page.getByRole('button', { name: 'Upload …' }).click();
      await page
        .getByRole('dialog')
        .locator('input[type=file]')
        .setInputFiles({ name: 'alarms', mimeType: '', buffer: bytes });
      await page.getByRole('dialog').getByText('0 added, 0 changed, 0 deleted, 26 unchanged').waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
    }
    const upload = async (text: string) => {
      await page.getByRole('button', { name: 'Upload …' }).click();
      const file = { name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
      await page.getByRole('dialog').locator('input[type=file]').setInputFiles(file);
    };
    await upload('name;severity\nfrom_file;high\n');
    await page.getByRole('dialog').getByText('row 2, column severity', { exact: true }).waitFor();
    assert.ok(await page.getByRole('button', { name: 'Take it over' }).isDisabled());
    await page.getByRole('button', { name: 'Cancel' }).click();
    await upload('name;severity;trgHysteresis\nfrom_file;2;0,5\n');
    await page.getByRole('dialog').getByText('1 added').waitFor();
    await page.getByRole('button', { name: 'Take it over' }).click();
    await page.getByRole('link', { name: 'from_file' }).waitFor();
    assert.deepEqual(await read('/alarms/from_file'), { name: 'from_file', severity: 2, trgHysteresis: '0.5' });
    await suite.server.send('DELETE', '/alarms/from_file');
  });

  test('a new Modbus connector is made by the form of its stack, and rendered', async (t) => {
    const page = await suite.open(t, '/config/connectors');
    await page.getByRole('button', { name: 'New', exact: true }).click();
    await page.locator('[data-field=stackName] select').waitFor();
    assert.equal(await page.locator('[data-field]').count(), 2, 'the stack is chosen first');
    await page.locator('[data-field=name] input').fill('plc');
    await page.locator('[data-field=stackName] select').selectOption('modbus');
    await page.locator('[data-field="vars.host"] input').fill('127.0.0.1');
    await page.locator('[data-field="vars.parity"] select').selectOption('odd');
    await page.locator('[data-field="vars.tls"] select').selectOption('false');
    await page.locator('[data-field="vars.port"] input').fill('99999');
    await page.locator('[data-field="vars.scanPeriodMs"]').getByText('10 – 3600000 ms').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('[data-field="vars.port"] .form-fault').getByText('must be at most 65535').waitFor();
    await page.locator('[data-field="vars.port"] input').fill('15020');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: /plc$/ }).waitFor();
    assert.deepEqual(await read('/connectors/plc'), {
      name: 'plc',
      stackName: 'modbus',
      vars: { host: '127.0.0.1', parity: 'odd', tls: 'false', port: '15020' },
    });
    await page.goto(`${suite.server.url}/config/changes`);
    await page.getByRole('button', { name: /^Render/ }).click();
    await page.getByText('Rendered: it runs.').waitFor();

    // A point on it: examples of its addresses are there to take.
    await page.goto(`${suite.server.url}/config/measurements?new=1`);
    await page.locator('[data-field=connectorName] input').fill('plc');
    await page.getByText('Address: examples and syntax').click();
    await page.getByRole('button', { name: 'hr100:float32', exact: true }).click();
    assert.equal(await page.locator('[data-field=address] input').inputValue(), 'hr100:float32');
  });

  test('a secret is written and never shown', async (t) => {
    await put('connectors', 'broker', { stackName: 'mqtt', vars: { user: 'me', password: 'hunter22' } });
    const page = await suite.open(t, '/config/connectors/broker');
    const password = page.locator('[data-field="vars.password"] input');
    await password.waitFor();
    assert.equal(await password.inputValue(), '');
    assert.equal(await password.getAttribute('type'), 'password');
    await page.locator('[data-field="vars.user"] input').fill('other');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('1 object saved').waitFor();
    assert.ok(!(await page.content()).includes('hunter22'));
    assert.deepEqual((await read('/connectors/broker')).vars, { user: 'other', password: '***' });
    await suite.server.send('DELETE', '/connectors/broker');
  });

  test('names and texts of the worst kind are names and texts', async (t) => {
    const text = '<img src=x onerror="document.title=\'owned\'">';
    await put('measurements', '__proto__', { datatype: 'd', description: text, properties: { constructor: text } });
    const page = await suite.open(
      t,
      '/config/measurements?filter=__proto__&columns=name,description,properties.constructor',
    );
    await cell(page, '__proto__', 'description').getByText('<img').waitFor();
    await cell(page, '__proto__', 'description').dblclick();
    await page.keyboard.press('End');
    await page.keyboard.type('!');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('1 object saved').waitFor();
    const listed = JSON.parse(await (await suite.server.get('/measurements/__proto__')).text());
    assert.equal(listed.description, `${text}!`);
    await page.goto(`${suite.server.url}/config/changes`);
    await page.getByRole('listitem').filter({ hasText: '__proto__' }).getByText('added').waitFor();
    await page.goto(`${suite.server.url}/config/measurements/__proto__`);
    await page.locator('[data-field="properties.constructor"]').waitFor();
    await page.goto(`${suite.server.url}/config/nonsense`);
    await page.getByText('There is no family nonsense').waitFor();
    assert.notEqual(await page.title(), 'owned');
    await suite.server.send('DELETE', '/measurements/__proto__');
  });

  test('two revisions are compared, and one object of an earlier one is restored', async (t) => {
    const before = (await read('/measurements/tank2_level')).deadband;
    await suite.server.send('POST', '/cfgdb/render?force=1');
    const [newest] = await read<{ id: number }[]>('/cfgdb/revisions');
    const id = newest?.id;
    const object = await read('/measurements/tank2_level');
    await put('measurements', 'tank2_level', { ...object, deadband: '9' });
    const page = await suite.open(t, '/config/revisions');
    await page.getByLabel(`Compare from revision ${id}`).check();
    const change = page.getByRole('listitem').filter({ hasText: 'tank2_level' });
    await change.getByText('9').waitFor();
    await change.getByRole('button').click();
    await page.getByRole('dialog').getByText('deadband').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByText(`Restored from revision ${id}`).waitFor();
    assert.equal((await read('/measurements/tank2_level')).deadband, before);
  });

  test('the past has no configuration of its own, and says so', async (t) => {
    const page = await suite.open(t, '/config/measurements?at=1700000000');
    await page.getByText('The configuration is shown as it is now').waitFor();
    await page.getByRole('button', { name: 'Back to now' }).last().click();
    await page.getByRole('link', { name: 'chlorine_residual', exact: true }).waitFor();
  });
});
