// Promises of the store of users, roles, tokens and sessions: a change is on disk, whole, or refused; and a store that has
// lost something is never taken for one that never had anything.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ManualClock } from '@telltale/schema/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { problemOf } from '../../test/points-bench.ts';
import { AccessDatabase, type AccessStoreOptions, type StoredEntry } from './access-store.ts';

const changeAccess = fileURLToPath(new URL('../../test/change-access.ts', import.meta.url));
let folder: string;
const file = () => join(folder, 'access.sqlite');

beforeEach((t) => {
  folder = temporaryFolder(t);
});

async function start(t: TestContext, options: Partial<AccessStoreOptions> = {}) {
  const store = new AccessDatabase({ folder, onFailure: assert.fail, ...options });
  cleanupOf(t).defer(() => store.close(2000));
  return { store, stored: await store.open() };
}

function edit(sql: string): void {
  using sqlite = new DatabaseSync(file());
  sqlite.exec(sql);
}

const anna: StoredEntry = { kind: 'users', key: 'anna', value: { grants: [] } };
const token: StoredEntry = { kind: 'tokens', key: 'x', value: { of: 'anna' } };
const sorted = (entries: readonly StoredEntry[]) =>
  entries.toSorted((a, b) => (`${a.kind} ${a.key}` < `${b.kind} ${b.key}` ? -1 : 1));

describe('the access store', () => {
  test('leaves nothing in its files of what was replaced or deleted', async (t) => {
    const secrets = Array.from({ length: 40 }, (_, at) => ({
      ...anna,
      key: `user ${at}`,
      value: `canary ${at} ${'x'.repeat(at * 50)}`,
    }));
    const { store } = await start(t);
    await store.change(secrets);
    await store.change(secrets.map(({ kind, key }, at) => ({ kind, key, value: at % 2 === 0 ? null : 'sealed' })));
    await store.close(2000);
    for (const name of readdirSync(folder)) {
      assert.ok(!readFileSync(join(folder, name), 'latin1').includes('canary'), name);
    }
  });

  test('has nothing at first, and after each restart the newest of what was changed and not deleted', async (t) => {
    const name = fc.constantFrom('anna', '__proto__', 'constructor', '', 'ü\u0000"');
    const value = fc.option(fc.jsonValue({ maxDepth: 2 }), { nil: null });
    const change = fc.array(fc.record({ kind: name, key: name, value }), { maxLength: 5 });
    const [restarts] = fc.sample(fc.array(fc.array(change, { maxLength: 10 }), { minLength: 4, maxLength: 4 }), 1);
    const expected = new Map<string, StoredEntry>();
    for (const changes of restarts ?? []) {
      const { store, stored } = await start(t);
      assert.deepEqual(sorted(stored), sorted([...expected.values()]));
      await Promise.all(changes.map((entries) => store.change(entries)));
      for (const entry of changes.flat()) {
        const key = JSON.stringify([entry.kind, entry.key]);
        if (entry.value === null) expected.delete(key);
        else expected.set(key, { ...entry, value: JSON.parse(JSON.stringify(entry.value)) });
      }
      await store.close(2000);
    }
  });

  test('can be read by the user of the server alone, its log included', {
    skip: process.platform === 'win32',
  }, async (t) => {
    const { store } = await start(t);
    await store.change([anna]);
    for (const name of [file(), `${file()}-wal`]) assert.equal(statSync(name).mode & 0o777, 0o600, name);
  });

  test('that refuses an entry of a change has changed nothing, says why, and tries the disk again by itself', async (t) => {
    const { store: first } = await start(t);
    await first.change([anna]);
    await first.close(2000);
    edit(`CREATE TRIGGER refuse BEFORE INSERT ON kept WHEN NEW.name = 'x'
      BEGIN SELECT RAISE(ABORT, 'the sector is bad'); END`);
    const clock = new ManualClock();
    const reported: (string | undefined)[] = [];
    const { store } = await start(t, { clock, onFault: (reason) => reported.push(reason) });
    assert.equal(await problemOf(store.change([{ ...anna, value: null }, token])), 'storage-failed');
    assert.equal(store.failure, 'the sector is bad');
    clock.advance(1000);
    while (store.failure !== undefined) await new Promise(setImmediate);
    assert.deepEqual(reported, ['the sector is bad', undefined]);
    await store.close(2000);
    assert.deepEqual((await start(t)).stored, [anna]);
  });

  test('that is closed, or was not opened, refuses', async (t) => {
    const closed = (await start(t)).store;
    await closed.close(2000);
    const never = new AccessDatabase({ folder, onFailure: assert.fail });
    for (const store of [closed, never]) assert.equal(await problemOf(store.change([anna])), 'storage-failed');
  });
});

/** Both entries of each change, or neither. */
function numbersOf(stored: readonly StoredEntry[]): number[] {
  const of = (kind: string) =>
    stored
      .filter((entry) => entry.kind === kind)
      .map(({ value }) => (value as { number: number }).number)
      .sort((a, b) => a - b);
  assert.deepEqual(of('users'), of('tokens'));
  return of('users');
}

describe('of a server whose changes were cut off, every one that was acknowledged is there, and each whole or not', () => {
  test('killed between changes', async (t) => {
    for (let run = 0; run < 4; run++) {
      const child = spawn(process.execPath, [changeAccess, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
      let printed = '';
      const enough = 1 + run * 7;
      for await (const chunk of child.stdout) {
        printed += chunk;
        if (printed.split('\n').length > enough) child.kill('SIGKILL');
      }
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      const acknowledged = printed.slice(0, printed.lastIndexOf('\n')).split('\n').map(Number);
      const { store, stored } = await start(t);
      assert.deepEqual(store.missing, []);
      const numbers = numbersOf(stored);
      assert.deepEqual(numbers, [...numbers.keys()]);
      const [last = 0] = acknowledged.slice(-1);
      assert.ok([last + 1, last + 2].includes(numbers.length), `${numbers.length} after ${last}`);
      await store.close(2000);
    }
  });

  test('on a disk that was full', { skip: process.platform === 'win32' }, async (t) => {
    const limited = 'ulimit -f 400; exec "$0" "$1" "$2"';
    const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, changeAccess, folder]);
    const acknowledged = stdout.trim().split('\n').map(Number);
    assert.ok(acknowledged.length > 3);
    const { store, stored } = await start(t);
    assert.deepEqual(numbersOf(stored), acknowledged);
    await store.change([anna]);
  });
});

describe('a store that lost something', () => {
  async function leave(t: TestContext): Promise<void> {
    const { store } = await start(t);
    await store.change([anna]);
    await store.change([token]);
    await store.close(2000);
  }

  test('is refused where the file is gone or emptied: without it, everybody would be let in', async (t) => {
    for (const lose of [() => rmSync(file()), () => writeFileSync(file(), '')]) {
      await leave(t);
      lose();
      const store = new AccessDatabase({ folder, onFailure: assert.fail });
      await assert.rejects(
        store.open(),
        /access\.sqlite is missing or empty, but had \d changes, .*users 1, tokens 1.*: put it back/,
      );
      rmSync(join(folder, 'access.control'));
      rmSync(file(), { force: true });
    }
  });

  test('says so until somebody knows it, where the last changes are gone', async (t) => {
    const { store } = await start(t);
    await store.change([anna]);
    await store.close(2000);
    const before = join(folder, 'before');
    using sqlite = new DatabaseSync(file());
    sqlite.exec(`VACUUM INTO '${before}'`);
    sqlite.close();
    await leave(t);
    rmSync(file());
    using copy = new DatabaseSync(before);
    copy.exec(`VACUUM INTO '${file()}'`);
    copy.close();
    const { store: old, stored } = await start(t);
    assert.deepEqual(stored, [anna]);
    assert.match(
      old.missing.join(),
      /^access\.sqlite lacks the last 2 of 3 changes, .*: users, roles, tokens and sessions may be older .* what was revoked since may hold again/,
    );
    await old.close(2000);
    const { store: again } = await start(t);
    assert.deepEqual(again.missing, old.missing);
    await again.acknowledgeMissing();
    await again.close(2000);
    assert.deepEqual((await start(t)).store.missing, []);
  });

  test('leaves out a user that is not as it was stored, and names it', async (t) => {
    await leave(t);
    edit(`UPDATE kept SET text = '{"grants":["administrator"]}' WHERE name = 'anna'`);
    const { store, stored } = await start(t);
    assert.deepEqual(stored, [token]);
    assert.match(store.missing.join(), /users anna is damaged, and not used/);
  });
});
