// Promises of the folders of a module: its home is its user's, what runs is not, no user sees more than before, and
// nothing that it planted there is followed.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, linkSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { prepareHome } from './prepare-home.ts';

const asRoot = { skip: process.getuid?.() === 0 ? false : 'only root can give files away' };
const user = { uid: 61300, gid: 61300 };
const later = { uid: 61301, gid: 61301 };
const modeOf = (path: string) => (lstatSync(path).mode & 0o7777).toString(8);
const ownerOf = (path: string) => lstatSync(path).uid;

async function fixture(context: TestContext) {
  const outside = temporaryFolder(context);
  chmodSync(outside, 0o755);
  const data = join(outside, 'data');
  mkdirSync(data, { mode: 0o700 });
  const folder = join(data, 'modules/loop-0');
  return { outside, data, folder, home: join(folder, 'home'), bin: join(folder, 'bin') };
}

const prepare = (folder: string, who: typeof user | undefined) => prepareHome({ module: 'loop', folder, user: who });

/** Whether this user can. */
function can(who: typeof user, command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { ...who, cwd: '/', stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('a module with a user of its own', asRoot, () => {
  test('has a home that it can write and nobody else sees, and a program that it cannot change and no other reads', async (context) => {
    const { folder, home, bin } = await fixture(context);
    const made = await prepare(folder, user);
    assert.deepEqual(made, { home, bin, missing: [] });
    await prepare(join(folder, '../other'), later);
    assert.deepEqual([modeOf(home), ownerOf(home), modeOf(bin), ownerOf(bin)], ['700', user.uid, '750', 0]);
    assert.ok(can(user, 'touch', join(home, 'state')));
    for (const path of [join(bin, 'x'), join(folder, 'x'), join(folder, '../x'), join(folder, '../../x')]) {
      assert.equal(can(user, 'touch', path), false, path);
    }
    assert.equal(can(user, 'rmdir', bin), false);
    assert.equal(can(later, 'ls', home), false);
    assert.equal(can(later, 'cat', join(home, 'state')), false);
    writeFileSync(join(bin, 'program'), 'x', { mode: 0o755 });
    assert.deepEqual([can(user, 'cat', join(bin, 'program')), can(later, 'cat', join(bin, 'program'))], [true, false]);
  });

  test('passes the data folder and sees nothing else in it, neither what people put there later', async (context) => {
    const { data, folder } = await fixture(context);
    writeFileSync(join(data, 'cfgdb.sqlite'), 'x', { mode: 0o644 });
    await prepare(folder, user);
    mkdirSync(join(data, 'secrets'), { mode: 0o755 });
    writeFileSync(join(data, 'secrets/password'), 'x', { mode: 0o644 });
    mkdirSync(join(folder, 'log'), { mode: 0o700 });
    await prepare(folder, user);
    for (const path of ['', 'modules', 'modules/loop-0', 'modules/loop-0/log', 'secrets']) {
      assert.equal(can(user, 'ls', join(data, path)), false, path);
    }
    for (const path of ['cfgdb.sqlite', 'secrets/password']) {
      assert.equal(can(user, 'cat', join(data, path)), false, path);
    }
    assert.equal(modeOf(data), '711');
  });

  test('changes nothing in a folder that others may list: its owner has decided', async (context) => {
    const { data, folder } = await fixture(context);
    chmodSync(data, 0o755);
    writeFileSync(join(data, 'shared'), 'x');
    chmodSync(join(data, 'shared'), 0o644);
    const { missing } = await prepare(folder, user);
    assert.deepEqual([modeOf(data), modeOf(join(data, 'shared')), missing], ['755', '644', []]);
  });

  test('is said not to reach its home where a folder above does not let it pass', async (context) => {
    const { outside, folder } = await fixture(context);
    chmodSync(outside, 0o700);
    const { missing } = await prepare(folder, user);
    assert.equal(missing.length, 1);
    assert.ok(missing[0]?.startsWith('loop cannot reach its home by its full path'));
    assert.ok(missing[0]?.includes(` ${outside} is closed to it`));
    assert.equal(modeOf(outside), '700');
  });
});

describe('a module whose user is another than before', asRoot, () => {
  test('keeps what it wrote', async (context) => {
    const { folder, home } = await fixture(context);
    await prepare(folder, user);
    mkdirSync(join(home, 'a/b'), { recursive: true });
    writeFileSync(join(home, 'a/b/state'), 'x');
    symlinkSync('state', join(home, 'a/b/link'));
    for (const path of ['a', 'a/b', 'a/b/state']) chownSync(join(home, path), user.uid, user.gid);
    execFileSync('chown', ['-h', `${user.uid}:${user.gid}`, join(home, 'a/b/link')]);
    await prepare(folder, later);
    for (const path of ['', 'a', 'a/b', 'a/b/state', 'a/b/link'])
      assert.equal(ownerOf(join(home, path)), later.uid, path);
    await prepare(folder, undefined);
    assert.equal(ownerOf(join(home, 'a/b/state')), 0);
  });

  test('gets nothing that was not its own, whatever it planted', async (context) => {
    const { outside, folder, home } = await fixture(context);
    await prepare(folder, user);
    const precious = join(outside, 'precious');
    mkdirSync(precious);
    writeFileSync(join(precious, 'file'), 'x');
    // As if it had been its own: by the owner alone nothing could be told.
    for (const path of [precious, join(precious, 'file')]) chownSync(path, user.uid, user.gid);
    symlinkSync(precious, join(home, 'folder'));
    symlinkSync(join(precious, 'file'), join(home, 'file'));
    linkSync(join(precious, 'file'), join(home, 'second-name'));
    writeFileSync(join(home, 'of-root'), 'x');
    mkdirSync(join(home, 'folder-of-root'));
    await prepare(folder, later);
    for (const path of [precious, join(precious, 'file')]) assert.equal(ownerOf(path), user.uid, path);
    for (const path of ['of-root', 'folder-of-root']) assert.equal(ownerOf(join(home, path)), 0, path);
  });

  test('does not hold up the start by a pipe or a deep folder', async (context) => {
    const { folder, home } = await fixture(context);
    await prepare(folder, user);
    execFileSync('mkfifo', [join(home, 'pipe')]);
    mkdirSync(join(home, 'x/'.repeat(200)), { recursive: true });
    await prepare(folder, later);
    assert.equal(ownerOf(home), later.uid);
  });
});

test('a module that runs as the server changes nothing for anybody else', async (context) => {
  const { data, folder, home } = await fixture(context);
  mkdirSync(join(data, 'open'));
  chmodSync(join(data, 'open'), 0o755);
  const { missing } = await prepare(folder, undefined);
  assert.deepEqual(
    [modeOf(data), modeOf(join(data, 'open')), modeOf(folder), modeOf(home)],
    ['700', '755', '700', '700'],
  );
  assert.deepEqual(missing, []);
});

test('a link in the place of a folder is refused, and its target is left as it is', async (context) => {
  for (const name of ['home', 'bin']) {
    const { outside, folder } = await fixture(context);
    const target = join(outside, 'target');
    mkdirSync(target);
    chmodSync(target, 0o750);
    mkdirSync(folder, { recursive: true });
    symlinkSync(target, join(folder, name));
    await assert.rejects(prepare(folder, undefined), /is not a folder/);
    assert.equal(modeOf(target), '750');
  }
});
