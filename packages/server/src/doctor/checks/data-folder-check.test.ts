import assert from 'node:assert/strict';
import { chmodSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { doctorBench, found, put } from '../../../test/doctor-bench.ts';
import { currentFormat } from '../../upgrade/index.ts';
import { checkDataFolder } from './data-folder-check.ts';

const isRoot = process.getuid?.() === 0;
const noModes = process.platform === 'win32' ? 'Windows has no modes' : false;

describe('the data folder', { skip: noModes }, () => {
  test('is there and of the present format', async (t) => {
    const bench = doctorBench(t);
    put(join(bench.folder, 'format.json'), JSON.stringify({ format: currentFormat }));
    const well = await found(checkDataFolder, bench);
    assert.deepEqual(well, [`ok: FOLDER is there, is writable, and of format ${currentFormat}.`]);
  });

  test('that is not there is looked at; in the place of which there is a file is wrong', async (t) => {
    const bench = doctorBench(t);
    rmSync(bench.folder, { recursive: true });
    assert.match((await found(checkDataFolder, bench)).join(), /^note: FOLDER is not there: the first start makes it/);
    writeFileSync(bench.folder, '');
    assert.deepEqual(await found(checkDataFolder, bench), ['wrong: FOLDER is not a folder.']);
    rmSync(bench.folder);
    symlinkSync('/nowhere/at/all', bench.folder);
    assert.match((await found(checkDataFolder, bench)).join(), /^note: /);
  });

  test('that is open to others is looked at', async (t) => {
    const bench = doctorBench(t);
    chmodSync(bench.folder, 0o755);
    assert.deepEqual(await found(checkDataFolder, bench), ['note: FOLDER is open to other users (mode 755).']);
  });

  test('that may not be written is wrong', { skip: isRoot ? 'root may write everywhere' : false }, async (t) => {
    const bench = doctorBench(t);
    chmodSync(bench.folder, 0o500);
    assert.match((await found(checkDataFolder, bench)).join(), /^wrong: FOLDER may not be read and written .*EACCES/);
    chmodSync(bench.folder, 0o700);
  });

  test('of another user is looked at', async (t) => {
    const uid = (process.getuid?.() ?? 0) + 1;
    const bench = doctorBench(t, { machine: { uid } });
    assert.match(
      (await found(checkDataFolder, bench)).join(),
      new RegExp(`^note: FOLDER belongs to user .* you are user ${uid}`),
    );
  });

  test('with a file of another user, as after a start by root, is wrong', {
    skip: isRoot ? false : 'only root makes one',
  }, async (t) => {
    const { chownSync } = await import('node:fs');
    const bench = doctorBench(t);
    put(join(bench.folder, 'archive/block.ttb'), '');
    chownSync(join(bench.folder, 'archive/block.ttb'), 12345, 12345);
    assert.match(
      (await found(checkDataFolder, bench)).join(),
      /^wrong: FOLDER\/archive\/block\.ttb belongs to user 12345/,
    );
  });

  test('of a newer format is wrong, of an older one is looked at', async (t) => {
    const bench = doctorBench(t);
    const state = (format: object) => put(join(bench.folder, 'format.json'), JSON.stringify(format));
    state({ format: currentFormat + 1 });
    assert.match(
      (await found(checkDataFolder, bench)).join(),
      /^wrong: FOLDER is of format \d+, .* a newer one has used it/,
    );
    state({ format: 1 });
    assert.match(
      (await found(checkDataFolder, bench)).join(),
      /^note: FOLDER is of format 1: the next start upgrades it/,
    );
  });
});
