// Kills the process at every step by which an uploaded database takes the place of the old one.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { familyNames } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Configuration } from '../packages/server/src/cfgdb/configuration.ts';
import type { ConfiguredObject } from './database-file.ts';

const child = fileURLToPath(new URL('./crash-in-upload.ts', import.meta.url));
const cleanup = suiteCleanup();
const files = temporaryFolder(cleanup);
const original = join(files, 'original');
const env = { ...process.env, NODE_COMPILE_CACHE: join(files, 'compiled') };
const uploaded: ConfiguredObject[] = [
  { family: 'commands', object: { name: 'fresh', datatype: 'i' } },
  { family: 'measurements', object: { name: 'kept', datatype: 'd' } },
];

function open(folder: string): Configuration {
  return new Configuration({ path: join(folder, 'cfgdb.sqlite'), stacks: [], now: () => Date.now() * 1000 });
}

/** All that a client can see, but for the times. */
function stateOf(folder: string): string {
  const configuration = open(folder);
  const parsed = (json: Uint8Array) => JSON.parse(Buffer.from(json).toString());
  const revisions = configuration.revisions();
  const state = {
    upToDate: configuration.upToDate(),
    collections: familyNames.map((family) => parsed(configuration.list(family))),
    diff: parsed(configuration.diff()),
    revisions,
    contents: revisions.map(({ id }) => parsed(configuration.revision(id, { configuration: true }))),
  };
  configuration.close();
  return JSON.stringify(state, (key, value) => (key === 'time' ? undefined : value));
}

interface Run {
  readonly folder: string;
  readonly signal: string | null;
  readonly calls: readonly string[];
}

/** Lets a child replace the configuration in `folder`, to die before its n-th step; 0: to live. */
async function replaceAndDie(folder: string, n: number): Promise<Run> {
  const args = [child, join(folder, 'cfgdb.sqlite'), JSON.stringify(uploaded), String(n)];
  return promisify(execFile)(process.execPath, args, { env }).then(
    ({ stdout }) => ({ folder, signal: null, calls: JSON.parse(stdout) as string[] }),
    ({ signal, stderr }: { signal: string | null; stderr: string }) => {
      assert.equal(signal, 'SIGKILL', stderr);
      return { folder, signal, calls: [] };
    },
  );
}

function copyOfOriginal(name: string): string {
  const folder = join(files, name);
  cpSync(original, folder, { recursive: true });
  return folder;
}

before(() => {
  mkdirSync(original);
  const configuration = open(original);
  const put = (name: string) =>
    configuration.put('measurements', name, Buffer.from(JSON.stringify({ name, datatype: 'd' })), 'before');
  put('kept');
  put('rendered');
  configuration.render({ force: false }, 'before');
  put('edited');
  configuration.delete('measurements', 'rendered', 'before');
  configuration.close();
});

test('an upload is wholly there or not at all, whichever step the process is killed at', async () => {
  const { folder: replaced, calls } = await replaceAndDie(copyOfOriginal('replaced'), 0);
  const { folder: untouched } = await replaceAndDie(copyOfOriginal('untouched'), 1);
  assert.ok(statSync(join(untouched, 'cfgdb.sqlite-wal')).size > 0, 'nothing is in the write-ahead log alone');
  const [old, fresh] = [stateOf(untouched), stateOf(replaced)];
  assert.ok(old.includes('"last"') && !fresh.includes('"last"'));
  const swap = calls.indexOf('renameSync');
  assert.ok(swap > 0 && calls.filter((call) => call === 'fsyncSync').length >= 2, calls.join(', '));
  const steps = calls.entries();
  const killAtEach = async () => {
    for (const [index, call] of steps) {
      const step = `step ${index + 1} of ${calls.length}, ${call}`;
      const { folder, signal } = await replaceAndDie(copyOfOriginal(`step-${index}`), index + 1);
      assert.equal(signal, 'SIGKILL', `the process survived ${step}`);
      assert.equal(stateOf(folder), index <= swap ? old : fresh, `killed before ${step}`);
      const sqlite = new DatabaseSync(join(folder, 'cfgdb.sqlite'));
      assert.deepEqual(sqlite.prepare('PRAGMA integrity_check').all().map(Object.values), [['ok']], step);
      sqlite.close();
    }
  };
  await Promise.all([killAtEach(), killAtEach()]);
});

test('what a killed upload left behind does not disturb the next one', async () => {
  const { folder, calls } = await replaceAndDie(copyOfOriginal('whole'), 0);
  const left = copyOfOriginal('left');
  await replaceAndDie(left, calls.indexOf('renameSync') + 1);
  await replaceAndDie(left, 0);
  assert.equal(stateOf(left), stateOf(folder));
});
