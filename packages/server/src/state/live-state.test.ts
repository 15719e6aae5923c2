import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { ManualClock } from '@telltale/schema/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { problemOf } from '../../test/points-bench.ts';
import { LiveState, type LiveStateOptions } from './live-state.ts';

let folder: string;
const open: LiveState[] = [];
const failures: Error[] = [];

beforeEach((t) => {
  folder = temporaryFolder(t);
});

afterEach(async () => {
  for (const state of open.splice(0)) await state.close(2000);
  failures.length = 0;
});

/** The state, what it had, and the thread that keeps it. */
async function start(share?: LiveStateOptions['share']) {
  let thread: Worker | undefined;
  process.once('worker', (worker) => {
    thread = worker;
  });
  const state = new LiveState({ folder, onFailure: (error) => failures.push(error), ...(share && { share }) });
  const stored = await state.open();
  open.push(state);
  return { state, stored, thread: thread as Worker };
}

/** Ends it and opens what it left. */
async function reopened(state: LiveState) {
  await state.close(2000);
  const { stored } = await start();
  return stored;
}

const command = (name: string, value: string, timeUs = 1) => ({ name, value, timeUs });
const simulation = { value: 'd1', quality: 0x80c0, sinceUs: 5, untilUs: undefined, by: 'anna' };
const alarm = { state: 'ACT_UNACK', timeUs: 7, authority: 'anna' } as const;
const disabled = { name: 'connector plc', by: 'anna', timeUs: 7, reason: 'new pump' };
const upload = { name: 'pump/executable', sums: [{ bytes: 3, sha256: 'ab'.repeat(32) }] };

describe('the live state of several nodes', () => {
  test('is acknowledged when the others have it as well, in the order of the calls; uploads are each node’s own', async () => {
    const shared: string[] = [];
    const answers: PromiseWithResolvers<void>[] = [];
    const { state } = await start((entries) => {
      shared.push(...entries.map(({ family, name, text }) => `${family} ${name} ${text}`));
      const answer = Promise.withResolvers<void>();
      answers.push(answer);
      return answer.promise;
    });
    let acknowledged = 0;
    const saved = [state.saveCommand(command('a', 'd1')), state.deleteAlarm('b')];
    for (const each of saved)
      each.then(
        () => acknowledged++,
        () => undefined,
      );
    await state.storeUpload(upload);
    assert.deepEqual([acknowledged, shared], [0, ['commands a {"value":"d1","timeUs":1}', 'alarms b null']]);
    answers[0]?.resolve();
    answers[1]?.reject(new Error('nobody has it'));
    await saved[0];
    await assert.rejects(saved[1] as Promise<void>, /nobody has it/);
  });

  test('is alone here while nobody is to have it, and takes over what another node has stored', async () => {
    const { state } = await start(() => undefined);
    await state.saveCommand(command('a', 'd1'));
    await state.adopt([{ family: 'commands', name: 'b', text: '{"value":"d2","timeUs":3}' }]);
    assert.deepEqual((await reopened(state)).commands, [command('a', 'd1'), command('b', 'd2', 3)]);
  });
});

describe('the live state', () => {
  test('has nothing at first, and afterwards the newest of everything that was kept and not forgotten', async () => {
    const { state, stored } = await start();
    assert.deepEqual(stored, { commands: [], alarms: [], simulations: [], uploads: [], disabledLinks: [] });
    await Promise.all([
      state.saveCommand(command('a', 'd1')),
      state.saveCommand(command('a', 'd2', 9)),
      state.saveCommand(command('__proto__', 's"\u0000\ud83d\ude00')),
      state.saveCommand(command('gone', 'd1')),
      state.deleteCommand('gone'),
      state.deleteCommand('never'),
      state.saveSimulation({ name: 'a', ...simulation }),
      state.saveAlarm({ name: 'a', ...alarm }),
      state.deleteAlarm('b'),
      state.storeUpload(upload),
      state.storeUpload({ ...upload, name: 'gone' }),
      state.forgetUpload('gone'),
      state.saveDisabledLink(disabled),
      state.saveDisabledLink({ ...disabled, name: 'provider plc' }),
      state.deleteDisabledLink('provider plc'),
    ]);
    const after = await reopened(state);
    assert.deepEqual(after.commands, [command('__proto__', 's"\u0000\ud83d\ude00'), command('a', 'd2', 9)]);
    const { untilUs: _, ...timeless } = simulation;
    assert.deepEqual(after.simulations, [{ name: 'a', ...timeless }]);
    assert.deepEqual(after.alarms, [{ name: 'a', ...alarm }]);
    assert.deepEqual(after.uploads, [upload]);
    assert.deepEqual(after.disabledLinks, [disabled]);
  });

  test('keeps in the order of the calls, many in one commit', async () => {
    const { state, thread } = await start();
    let commits = 0;
    thread.on('message', () => commits++);
    const done: number[] = [];
    const all = Array.from({ length: 1000 }, (_, at) =>
      state.saveCommand(command(`c${at % 10}`, `i${at}`)).then(() => done.push(at)),
    );
    assert.equal(state.pending, 1000);
    await Promise.all(all);
    assert.deepEqual(
      done,
      all.map((_, at) => at),
    );
    assert.ok(commits <= 2, `${commits} commits`);
    assert.equal(state.pending, 0);
    const { commands } = await reopened(state);
    assert.deepEqual(
      commands.map(({ value }) => value),
      Array.from({ length: 10 }, (_, at) => `i${990 + at}`),
    );
  });

  test('that refuses a commit has changed nothing of it, says why, and takes the next', async () => {
    const { state } = await start();
    await state.saveCommand(command('before', 'd1'));
    await state.close(2000);
    const sqlite = new DatabaseSync(join(folder, 'state.sqlite'));
    sqlite.exec(`CREATE TRIGGER refuse BEFORE INSERT ON kept WHEN NEW.name = 'cursed'
      BEGIN SELECT RAISE(ABORT, 'the sector is bad'); END`);
    sqlite.close();
    const { state: again } = await start();
    const first = again.saveCommand(command('first', 'd1'));
    const group = [command('mate', 'd1'), command('cursed', 'd1'), command('before', 'd2')];
    const outcomes = group.map((each) => problemOf(again.saveCommand(each)));
    await first;
    assert.deepEqual(await Promise.all(outcomes), ['storage-failed', 'storage-failed', 'storage-failed']);
    assert.match(again.failure ?? '', /the sector is bad/);
    await again.saveCommand(command('next', 'd1'));
    assert.equal(again.failure, undefined);
    const { commands } = await reopened(again);
    assert.deepEqual(commands, [command('before', 'd1'), command('first', 'd1'), command('next', 'd1')]);
  });

  test('reports what is missing until it is on disk that somebody knows it', async () => {
    const { state } = await start();
    await state.saveCommand(command('a', 'd1'));
    await state.close(2000);
    rmSync(join(folder, 'state.sqlite'));
    const { state: found } = await start();
    const [reported = ''] = found.missing;
    assert.match(reported, /^state\.sqlite lacks the last 1 of 1 change, /);
    await found.close(2000);
    const { state: again } = await start();
    const control = join(folder, 'state.control');
    renameSync(control, `${control}-elsewhere`);
    mkdirSync(control);
    assert.equal(await problemOf(again.acknowledgeMissing()), 'storage-failed');
    assert.deepEqual([again.missing, failures], [[reported], []]);
    rmdirSync(control);
    renameSync(`${control}-elsewhere`, control);
    await again.acknowledgeMissing();
    assert.deepEqual(again.missing, []);
    await again.close(2000);
    const { state: last } = await start();
    assert.deepEqual(last.missing, []);
  });

  test('tries a disk that refused again by itself, and reports the trouble and of its end', async () => {
    const { state } = await start();
    await state.close(2000);
    const sqlite = new DatabaseSync(join(folder, 'state.sqlite'));
    sqlite.exec("CREATE TRIGGER refuse BEFORE INSERT ON kept BEGIN SELECT RAISE(ABORT, 'the sector is bad'); END");
    sqlite.close();
    const clock = new ManualClock();
    const reported: (string | undefined)[] = [];
    const onFault = (reason: string | undefined) => reported.push(reason);
    const again = new LiveState({ folder, onFailure: (error) => failures.push(error), onFault, clock });
    await again.open();
    open.push(again);
    for (let times = 0; times < 2; times++) {
      assert.equal(await problemOf(again.saveCommand(command('a', 'd1'))), 'storage-failed');
    }
    clock.advance(999);
    assert.deepEqual([reported, clock.pending], [['the sector is bad'], 1]);
    clock.advance(1);
    while (again.failure !== undefined) await new Promise(setImmediate);
    assert.deepEqual([reported, clock.pending], [['the sector is bad', undefined], 0]);
  });

  test('on a disk that is full has everything that it acknowledged, and nothing that it refused', {
    skip: process.platform === 'win32',
  }, async () => {
    const child = fileURLToPath(new URL('../../test/full-disk.ts', import.meta.url));
    const limited = `ulimit -f 600; exec "$0" "$1" "$2"`;
    const run = promisify(execFile);
    const { stdout } = await run('sh', ['-c', limited, process.execPath, child, folder]);
    const { taken, failure } = JSON.parse(stdout) as { taken: string[]; failure: string };
    assert.ok(taken.length > 0 && taken.length < 420, `${taken.length} were taken`);
    assert.notEqual(failure, '');
    const { state, stored } = await start();
    assert.deepEqual(stored.commands.map(({ name }) => name).sort(), taken.sort());
    await state.saveCommand(command('later', 'd1'));
  });

  test('that is closed writes what waits, and refuses what comes later', async () => {
    const { state } = await start();
    const all = Array.from({ length: 50 }, (_, at) => state.saveCommand(command(`c${at}`, 'd1')));
    const more = all[0]?.then(() => state.saveCommand(command('during', 'd1')));
    const closed = state.close(5000);
    await Promise.all([...all, more, closed]);
    assert.equal(await problemOf(state.saveCommand(command('late', 'd1'))), 'storage-failed');
    const { stored } = await start();
    assert.equal(stored.commands.length, 51);
  });

  test('that was never opened, or is closed twice, refuses and does not hang', async () => {
    const state = new LiveState({ folder, onFailure: assert.fail });
    assert.equal(await problemOf(state.saveCommand(command('a', 'd1'))), 'storage-failed');
    await state.close(1000);
    const { state: other } = await start();
    await other.close(1000);
    await other.close(1000);
  });

  test('whose thread dies says so, leaves nobody waiting, and closes', async () => {
    const { state, thread } = await start();
    await state.saveCommand(command('a', 'd1'));
    thread.terminate();
    assert.equal(await problemOf(state.saveCommand(command('b', 'd1'))), 'storage-failed');
    assert.equal(failures.length, 1);
    assert.equal(await problemOf(state.saveCommand(command('c', 'd1'))), 'storage-failed');
    await state.close(1000);
    const { stored } = await start();
    assert.deepEqual(stored.commands, [command('a', 'd1')]);
  });

  test('refuses a file of another application, of a newer version, of no database, and a folder that is not there', async () => {
    const path = join(folder, 'state.sqlite');
    const refusal = () =>
      new LiveState({ folder, onFailure: assert.fail }).open().then(
        () => assert.fail('it was opened'),
        (error: Error) => {
          assert.equal(error.name, 'UnusableDatabase');
          return error.message;
        },
      );
    const make = (sql: string) => {
      rmSync(path, { force: true });
      const sqlite = new DatabaseSync(path);
      sqlite.exec(sql);
      sqlite.close();
    };
    make('CREATE TABLE kept (name); PRAGMA application_id = 7');
    assert.match(await refusal(), /belongs to another application/);
    make(`CREATE TABLE kept (name); PRAGMA application_id = ${0x54745374}; PRAGMA user_version = 99`);
    assert.match(await refusal(), /newer version .*form 99/);
    make(`CREATE TABLE other (name); PRAGMA application_id = ${0x54745374}; PRAGMA user_version = 1`);
    assert.match(await refusal(), /cannot be opened/);
    writeFileSync(path, 'this is no database, but it is long enough to be looked at'.repeat(50));
    assert.match(await refusal(), /cannot be opened/);
    rmSync(folder, { recursive: true });
    assert.match(await refusal(), /cannot be opened/);
  });
});
