// What people are shown of values: their unit and sensible decimals. Programs get the exact value.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { before, describe, test } from 'node:test';
import { type LiveMeasurement, systemClock } from '@telltale/schema';
import { run } from '../packages/cli/src/run.ts';
import { CliPlant } from './cli-plant.ts';

const plant = new CliPlant();
const exact = '72.92999999999999';

/** In this process, on a terminal; until the text fits, where it goes on by itself. */
async function onTerminal(args: string[], until?: RegExp): Promise<string> {
  const ended = new AbortController();
  let text = '';
  const stream = {
    isTTY: true,
    columns: 200,
    write: (chunk: string | Uint8Array) => {
      text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      if (until?.test(text)) ended.abort();
      return true;
    },
    once: () => undefined,
  };
  const environment = { TELLTALE_URL: plant.url, NO_COLOR: '1' };
  const input = Readable.from([]);
  const parts = { out: stream, err: stream, input, environment, version: '1', clock: systemClock };
  await run(args, { ...parts, signal: ended.signal });
  return text;
}

describe('what people are shown of a value', () => {
  before(async () => {
    const put = (family: string, name: string, object: object) =>
      plant.server.send('PUT', `/${family}/${name}`, { name, datatype: 'd', ...object });
    await put('measurements', 'ranged', { eu: '%', euRangeLo: '0', euRangeHi: '100', archMode: 'change' });
    await put('measurements', 'precise', { eu: 'm³/h', properties: { precision: '1' } });
    await put('measurements', 'plain', {});
    await put('measurements', 'unread', {});
    await put('commands', 'written', { eu: 'rpm', euRangeLo: '0', euRangeHi: '3000' });
    await put('commands', 'unwritten', { eu: 'rpm' });
    await plant.server.send('POST', '/cfgdb/render');
    for (const name of ['ranged', 'precise', 'plain']) await plant.good('simulate', name, exact);
    await plant.good('write', 'written', '1450.123456');
  });

  test('read shows the unit and sensible decimals on a terminal, and the exact value to programs', async () => {
    const text = await onTerminal(['read', 'ranged', 'precise', 'plain']);
    assert.match(text, /^ranged +72\.93 % +good, /m);
    assert.match(text, /^precise +72\.9 m³\/h +good, /m);
    assert.match(text, /^plain +72\.93 +good, /m);
    const chosen = await onTerminal(['read', '--fields', 'eu,eu-range', 'ranged']);
    assert.match(chosen, /^NAME +UNIT +RANGE\s+ranged +% +0 to 100\s*$/m);
    const { ranged, plain } = await plant.good<Record<string, LiveMeasurement>>('read', 'ranged', 'plain');
    assert.deepEqual([ranged?.vtq[0], ranged?.eu, ranged && 'precision' in ranged], [`d${exact}`, '%', false]);
    assert.equal(plain && 'eu' in plain, false);
  });

  test('a command that was never written is shown without a value', async () => {
    const text = await onTerminal(['read', '--commands', 'written', 'unwritten']);
    assert.match(text, /^written +1450\.1 rpm +\d{4}/m);
    assert.match(text, /^unwritten +– +never/m);
  });

  test('a measurement that was never read is shown without a value', async () => {
    assert.match(await onTerminal(['read', 'unread']), /^unread +– +bad, not connected +never/m);
    assert.match(await onTerminal(['explain', 'unread']), /It shows no value yet, bad, not connected\./);
  });

  test('watch, history and explain show the same', async () => {
    assert.match(await onTerminal(['watch', 'ranged', 'precise'], /precise = .*\n/), /ranged = 72\.93 % {2}good/);
    assert.match(await onTerminal(['watch', '--commands', '--all'], / written = .*\n/), / written = 1450\.1 rpm\n/);
    assert.match(await onTerminal(['history', 'ranged']), / {2}72\.93 % {2}good/);
    const hour = ['history', 'ranged', '--resample', '1h', '--aggregate', 'percent-good,duration-good'];
    assert.match(await onTerminal(hour), / percent-good \d+(\.\d{1,2})? % {2}duration-good \d+(\.\d{1,3})? s /);
    const explained = await onTerminal(['explain', 'precise']);
    assert.match(explained, /^precise = 72\.9 m³\/h {2}good/m);
    assert.match(explained, /forced it to 72\.9 m³\/h at/);
    assert.match(explained, /It shows 72\.9 m³\/h, good/);
  });

  test('the CSV of one point has the unit in its header, and can be imported again', async () => {
    const csv = async (...args: string[]) => (await plant.cli('history', ...args, '--csv')).stdout;
    const text = await csv('ranged');
    assert.match(text, new RegExp(`^name,time,value \\[%\\],quality\r\nranged,[^,]+,${exact},216\r\n`));
    assert.match(await csv('ranged', 'precise'), /^name,time,value,quality\r\n/, 'of several, each has its own');
    const counts = ['ranged', '--resample', '60', '--aggregate', 'count'];
    assert.match(await csv(...counts), /^name,time,value,quality\r\n/, 'a count has no unit');
    const file = join(plant.folder, 'ranged.csv');
    writeFileSync(file, text);
    assert.deepEqual(await plant.good('archive', 'import', file), { records: 1 });
    assert.equal(await csv('ranged'), text);
  });

  test('where there is no history because nothing is archived, it says what to do', async () => {
    const hint = /There are no records of plain .* config set measurements plain archMode=change --render$/m;
    assert.match(await onTerminal(['history', 'plain']), hint);
    assert.match(await onTerminal(['history', 'ranged', '--since', '2d', '--until', '1d']), /in this time\.$/m);
  });

  test('a watch of nothing says so, and a simulation how long it lasts as it was asked for', async () => {
    assert.match(await onTerminal(['watch', 'nobody*'], /match is shown/), /^Nothing matches yet: what comes to/m);
    assert.match(await onTerminal(['simulate', 'plain', '1', '--for', '1h30m']), /simulated, for 1h30m$/m);
    assert.match(await onTerminal(['simulate', 'plain', '1', '--for', '90']), /simulated, for 90 s$/m);
  });

  test('a precision that is no number of decimals is refused at rendering', async () => {
    const object = { name: 'vague', datatype: 'd', properties: { precision: 'high' } };
    await plant.server.send('PUT', '/measurements/vague', object);
    const answer = await plant.server.send('POST', '/cfgdb/render');
    assert.equal(answer.status, 500);
    assert.match(JSON.stringify(await answer.json()), /properties\/precision.*must be a number of decimals: 0 to 15/);
    await plant.server.send('DELETE', '/measurements/vague');
  });
});
