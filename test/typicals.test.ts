// Typicals over HTTP and the command line against the real server: made, changed by people, restored, downloaded and uploaded.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, beforeEach, describe, test } from 'node:test';
import type { GenerateResult, Typicals } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { clearConfiguration } from './clear-configuration.ts';
import { noTerminal, runCli, runOnTerminal } from './cli-process.ts';
import { ConfigClient } from './config-client.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
let server: ServerProcess;
const client = new ConfigClient(() => server);

before(async () => {
  server = await startServer(cleanup, { data: join(folder, 'data') });
});

const valve = {
  name: 'valve',
  parameters: { valve: {}, base: { default: '0' } },
  objects: {
    measurements: { '{valve}_open': { datatype: 'd', description: 'register {base+1}' } },
    commands: { '{valve}_set': { datatype: 'd' } },
  },
};
const two = [{ valve: 'v1' }, { valve: 'v2', base: 10 }];

async function generate(body: object, query = ''): Promise<GenerateResult> {
  const { status, text } = await client.ask('POST', `/typicals/generate${query}`, { body });
  assert.equal(status, 200, text);
  return JSON.parse(text) as GenerateResult;
}

const typicals = () => client.read<Typicals>('/typicals');
const states = async () =>
  Object.values(await typicals()).flatMap((instances) =>
    Object.values(instances).flatMap((objects) => objects.map(({ name, state }) => `${name} ${state}`)),
  );

beforeEach(async () => {
  await clearConfiguration(client);
  await generate({ type: valve, instances: [] }); // forgets what was cleared
});

describe('typicals over HTTP', () => {
  test('are made, rendered and listed; a dry run changes nothing', async () => {
    assert.equal((await generate({ type: valve, instances: two }, '?dry-run=1&render=1')).added, 4);
    assert.deepEqual(await typicals(), {});
    await generate({ type: valve, instances: two }, '?render=1');
    assert.deepEqual(await client.read('/cfgdb/render'), { up_to_date: true });
    assert.deepEqual(await client.read('/measurements/v2_open'), {
      name: 'v2_open',
      description: 'register 11',
      datatype: 'd',
    });
    assert.deepEqual((await typicals()).valve?.v1, [
      { family: 'commands', name: 'v1_set', state: 'made' },
      { family: 'measurements', name: 'v1_open', state: 'made' },
    ]);
  });

  test('come from a workbook, too', async () => {
    await client.ask('PUT', '/tables/alarms', { raw: `name,severity\nv1,1\n`, type: 'text/csv' });
    const workbook = await (await fetch(`${server.config}/tables/alarms?format=xlsx&columns=severity`)).bytes();
    const type = {
      name: 'of_alarms',
      parameters: { name: {}, severity: {} },
      objects: { measurements: { '{name}_m': { datatype: 'i', description: '{severity+1}' } } },
    };
    await generate({ type, file: Buffer.from(workbook).toString('base64') });
    assert.equal((await client.read<{ description: string }>('/measurements/v1_m')).description, '2');
    await generate({ type, instances: [] }, '?delete-missing=1');
    assert.deepEqual(await client.read('/measurements/names'), []);
  });

  test('are refused whole, with places, and what cannot be rendered with the row that made it', async () => {
    const wrong = [{ valve: 'v1', bas: 1 }];
    assert.deepEqual(
      await client.faulty('invalid-typical', 'POST', '/typicals/generate', { body: { type: valve, instances: wrong } }),
      ['/instances/0/bas'],
    );
    const objects = { measurements: { '{valve}_x': { datatype: 'd', connectorName: 'nowhere', address: '{base}' } } };
    const { errors } = await client.refused('render-refused', 'POST', '/typicals/generate?render=1', {
      body: { type: { ...valve, objects }, instances: two },
    });
    assert.match(errors?.[1]?.message ?? '', /\(\/instances\/1\)$/);
    assert.deepEqual([await typicals(), await client.read('/measurements/names')], [{}, []]);
    const file = Buffer.from('valve\n"v1').toString('base64');
    await client.refused('malformed-csv', 'POST', '/typicals/generate', { body: { type: valve, file } });
    await client.refused('invalid-body', 'POST', '/typicals/generate', { body: { type: valve } });
    await client.refused('json-too-deep', 'POST', '/typicals/generate', { raw: '['.repeat(100) });
  });

  test('keep what people changed, and are what they were when a revision is restored', async () => {
    await generate({ type: valve, instances: two }, '?render=1');
    const [{ id }] = await client.read<[{ id: number }]>('/cfgdb/revisions');
    await client.done('PUT', '/measurements/v1_open', { body: { name: 'v1_open', datatype: 'i' } });
    await client.done('DELETE', '/commands/v2_set');
    const { kept } = await generate(
      { type: valve, instances: [{ valve: 'v1', base: 5 }, ...two.slice(1)] },
      '?render=1',
    );
    assert.deepEqual(
      kept.map(({ name, change, fields }) => [name, change, fields?.length]),
      [
        ['v1_open', 'changed', 2],
        ['v2_set', 'deleted', undefined],
      ],
    );
    assert.deepEqual(await states(), ['v1_set made', 'v1_open changed', 'v2_set deleted', 'v2_open made']);
    await client.done('POST', `/cfgdb/revisions/${id}/restore`);
    assert.deepEqual(await states(), ['v1_set made', 'v1_open made', 'v2_set made', 'v2_open made']);
    const again = await generate({ type: valve, instances: two });
    assert.deepEqual([again.unchanged, again.kept], [4, []]);
  });

  test('go with the database: downloaded, uploaded again, or uploaded from before there were any', async () => {
    await generate({ type: valve, instances: two });
    await client.done('PUT', '/measurements/v1_open', { body: { name: 'v1_open', datatype: 'i' } });
    const before = await typicals();
    const bytes = new Uint8Array(await (await server.get('/cfgdb/database')).arrayBuffer());
    const upload = (raw: Uint8Array) => client.done('POST', '/cfgdb/database', { raw, type: 'application/x-sqlite3' });
    await clearConfiguration(client);
    await upload(bytes);
    assert.deepEqual(await typicals(), before);
    const path = join(folder, 'older.sqlite');
    writeFileSync(path, bytes);
    const change = (sql: string) => {
      using sqlite = new DatabaseSync(path);
      sqlite.exec(sql);
    };
    change('DROP TABLE typicals; PRAGMA user_version = 3');
    await upload(readFileSync(path));
    assert.deepEqual([await typicals(), (await client.read<string[]>('/measurements/names')).length], [{}, 2]);
    for (const sql of [
      `UPDATE typicals SET made = '{"name":"v1_open","datatype":"?"}'`,
      `UPDATE typicals SET type = 'a b'`,
      `UPDATE typicals SET instance = printf('%.2000c', 'x')`,
      `UPDATE typicals SET family = 'stacks' WHERE family = 'commands'`,
    ]) {
      writeFileSync(path, bytes);
      change(sql);
      const raw = readFileSync(path);
      await client.refused('upload-refused', 'POST', '/cfgdb/database', { raw, type: 'application/x-sqlite3' });
    }
  });

  test('survive a restart', async () => {
    await generate({ type: valve, instances: two }, '?render=1');
    const before = await typicals();
    await server.end();
    server = await startServer(cleanup, { data: join(folder, 'data') });
    assert.deepEqual([await typicals(), await client.read('/cfgdb/render')], [before, { up_to_date: true }]);
    assert.equal((await generate({ type: valve, instances: two })).unchanged, 4);
  });

  test('are made by the ten thousand', async () => {
    const instances = Array.from({ length: 5000 }, (_, at) => ({ valve: `n${at}`, base: at }));
    assert.equal((await generate({ type: valve, instances })).added, 10_000);
    assert.equal((await generate({ type: valve, instances })).unchanged, 10_000);
    assert.equal((await generate({ type: valve, instances: [] }, '?delete-missing=1')).removed, 10_000);
  });
});

describe('telltale config generate and typicals', () => {
  const [type, table] = [join(folder, 'valve.json'), join(folder, 'valves.csv')];
  const cli = (...args: string[]) => runCli(['config', ...args], { url: server.url });

  test('make objects from files, and list them', async () => {
    writeFileSync(type, JSON.stringify(valve));
    writeFileSync(table, 'valve;base\nv1;\nv2;10\n');
    const made = await cli('generate', type, table, '--render');
    assert.equal(made.code, 0, made.stderr);
    const { added, rendered } = JSON.parse(made.stdout);
    assert.deepEqual([added, rendered], [4, true]);
    assert.deepEqual(JSON.parse((await cli('typicals', 'valve')).stdout), await typicals());
    writeFileSync(table, JSON.stringify(two));
    assert.equal(JSON.parse((await cli('generate', type, table)).stdout).unchanged, 4);
    writeFileSync(table, 'valve,bse\nv1,1\n');
    const refused = await cli('generate', type, table);
    assert.deepEqual([refused.code, /row 1, column bse.*Did you mean base/s.test(refused.stderr)], [1, true]);
    writeFileSync(type, '{');
    assert.match((await cli('generate', type, table)).stderr, /valve\.json is not JSON/);
  });

  test('show what changes, and what people changed', { skip: noTerminal }, async () => {
    writeFileSync(type, JSON.stringify(valve));
    writeFileSync(table, 'valve,base\nv1,\nv2,10\nv3,\n');
    await generate({ type: valve, instances: [...two, { valve: 'v4' }] });
    await client.done('PUT', '/measurements/v1_open', {
      body: { name: 'v1_open', datatype: 'd', description: 'mine' },
    });
    await client.done('DELETE', '/commands/v2_set');
    const changed = JSON.stringify(valve).replace('{base+1}', '{base+2}');
    writeFileSync(type, changed);
    const { stdout } = runOnTerminal(['config', 'generate', type, table, '--dry-run', '--no-color'], {
      url: server.url,
    });
    assert.equal(
      stdout.slice(stdout.indexOf('~')).replaceAll('\r', ''),
      [
        '~ measurements/v2_open',
        '    description: "register 11" → "register 12"',
        '+ commands/v3_set',
        '+ measurements/v3_open',
        '! measurements/v1_open  changed by hand, stays so',
        '    description: "mine" by hand, "register 2" in the type, which was "register 1"',
        '! commands/v2_set  deleted by hand, stays so',
        '? commands/v4_set  no longer made; --delete-missing deletes it',
        '? measurements/v4_open  no longer made; --delete-missing deletes it',
        'It would work: 2 added, 1 changed, 0 removed, 3 unchanged.',
        '',
      ].join('\n'),
    );
  });
});
