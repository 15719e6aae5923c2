// Databases that may be uploaded: what comes of them, and of those who write in the meantime.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { type Family, familyNames, type Problem } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { insertObject, makeDatabase, removeObjects, uploadFile, writeDatabase } from './database-file.ts';
import { costlyFiles } from './hostile-rows.ts';
import { childrenOf, hasProcMemory } from './process-memory.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const strange = 'Füllstand "∆" \\ \n\t 🏭 \u2028 \u0001 __proto__';
/** JSON makes `__proto__` a key like any other; an object literal would not. */
const map = JSON.parse(`{"__proto__": "a", "constructor": "", "10": "b", "9": "c", "🏭": ${JSON.stringify(strange)}}`);

const objects: Record<Family, Record<string, unknown>[]> = {
  alarms: [
    { name: '__proto__', description: strange, severity: Number.MAX_SAFE_INTEGER, enabled: false, properties: map },
    { name: 'constructor', severity: 0, ackMode: 'auto', archMode: 'none', groupName: '' },
  ],
  commands: [{ name: '__proto__', datatype: 'l', initialValue: '-9223372036854775808', archPeriod: 0 }],
  measurements: [
    { name: '__proto__', datatype: 's', description: strange, properties: map },
    { name: 'A'.repeat(64), datatype: 'd', euRangeLo: '0', euRangeHi: '1', deadband: '1%', enabled: true },
    { name: '0', datatype: 'b', stackUmask: 63 },
  ],
  connectors: [{ name: 'toString', stackName: 'simulator', properties: map }],
  providers: [],
  'function-modules': [{ name: '__proto__', executable: 'bin/run', termToKill: 0, queryTimeout: 1, env: map }],
  pictures: [
    {
      name: '__proto__',
      svg: '<svg xmlns="http://www.w3.org/2000/svg">\n<text>__proto__ &lt;img&gt;</text>\n</svg>',
      parameters: map,
    },
  ],
  trends: [
    {
      name: '__proto__',
      description: strange,
      pens: [{ kind: 'alarms', name: '__proto__', axis: strange, visible: true }],
      axes: [{ name: strange, lo: -1e-7, hi: 1e21 }],
    },
  ],
};

/** Of an OPC UA connector. */
const unreachable = { endpointUrl: 'opc.tcp://127.0.0.1:9' };

const cleanup = suiteCleanup();
const data = temporaryFolder(cleanup);
const files = temporaryFolder(cleanup);
const file = join(files, 'upload.sqlite');
let server: ServerProcess;

before(async () => {
  server = await startServer(cleanup, { data, args: ['--max-database-size', String(16 << 20)] });
});

after(async () => {
  const { code, stdout, stderr } = await server.end();
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  assert.doesNotMatch(stdout, /"level":50/, 'the server takes a fault for its own');
});

async function done(answer: Promise<Response>): Promise<void> {
  const { status } = await answer.then(async (response) => ({ status: [response.status, await response.text()] }));
  assert.deepEqual(status, [204, '']);
}

const upload = (bytes: Uint8Array, query = '', to = server) =>
  to.sendBytes('POST', `/cfgdb/database${query}`, 'application/x-sqlite3', bytes);

async function download(from = server): Promise<Uint8Array> {
  const answer = await from.get('/cfgdb/database');
  assert.equal(answer.status, 200);
  return new Uint8Array(await answer.arrayBuffer());
}

async function texts(paths: readonly string[], from = server): Promise<Record<string, string>> {
  const bodies = paths.map(async (path) => [path, await (await from.get(path)).text()]);
  return Object.fromEntries(await Promise.all(bodies));
}

const families = familyNames.map((family) => `/${family}/`);
const everything = [...families, '/cfgdb/diff', '/cfgdb/render', '/cfgdb/revisions'];

async function putAll(): Promise<void> {
  const operations = familyNames.flatMap((family) =>
    objects[family].map((object) => ({ operation: 'put', family, name: object.name, object })),
  );
  await done(server.send('POST', '/cfgdb/txn', { operations }));
}

async function until(condition: () => boolean, otherwise: string): Promise<void> {
  for (const deadline = Date.now() + 5000; !condition(); await setTimeout(2)) {
    assert.ok(Date.now() < deadline, otherwise);
  }
}

const temporaryFiles = () => readdirSync(join(data, 'temporary'));

describe('an upload', () => {
  test('of what was just downloaded changes nothing, not even who changed what and when', async () => {
    await putAll();
    await done(server.send('POST', '/cfgdb/render'));
    await done(server.send('PUT', '/measurements/level', { name: 'level', datatype: 'd' }));
    await done(server.send('DELETE', '/alarms/constructor'));
    const state = await texts(everything);
    const copy = await download();
    await done(upload(copy));
    assert.deepEqual(await texts(everything), state);
    assert.deepEqual(Buffer.from(await download()).equals(copy), true);
    await until(() => temporaryFiles().length === 0, 'the file stays behind');
  });

  test('brings back every object exactly, strange names and maps included', async () => {
    await putAll();
    const state = await texts(families);
    const copy = await download();
    await done(upload(makeDatabase(file, copy, removeObjects)));
    assert.deepEqual(await texts(families), Object.fromEntries(families.map((path) => [path, '{}'])));
    await done(upload(copy));
    assert.deepEqual(await texts(families), state);
    for (const family of familyNames) {
      for (const object of objects[family]) {
        const read = await (await server.get(`/${family}/${object.name}`)).json();
        assert.deepEqual(read, object);
      }
    }
  });

  test('takes the file of a stopped server as it is', async (t) => {
    const other = temporaryFolder(t);
    const source = await startServer(t, { data: other, args: ['--demo'] });
    const state = await texts(families, source).finally(() => source.end());
    copyFileSync(join(other, 'cfgdb.sqlite'), file);
    assert.deepEqual([...readFileSync(file).subarray(18, 20)], [2, 2], 'the file is not in WAL mode');
    const { status, body } = await uploadFile(server.config, file);
    assert.deepEqual([status, body], [204, '']);
    assert.deepEqual(await texts(families), state);
  });

  test('takes a file with fewer columns, without keys and without bookkeeping', async () => {
    const copy = makeDatabase(file, await download(), (sqlite) => {
      removeObjects(sqlite);
      sqlite.exec("DROP TABLE alarms; CREATE TABLE alarms (severity, name); INSERT INTO alarms VALUES (3, 'bare')");
    });
    await done(server.sendBytes('POST', '/cfgdb/database', 'application/octet-stream', copy));
    assert.equal((await texts(families))['/alarms/'], '{"bare":{"name":"bare","severity":3}}');
  });

  for (const [form, fixture] of [
    [6, undefined],
    [1, new URL('./data-folders/format-1/data/cfgdb.sqlite', import.meta.url)],
  ] as const) {
    test(`of form ${form} brings its alarms as they were, and alarms of devices can be put beside them`, async () => {
      const triggered = { name: 'high', severity: 1, trgMeasurement: 'm', trgOperator: 'gt', trgRefValue: '5' };
      const copy = makeDatabase(file, fixture ? readFileSync(fixture) : await download(), (sqlite) => {
        removeObjects(sqlite);
        insertObject(sqlite, { family: 'measurements', object: { name: 'm', datatype: 'd' } });
        insertObject(sqlite, { family: 'alarms', object: triggered });
        if (fixture !== undefined) return;
        sqlite.exec('ALTER TABLE alarms DROP COLUMN connectorName; ALTER TABLE alarms DROP COLUMN address');
        sqlite.exec(`PRAGMA user_version = ${form}`);
      });
      await done(upload(copy, '?render=1'));
      assert.deepEqual(JSON.parse((await texts(families))['/alarms/'] ?? ''), { high: triggered });
      const trip = { name: 'trip', severity: 2, connectorName: 'plc', address: 'ns=1;s=Trip', trgMeasurement: 'm' };
      await done(server.send('PUT', '/connectors/plc', { name: 'plc', stackName: 'opcua', vars: unreachable }));
      await done(server.send('PUT', '/alarms/trip', trip));
      await done(server.send('POST', '/cfgdb/render'));
      assert.deepEqual(JSON.parse((await texts(families))['/alarms/'] ?? ''), { high: triggered, trip });
      const again = await download();
      await done(upload(again, '?render=1'));
      assert.deepEqual(JSON.parse((await texts(families))['/alarms/'] ?? ''), { high: triggered, trip });
      await done(upload(makeDatabase(file, again, removeObjects), '?render=1'));
    });
  }

  test('with render=1 runs what it brought', async () => {
    const copy = makeDatabase(file, await download(), (sqlite) => {
      removeObjects(sqlite);
      insertObject(sqlite, { family: 'measurements', object: { name: 'flow', datatype: 'i', properties: map } });
    });
    await done(upload(copy, '?render=1'));
    assert.deepEqual(await (await server.get('/cfgdb/render')).json(), { up_to_date: true });
    const [newest] = (await (await server.get('/cfgdb/revisions')).json()) as { id: number; running: boolean }[];
    assert.ok(newest?.running);
    const revision = await (await server.get(`/cfgdb/revisions/${newest.id}?configuration=1`)).json();
    const { measurements } = (revision as { configuration: Record<string, unknown> }).configuration;
    assert.deepEqual(measurements, { flow: { name: 'flow', datatype: 'i', properties: map } });
  });

  test('with render=1 that cannot be rendered is refused, naming what is wrong, and changes nothing', async () => {
    await putAll();
    const state = await texts(everything);
    const copy = makeDatabase(file, await download(), (sqlite) =>
      insertObject(sqlite, {
        family: 'measurements',
        object: { name: 'lonely', datatype: 'i', connectorName: 'gone' },
      }),
    );
    const answer = await upload(copy, '?render=1');
    assert.equal(answer.status, 500);
    const { type, errors } = (await answer.json()) as Problem;
    assert.equal(type, '/docs/#problem-render-refused');
    assert.deepEqual(
      errors?.map(({ path }) => path),
      ['/measurements/lonely/connectorName'],
    );
    assert.deepEqual(await texts(everything), state);
  });

  test('that is too large or cut off on its way is refused, and no part of it stays', async () => {
    const state = await texts(everything);
    const large = await upload(new Uint8Array(17 << 20));
    assert.equal(large.status, 413);
    assert.match(((await large.json()) as Problem).detail, /--max-database-size/);
    const request = http.request(`${server.config}/cfgdb/database`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-sqlite3', 'content-length': 1 << 20 },
    });
    request.on('error', () => undefined);
    request.write(new Uint8Array(1 << 19));
    await until(() => temporaryFiles().length > 0, 'the body does not arrive');
    request.destroy();
    await until(() => temporaryFiles().length === 0, 'the file stays behind');
    assert.deepEqual(await texts(everything), state);
  });

  test('holds up no reader while it is being read', {
    skip: !hasProcMemory && 'nothing tells when it is',
  }, async () => {
    const slow = costlyFiles.find(({ title }) => title === 'definitions that take minutes to read');
    slow?.write(file, await download());
    const answer = uploadFile(server.config, file);
    await until(() => childrenOf(server.pid).length > 0, 'the file is not read');
    assert.equal((await server.get('/measurements/')).status, 200);
    assert.ok(childrenOf(server.pid).length > 0, 'the answer came after the upload');
    assert.equal((await answer).status, 500);
  });

  test('loses no write that was acknowledged after it, and replaces all that were before', async () => {
    const copy = makeDatabase(file, await download(), removeObjects);
    const names = Array.from({ length: 400 }, (_, n) => `m${String(n).padStart(3, '0')}`);
    let replaced = false;
    const sure: string[] = [];
    let uploading: Promise<void> | undefined;
    for (const [index, name] of names.entries()) {
      if (index === 20) {
        uploading = done(upload(copy)).then(() => {
          replaced = true;
        });
      }
      if (replaced) sure.push(name);
      await done(server.send('PUT', `/measurements/${name}`, { name, datatype: 'd' }));
      if (sure.length === 20) break;
    }
    await uploading;
    assert.equal(sure.length, 20, 'the upload took longer than all writes');
    const present = (await (await server.get('/measurements/names')).json()) as string[];
    const sent = names.slice(0, names.indexOf(sure.at(-1) as string) + 1);
    assert.deepEqual(present, sent.slice(sent.length - present.length), 'it took some of what came before');
    assert.deepEqual(present.slice(-20), sure);
    assert.ok(!present.includes('m019'), 'it left what came before');
  });
});

test('a data folder may have any name', async (t) => {
  const odd = temporaryFolder(t);
  const folder = join(odd, 'Ä b,c#d?e%20f*g\'h"i');
  mkdirSync(folder);
  const other = await startServer(t, { data: folder, args: ['--demo'] });
  const state = await texts(everything, other);
  await done(upload(await download(other), '', other));
  assert.deepEqual(await texts(everything, other), state);
});

test('a file with damage anywhere is refused as such or read whole', async () => {
  await putAll();
  writeDatabase(file, await download(), () => undefined);
  const good = readFileSync(file);
  let state = 12345;
  const random = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  let refused = 0;
  for (let run = 0; run < 40; run++) {
    const bad = Uint8Array.from(good);
    for (let flips = random(8); flips >= 0; flips--) bad[random(bad.length)] = random(256);
    const answer = await upload(bad);
    const body = await answer.text();
    if (answer.status === 204) continue;
    refused++;
    assert.equal(answer.status, 500, body);
    assert.equal((JSON.parse(body) as Problem).type, '/docs/#problem-upload-refused', body);
  }
  assert.ok(refused > 0 && !server.hasEnded);
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
});
