import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { doctorBench, found, put } from '../../../test/doctor-bench.ts';
import { Database } from '../../cfgdb/database.ts';
import { Seal } from '../../secrets/index.ts';
import { checkSealedSecrets } from './sealed-secrets-check.ts';

const keys = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));

test('a sealed secret that no key of the server opens is wrong', async (t) => {
  const bench = (file?: string) => ({
    ...doctorBench(t, { settings: file === undefined ? [] : ['--secret-key-file', file] }),
    folder,
  });
  const { folder } = doctorBench(t);
  assert.deepEqual(await found(checkSealedSecrets, bench()), []);
  const database = new Database(join(folder, 'cfgdb.sqlite'));
  const password = new Seal(keys.slice(0, 1)).seal({ of: 'connector/broker/password', text: 'canary', bound: {} });
  const text = JSON.stringify({ name: 'broker', stackName: 'mqtt', vars: { users: `anna: password=${password}` } });
  database.change(() => database.put({ family: 'connectors', name: 'broker', text }, { timeUs: 1, author: 'anna' }));
  database.close();
  const file = join(folder, 'key');
  const wrong = ['wrong: No key of --secret-key-file opens the secrets of connector broker.'];
  assert.deepEqual(await found(checkSealedSecrets, bench()), wrong);
  put(file, keys[1] as string);
  assert.deepEqual(await found(checkSealedSecrets, bench(file)), wrong);
  put(file, `${keys[1]}\n${keys[0]}`);
  assert.deepEqual(await found(checkSealedSecrets, bench(file)), ['ok: The key opens all that stand in variables.']);
  put(file, 'no key');
  assert.match((await found(checkSealedSecrets, bench(file))).join(), /wrong: The key file .* has a line that is not/);
});
