import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { doctorBench, found, put } from '../../../test/doctor-bench.ts';
import { Database } from '../../cfgdb/database.ts';
import { checkMissingSecrets } from './missing-secrets-check.ts';

test('a secret that the configuration names and that is not there is wrong; the database stays as it is', async (t) => {
  const bench = doctorBench(t);
  assert.deepEqual(await found(checkMissingSecrets, bench), []);
  const database = new Database(join(bench.folder, 'cfgdb.sqlite'));
  const vars = { password: 'file:password', url: 'mqtt://file:1883', odd: 'file:../../etc/passwd' };
  const store = (family: 'connectors' | 'providers', object: { name: string }) => {
    const text = JSON.stringify({ ...object, stackName: 'mqtt', vars });
    database.change(() => database.put({ family, name: object.name, text }, { timeUs: 1, author: 'anna' }));
  };
  store('connectors', { name: 'broker' });
  store('providers', { name: 'panel' });
  database.close();
  const files = readdirSync(bench.folder).sort();
  assert.deepEqual(await found(checkMissingSecrets, bench), [
    'wrong: FOLDER/secrets/broker/password is not there, and connector broker needs it.',
    'wrong: FOLDER/secrets/panel/password is not there, and provider panel needs it.',
  ]);
  assert.deepEqual(readdirSync(bench.folder).sort(), files);
  for (const owner of ['broker', 'panel']) put(join(bench.folder, 'secrets', owner, 'password'), 'hunter2');
  assert.deepEqual(await found(checkMissingSecrets, bench), [
    'ok: Each of the 2 that the configuration names is there.',
  ]);
  assert.deepEqual(await found(checkMissingSecrets, { ...bench, serverPid: 7 }), []);
  writeFileSync(join(bench.folder, 'cfgdb.sqlite-wal'), 'of a server that was killed');
  assert.deepEqual(await found(checkMissingSecrets, bench), []);
  assert.ok(existsSync(join(bench.folder, 'cfgdb.sqlite-wal')));
});
