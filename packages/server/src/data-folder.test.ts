// Promises of the data folder: created where it does not exist, refused where unusable, locked by one server at a time.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { takeDataFolder, UnusableFolder } from './data-folder.ts';

const root = temporaryFolder(suiteCleanup());
let count = 0;
const freshPath = () => join(root, `folder${++count}`);

async function refusal(path: string): Promise<string> {
  try {
    (await takeDataFolder(path)).release();
  } catch (error) {
    if (error instanceof UnusableFolder) return error.message;
    throw error;
  }
  return assert.fail(`${path} was taken`);
}

describe('a folder', () => {
  test('that does not exist is made, with those above it, for the owner alone', async () => {
    const path = join(freshPath(), 'deep', 'er');
    const folder = await takeDataFolder(path);
    assert.deepEqual([folder.path, folder.isNew], [path, true]);
    assert.equal(statSync(path).mode & 0o777, 0o700);
    folder.release();
  });

  test('is new while nothing is in it, also after a start that came to nothing', async () => {
    const path = freshPath();
    mkdirSync(path);
    for (let time = 0; time < 3; time++) {
      const folder = await takeDataFolder(path);
      assert.equal(folder.isNew, true);
      folder.release();
    }
    for (const [content, isNew] of [
      ['', true],
      ['x', false],
    ] as const) {
      writeFileSync(join(path, 'cfgdb.sqlite'), content);
      const folder = await takeDataFolder(path);
      assert.equal(folder.isNew, isNew);
      folder.release();
    }
  });

  test('is new again where a first start came to nothing, and nothing that was there before is taken away', async () => {
    const path = freshPath();
    const names = [
      'cfgdb.sqlite',
      'cfgdb.sqlite-wal',
      'cfgdb.control',
      'state.sqlite',
      'access.sqlite',
      'archive',
      'note.txt',
    ];
    for (const left of [['note.txt'], names]) {
      const folder = await takeDataFolder(path);
      for (const name of names) writeFileSync(join(path, name), 'made');
      await folder.discard();
      folder.release();
      assert.deepEqual(
        readdirSync(path)
          .filter((name) => name !== 'telltale.lock')
          .sort(),
        left.toSorted(),
      );
    }
  });

  test('keeps what is in it', async () => {
    const path = freshPath();
    mkdirSync(join(path, 'executables'), { recursive: true });
    writeFileSync(join(path, 'executables', 'loop'), 'bytes');
    (await takeDataFolder(path)).release();
    assert.equal(readFileSync(join(path, 'executables', 'loop'), 'utf8'), 'bytes');
  });

  test('that others may look into is closed to them, where it is a data folder or new', async () => {
    const [known, empty, shared] = [freshPath(), freshPath(), freshPath()];
    for (const path of [known, empty, shared]) mkdirSync(path, { mode: 0o755 });
    writeFileSync(join(known, 'cfgdb.sqlite'), '');
    writeFileSync(join(shared, 'letter.txt'), 'dear');
    for (const path of [known, empty]) {
      const folder = await takeDataFolder(path);
      assert.deepEqual([folder.openTo, statSync(path).mode & 0o777], [undefined, 0o700]);
      folder.release();
    }
    const folder = await takeDataFolder(shared);
    assert.match(folder.openTo ?? '', /^mode 755; it has files of another program$/);
    assert.equal(statSync(shared).mode & 0o777, 0o755);
    folder.release();
  });

  test('may be a link to one', async () => {
    const [path, link] = [freshPath(), freshPath()];
    mkdirSync(path);
    symlinkSync(path, link);
    const folder = await takeDataFolder(link);
    assert.match(await refusal(path), /in use by another running server/);
    folder.release();
  });
});

describe('a folder is refused in one line that says what to do', () => {
  const expected = /cannot be used \(.+\): make it writable, or name another folder with --data\.$/;

  test('where it is a file', async () => {
    const path = freshPath();
    writeFileSync(path, 'text');
    assert.equal(await refusal(path), `${path} is not a folder: name another one with --data.`);
    assert.equal(readFileSync(path, 'utf8'), 'text');
  });

  test('where it is below a file', async () => {
    const path = freshPath();
    writeFileSync(path, 'text');
    const reported = await refusal(join(path, 'data'));
    assert.match(reported, expected);
    assert.ok(reported.startsWith(join(path, 'data')));
    assert.doesNotMatch(reported, /\n/);
  });

  test('where it is a link to nowhere', async () => {
    const path = freshPath();
    symlinkSync(join(root, 'nowhere', 'at', 'all'), path);
    assert.match(await refusal(path), expected);
  });

  test('where its lock is something else, which stays as it was', async () => {
    const path = freshPath();
    mkdirSync(path);
    writeFileSync(join(path, 'telltale.lock'), 'this is no lock, but the letter of somebody, long enough to be read');
    assert.match(
      await refusal(path),
      /^\/\S+telltale\.lock is not a lock file of a server; move it away: it holds no data\.$/,
    );
    assert.deepEqual(readdirSync(path), ['telltale.lock']);
    assert.match(readFileSync(join(path, 'telltale.lock'), 'utf8'), /^this is no lock/);
  });
});

describe('a folder that is taken', () => {
  test('is refused to everyone else until it is released', async () => {
    const path = freshPath();
    const folder = await takeDataFolder(path);
    for (let time = 0; time < 2; time++) {
      const reported = `${path} is in use by another running server: stop that one, or name another folder with --data.`;
      assert.equal(await refusal(path), reported);
    }
    folder.release();
    (await takeDataFolder(path)).release();
  });

  test('does not keep another one from being taken', async () => {
    const [one, other] = [await takeDataFolder(freshPath()), await takeDataFolder(freshPath())];
    one.release();
    other.release();
  });
});
