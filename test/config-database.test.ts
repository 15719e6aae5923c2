// The database file over HTTP: what a download holds, and what an upload replaces. Files that mean harm have a test of
// their own.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, beforeEach, test } from 'node:test';
import { familyNames, type RevisionSummary } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { clearConfiguration } from './clear-configuration.ts';
import { ConfigClient, nameOfProblem } from './config-client.ts';
import { sendRaw } from './raw-http.ts';
import { fullest, smallest } from './sample-objects.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const sqliteType = 'application/x-sqlite3';
const maxDatabaseBytes = 1 << 20;
const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
let server: ServerProcess;
const client = new ConfigClient(() => server);

before(async () => {
  const args = ['--max-database-size', String(maxDatabaseBytes)];
  server = await startServer(cleanup, { data: join(folder, 'data'), args });
});

beforeEach(() => clearConfiguration(client));

async function download(): Promise<Uint8Array> {
  const response = await fetch(`${server.config}/cfgdb/database`);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), sqliteType);
  const bytes = new Uint8Array(await response.arrayBuffer());
  assert.equal(bytes.length, Number(response.headers.get('content-length')));
  return bytes;
}

const upload = (raw: Uint8Array, query = '', type = sqliteType) =>
  client.done('POST', `/cfgdb/database${query}`, { raw, type });

/** The downloaded bytes as a database, opened by another program than the server. */
function opened<Result>(bytes: Uint8Array, read: (sqlite: DatabaseSync) => Result): Result {
  const path = join(folder, 'copy.sqlite');
  writeFileSync(path, bytes);
  const sqlite = new DatabaseSync(path);
  try {
    return read(sqlite);
  } finally {
    sqlite.close();
  }
}

const everything = async () =>
  Object.fromEntries(await Promise.all(familyNames.map(async (family) => [family, await client.read(`/${family}`)])));
const revisions = () => client.read<RevisionSummary[]>('/cfgdb/revisions');

test('a download is a whole SQLite file that holds every object', async () => {
  await client.put('/alarms/__proto__', fullest('alarms', '__proto__'));
  await client.put('/function-modules/m', smallest('function-modules', 'm'));
  opened(await download(), (sqlite) => {
    assert.deepEqual({ ...sqlite.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
    const alarm = sqlite.prepare('SELECT name, trgRefValue, enabled, properties FROM alarms').all();
    assert.deepEqual(
      alarm.map((row) => ({ ...row })),
      [{ name: '__proto__', trgRefValue: '80.5', enabled: 1, properties: '{"another":"","key":"value"}' }],
    );
    assert.equal(sqlite.prepare('SELECT termToKill FROM function_modules').get()?.termToKill, 1000);
  });
});

test('an upload of a download puts everything back, and nothing else stays', async () => {
  for (const family of familyNames) {
    await client.put(`/${family}/small`, smallest(family, 'small'));
    await client.put(`/${family}/full`, fullest(family, 'full'));
  }
  const [saved, bytes] = [await everything(), await download()];
  for (const type of [sqliteType, 'application/octet-stream']) {
    await clearConfiguration(client);
    await client.put('/alarms/late', smallest('alarms', 'late'));
    await upload(bytes, '', type);
    assert.deepEqual(await everything(), saved);
  }
});

test('a file that another program made in the same form is taken', async () => {
  await client.put('/alarms/a', { name: 'a', severity: 1 });
  const bytes = opened(await download(), (sqlite) => {
    sqlite.exec(`INSERT INTO alarms (name, severity, properties) VALUES ('b', 2, '{"z":"1", "a":"2"}')`);
    sqlite.exec('ALTER TABLE measurements DROP COLUMN eu');
    return sqlite.serialize();
  });
  await upload(bytes);
  assert.deepEqual(await client.read('/alarms'), {
    a: { name: 'a', severity: 1 },
    b: { name: 'b', severity: 2, properties: { a: '2', z: '1' } },
  });
});

test('what runs and the revisions stay until the upload is rendered', async () => {
  await client.put('/alarms/a', { name: 'a', severity: 1 });
  const bytes = await download();
  await client.put('/alarms/a', { name: 'a', severity: 2 });
  await client.done('POST', '/cfgdb/render');
  const rendered = await revisions();
  await upload(bytes);
  assert.deepEqual(await revisions(), rendered);
  assert.deepEqual(await client.read('/cfgdb/render'), { up_to_date: false });
  await upload(bytes, '?render=1');
  assert.deepEqual(await client.read('/cfgdb/render'), { up_to_date: true });
  const [newest, ...older] = await revisions();
  assert.equal(newest?.changed, 1);
  assert.deepEqual(older, [{ ...rendered[0], running: false }, ...rendered.slice(1)]);
});

test('with render=1 a file that cannot be rendered is 500 and changes nothing', async () => {
  await client.put('/measurements/m', { name: 'm', datatype: 'd', connectorName: 'nowhere' });
  const bytes = await download();
  await clearConfiguration(client);
  await client.put('/alarms/a', { name: 'a', severity: 1 });
  const [earlier, rendered] = [await everything(), await revisions()];
  const sent = { raw: bytes, type: sqliteType };
  const paths = await client.faulty('render-refused', 'POST', '/cfgdb/database?render=1', sent);
  assert.deepEqual(paths, ['/measurements/m/connectorName']);
  assert.deepEqual(await everything(), earlier);
  assert.deepEqual(await revisions(), rendered);
  await upload(bytes, '?render=0');
  assert.deepEqual(await client.read('/measurements/names'), ['m']);
});

test('a file that is no database, or has an object off its schema, is 500 with the reason', async () => {
  await client.put('/alarms/a', { name: 'a', severity: 1 });
  const earlier = await everything();
  const files = new Map<RegExp, Uint8Array>([
    [/empty/, new Uint8Array()],
    [/not an SQLite database/, Buffer.from('PK\u0003\u0004 this is something else')],
    [/alarms\/a\/severity/, opened(await download(), (sqlite) => changed(sqlite, 'UPDATE alarms SET severity = -1'))],
    [
      /alarms\/not-a-name\/name must be a name/,
      opened(await download(), (sqlite) => changed(sqlite, "UPDATE alarms SET name = 'not-a-name'")),
    ],
  ]);
  for (const [reason, raw] of files) {
    for (const query of ['', '?render=1']) {
      const path = `/cfgdb/database${query}`;
      const { status, detail } = await client.refused('upload-refused', 'POST', path, { raw, type: sqliteType });
      assert.equal(status, 500);
      assert.match(detail, reason);
    }
  }
  assert.deepEqual(await everything(), earlier);
});

function changed(sqlite: DatabaseSync, sql: string): Uint8Array {
  sqlite.exec(sql);
  return sqlite.serialize();
}

test('an object that is called names cannot come in by a file either', async () => {
  await client.put('/alarms/a', { name: 'a', severity: 1 });
  const raw = opened(await download(), (sqlite) => changed(sqlite, "UPDATE alarms SET name = 'names'"));
  await client.refused('upload-refused', 'POST', '/cfgdb/database', { raw, type: sqliteType });
  assert.deepEqual(await client.read('/alarms/names'), ['a']);
});

test('another type is 415, a file over the limit 413, and another parameter 400', async () => {
  const raw = await download();
  for (const type of ['application/json', 'application/sqlite3', 'text/plain']) {
    await client.refused('unsupported-media-type', 'POST', '/cfgdb/database', { raw, type });
  }
  const head = ['POST /config/v2/cfgdb/database HTTP/1.1', 'Host: localhost', `Content-Type: ${sqliteType}`];
  const length = `Content-Length: ${maxDatabaseBytes + 1}`;
  const answer = await sendRaw(server.url, [...head, length, 'Connection: close']);
  assert.equal(nameOfProblem(answer), 'body-too-large');
  assert.match(answer.text, /--max-database-size/);
  const sent = { raw, type: sqliteType };
  assert.deepEqual(await client.faulty('invalid-query', 'POST', '/cfgdb/database?force=1', sent), ['force']);
  assert.deepEqual(await client.faulty('invalid-query', 'POST', '/cfgdb/database?render=2', sent), ['render']);
  const { status, headers } = await client.ask('PUT', '/cfgdb/database', sent);
  assert.deepEqual([status, headers.get('allow')], [405, 'GET, POST, HEAD']);
});

test('a download taken while writes go on is consistent', async () => {
  let writing = true;
  const write = async () => {
    for (let severity = 0; writing; severity++) {
      const put = (name: string) => ({ operation: 'put', family: 'alarms', name, object: { name, severity } });
      await client.done('POST', '/cfgdb/txn', { body: { operations: [put('a'), put('b')] } });
    }
  };
  const read = async () => {
    const seen = new Set<unknown>();
    while (seen.size < 5) {
      const rows = opened(await download(), (sqlite) => sqlite.prepare('SELECT severity FROM alarms').all());
      assert.equal(rows[0]?.severity, rows[1]?.severity);
      seen.add(rows[0]?.severity);
    }
  };
  await Promise.all([write(), read().finally(() => (writing = false))]);
});

test('every answer given here is in the reference of the service', async () => {
  assert.deepEqual(await client.undocumented(), []);
});
