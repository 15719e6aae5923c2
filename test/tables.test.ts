// Tables over HTTP and the command line against the real server: out, changed and in again, tried, rendered, refused whole.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, beforeEach, describe, test } from 'node:test';
import { familyNames, type TableResult, xlsxType } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { clearConfiguration } from './clear-configuration.ts';
import { type CliResult, noTerminal, runCli, runOnTerminal } from './cli-process.ts';
import { ConfigClient } from './config-client.ts';
import { fullest } from './sample-objects.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
const csv = 'text/csv';
let server: ServerProcess;
const client = new ConfigClient(() => server);

before(async () => {
  server = await startServer(cleanup, { data: join(folder, 'data') });
});

beforeEach(() => clearConfiguration(client));

async function get(family: string, query = ''): Promise<string> {
  const { status, text } = await client.ask('GET', `/tables/${family}${query}`);
  assert.equal(status, 200, text);
  return text;
}

async function put(family: string, table: string, query = ''): Promise<TableResult> {
  const { status, text } = await client.ask('PUT', `/tables/${family}${query}`, { raw: table, type: csv });
  assert.equal(status, 200, text);
  return JSON.parse(text) as TableResult;
}

const everything = async () =>
  Object.fromEntries(await Promise.all(familyNames.map(async (family) => [family, await client.read(`/${family}`)])));

describe('a table over HTTP', () => {
  test('of every family comes back as it went out', async () => {
    for (const family of familyNames) {
      await client.done('PUT', `/${family}/x`, { body: fullest(family, 'x') });
    }
    const before = await everything();
    const tables = await Promise.all(familyNames.map(async (family) => [family, await get(family)] as const));
    await clearConfiguration(client);
    for (const [family, table] of tables) assert.equal((await put(family, table)).added, 1);
    assert.deepEqual(await everything(), before);
    for (const [family, table] of tables) assert.equal((await put(family, table)).unchanged, 1);
  });

  test('is a file of its own type and name', async () => {
    const { headers } = await client.ask('GET', '/tables/function-modules?columns=executable');
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.equal(headers.get('content-disposition'), 'attachment; filename="function-modules.csv"');
  });

  test('is a workbook where that is asked for, and either is recognised by its bytes', async () => {
    await client.done('PUT', '/measurements/x', { body: fullest('measurements', 'x') });
    const url = `${server.url}/config/v2/tables/measurements`;
    const byFormat = await fetch(`${url}?format=xlsx`);
    const byHeader = await fetch(url, { headers: { accept: xlsxType } });
    assert.deepEqual(
      [byFormat, byHeader].map(({ headers }) => [headers.get('content-type'), headers.get('content-disposition')]),
      Array.from({ length: 2 }, () => [xlsxType, 'attachment; filename="measurements.xlsx"']),
    );
    const [workbook, same] = [await byFormat.bytes(), await byHeader.bytes()];
    assert.deepEqual(workbook, same);
    await clearConfiguration(client);
    for (const type of [xlsxType, 'application/octet-stream', csv]) {
      const { status, text } = await client.ask('PUT', '/tables/measurements', { raw: workbook, type });
      assert.equal(status, 200, text);
    }
    const untyped = await fetch(url, { method: 'PUT', body: workbook });
    assert.equal(untyped.status, 200, 'as curl sends a file with -T');
    assert.deepEqual(await client.read('/measurements/x'), fullest('measurements', 'x'));
    await client.refused('malformed-xlsx', 'PUT', '/tables/alarms', { raw: workbook.subarray(0, -30), type: xlsxType });
    await client.refused('invalid-query', 'GET', '/tables/alarms?format=ods');
  });

  test('that is tried changes nothing, and tells what would change', async () => {
    await put('measurements', 'name,datatype,deadband\na,d,1\nb,d,1\nc,d,1\n');
    const table = 'name,datatype,deadband\na,d,2\nb,d,1\nd,i,\n';
    const result = await put('measurements', table, '?dry-run=1&delete-missing=1');
    assert.deepEqual(result, {
      rows: 3,
      added: 1,
      changed: 1,
      removed: 1,
      unchanged: 1,
      changes: [
        { name: 'a', row: 2, change: 'changed', fields: [{ field: 'deadband', before: '1', after: '2' }] },
        { name: 'd', row: 4, change: 'added' },
        { name: 'c', change: 'removed' },
      ],
    });
    assert.equal(await get('measurements', '?columns=deadband'), 'name,deadband\r\na,1\r\nb,1\r\nc,1\r\n');
    const { changes: _, ...counts } = result;
    assert.deepEqual(await put('measurements', table, '?delete-missing=1'), counts);
    assert.deepEqual(await client.read('/measurements/names'), ['a', 'b', 'd']);
  });

  test('is taken as a whole or not at all', async () => {
    const table = `name,datatype,enabled\n${Array.from({ length: 50 }, (_, at) => `a${at},d,true\n`).join('')}b,d,maybe\n`;
    const { errors } = await client.refused('invalid-table', 'PUT', '/tables/measurements', { raw: table, type: csv });
    assert.deepEqual(errors, [
      { path: 'row 52, column enabled', message: '"maybe" is neither true nor false: write true or false' },
    ]);
    assert.deepEqual(await client.read('/measurements/names'), []);
  });

  test('that cannot be rendered is refused by row and column, and not stored', async () => {
    const table = 'name,datatype,connectorName,address,properties.archRetention\na,d,,,\nb,d,nowhere,x,soon\n';
    const faults = await client.faulty('render-refused', 'PUT', '/tables/measurements?render=1', {
      raw: table,
      type: csv,
    });
    assert.deepEqual(faults.toSorted(), ['row 3, column connectorName', 'row 3, column properties.archRetention']);
    assert.deepEqual(await client.read('/measurements/names'), []);
    await client.faulty('render-refused', 'PUT', '/tables/measurements?render=1&dry-run=1', { raw: table, type: csv });
    await put('measurements', table.replace('nowhere,x,soon', ',,'), '?render=1');
    assert.deepEqual(await client.read('/cfgdb/render'), { up_to_date: true });
  });

  test('of no form, or of another type, is refused', async () => {
    await client.refused('malformed-csv', 'PUT', '/tables/alarms', { raw: 'name\n"a', type: csv });
    await client.refused('malformed-csv', 'PUT', '/tables/alarms', { raw: Uint8Array.of(0x6e, 0xff), type: csv });
    await client.refused('invalid-table', 'PUT', '/tables/alarms', { raw: '\n', type: csv });
    await client.refused('unsupported-media-type', 'PUT', '/tables/alarms', { raw: '{}', type: 'application/xml' });
    await client.refused('invalid-query', 'GET', '/tables/alarms?columns=priority');
    await client.refused('unknown-path', 'GET', '/tables/stacks');
  });
});

const cli = (...args: string[]): Promise<CliResult> => runCli(args, { url: server.url });

describe('telltale config export and import --table', () => {
  test('write a table and take it again', async () => {
    await client.done('PUT', '/measurements/x', { body: fullest('measurements', 'x') });
    const file = join(folder, 'points.csv');
    assert.equal((await cli('config', 'export', '--table', 'measurements', file)).code, 0);
    assert.equal(readFileSync(file, 'utf8').replace('\ufeff', ''), await get('measurements'));
    const { stdout } = await cli('config', 'export', '--table', 'measurements', '--fields', 'eu,datatype');
    assert.match(stdout, /^\ufeff?name,eu,datatype\r\n/);
    await clearConfiguration(client);
    const imported = await cli('config', 'import', '--table', 'measurements', file);
    assert.deepEqual(JSON.parse(imported.stdout), {
      'dry-run': false,
      rows: 1,
      added: 1,
      changed: 0,
      removed: 0,
      unchanged: 0,
      rendered: false,
    });
    assert.deepEqual(await client.read('/measurements/x'), fullest('measurements', 'x'));
  });

  test('write and take a workbook where the file ends in .xlsx', async () => {
    await put('measurements', 'name,datatype\na,d\n');
    const file = join(folder, 'points.xlsx');
    assert.equal((await cli('config', 'export', '--table', 'measurements', file)).code, 0);
    assert.equal(readFileSync(file).toString('latin1', 0, 2), 'PK');
    const { stdout } = await cli('config', 'import', '--table', 'measurements', file);
    assert.equal((JSON.parse(stdout) as TableResult).unchanged, 1);
  });

  test('say every error with its row and column', async () => {
    const file = join(folder, 'wrong.csv');
    writeFileSync(file, 'name;datatype;archPeriod\na;d;soon\nb;x;\n');
    const { code, stderr } = await cli('config', 'import', '--table', 'measurements', file);
    assert.equal(code, 1);
    assert.match(stderr, /row 2, column archPeriod "soon" is no whole number/);
    assert.match(stderr, /row 3, column datatype must be one of/);
  });

  test('say what is missing from the command line', async () => {
    const file = join(folder, 'plain.csv');
    writeFileSync(file, 'name,datatype\na,d\n');
    assert.match((await cli('config', 'import', file)).stderr, /say of what: --table measurements/);
    assert.match((await cli('config', 'export', '--fields', 'eu')).stderr, /--fields goes with --table/);
    assert.match((await cli('config', 'export', '--table', 'stacks')).stderr, /--table/);
  });

  test('show a dry run as a difference', { skip: noTerminal }, async () => {
    await put('measurements', 'name,datatype,deadband\na,d,1\nb,d,\n');
    const file = join(folder, 'change.csv');
    writeFileSync(file, 'name,datatype,deadband\na,d,2\nc,d,\n');
    const args = ['config', 'import', '--table', 'measurements', file, '--dry-run', '--replace', '--no-color'];
    const { stdout } = runOnTerminal(args, { url: server.url });
    assert.equal(
      stdout.slice(stdout.indexOf('~')).replaceAll('\r', ''),
      '~ measurements/a\n    deadband: "1" → "2"\n+ measurements/c\n- measurements/b\n' +
        'It would work: 1 added, 1 changed, 1 removed, 0 unchanged.\n',
    );
  });
});

describe('telltale config set', () => {
  test('sets fields of what is selected, in one transaction, and tries it first where that is asked for', async () => {
    await put('measurements', 'name,datatype,connectorName,eu\nskid_a,d,plc,m\nskid_b,d,other,m\ntank,d,plc,m\n');
    const args = ['config', 'set', 'measurements', 'skid_*', 'deadband=0.5', 'properties.scanPeriod=250', 'eu='];
    const tried = await cli(...args, '--where', 'connectorName=plc', '--dry-run');
    assert.deepEqual(
      (JSON.parse(tried.stdout) as TableResult).changes?.map(({ name }) => name),
      ['skid_a'],
    );
    assert.deepEqual(JSON.parse((await cli(...args)).stdout).changed, 2);
    assert.deepEqual(await client.read('/measurements/skid_a'), {
      name: 'skid_a',
      datatype: 'd',
      connectorName: 'plc',
      deadband: '0.5',
      properties: { scanPeriod: '250' },
    });
    assert.equal((await client.read<{ eu: string }>('/measurements/tank')).eu, 'm');
  });

  test('says what is wrong, and changes nothing', async () => {
    await put('measurements', 'name,datatype\na,d\n');
    assert.match((await cli('config', 'set', 'measurements', 'b*', 'eu=m')).stderr, /No measurements are selected/);
    assert.match((await cli('config', 'set', 'measurements', 'aa', 'eu=m')).stderr, /There is no measurement "aa"/);
    assert.match((await cli('config', 'set', 'measurements', 'a', 'eu')).stderr, /is not FIELD=VALUE/);
    assert.match((await cli('config', 'set', 'measurements', 'a', 'enabled=maybe')).stderr, /write true or false/);
    const { stderr: unknown } = await cli('config', 'set', 'measurements', 'a', 'dead=1');
    assert.equal(unknown, 'telltale: dead: is no field of measurements. Did you mean deadband? Nothing was changed.\n');
    await put('measurements', 'name,datatype\nc1,d\nc2,d\nc3,d\n');
    const { stderr: wrong, code } = await cli('config', 'set', 'measurements', 'c*', 'area=a/b');
    assert.match(wrong, /^telltale: area of c1 and 2 more: must be a path such as [^\n]*\. Nothing was changed\.\n$/);
    assert.equal(code, 1);
    await cli('config', 'delete', 'measurements', 'c1', 'c2', 'c3');
    assert.equal(await get('measurements', '?columns=eu,enabled'), 'name,eu,enabled\r\na,,\r\n');
  });
});
