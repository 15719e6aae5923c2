// Promises of --module-user: who a module runs as, the same after a restart, and never as another module.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { moduleFolder } from '../module-folder.ts';
import { isOwnUser, ModuleUsers, UnusableUser } from './module-user.ts';

const passwd =
  'root:x:0:0:root:/root:/bin/sh\nplant:x:1001:1002:,,,:/home/plant:/bin/sh\nbroken:x:one:1\n\n__proto__\n';
const asRoot = { skip: process.getuid?.() === 0 ? false : 'only root can give files away' };

async function fixture(context: TestContext) {
  const folder = temporaryFolder(context);
  const file = join(folder, 'passwd');
  const dynamicUsers = join(folder, 'dynamic');
  const claims = join(folder, 'claims');
  writeFileSync(file, passwd);
  const modules = join(folder, 'modules');
  const open = (setting: string, mayChangeUser = true) =>
    ModuleUsers.open({ setting, folder: modules, mayChangeUser, passwd: file, dynamicUsers, claims });
  const home = (module: string, uid: number) => {
    const path = join(modules, moduleFolder(module), 'home');
    mkdirSync(path, { recursive: true });
    chownSync(path, uid, uid);
  };
  return { open, home, modules, dynamicUsers, file, claims };
}

describe('own', () => {
  test('gives a thousand modules a thousand users, which no account has', async (context) => {
    const { open } = await fixture(context);
    const users = await open('own');
    const names = Array.from({ length: 1000 }, (_, number) => `module_${number}`);
    const uids = names.map((name) => users.userOf(name)?.uid ?? 0);
    assert.equal(new Set(uids).size, 1000);
    assert.ok(uids.every(isOwnUser));
    assert.deepEqual(
      names.map((name) => users.userOf(name)?.uid),
      uids,
    );
    assert.equal(users.userOf('module_0')?.gid, uids[0]);
    assert.equal(users.remark, undefined);
  });

  test('gives a module the same user after a restart, also where another came first', asRoot, async (context) => {
    const { open, home } = await fixture(context);
    const first = (await open('own')).userOf('loop')?.uid ?? 0;
    assert.equal((await open('own')).userOf('loop')?.uid, first);
    home('other', first);
    const users = await open('own');
    assert.equal(users.userOf('other')?.uid, first);
    const second = users.userOf('loop')?.uid ?? 0;
    assert.notEqual(second, first);
    home('loop', second);
    assert.equal((await open('own')).userOf('loop')?.uid, second);
  });

  test('takes no user from homes that are copies, links, or of accounts', asRoot, async (context) => {
    const { open, home, modules } = await fixture(context);
    home('a', 61500);
    home('b', 61500);
    home('c', 1001);
    mkdirSync(join(modules, moduleFolder('d')));
    mkdirSync(join(modules, 'target'));
    chownSync(join(modules, 'target'), 61501, 61501);
    symlinkSync(join(modules, 'target'), join(modules, moduleFolder('d'), 'home'));
    const users = await open('own');
    const uids = ['a', 'b', 'c', 'd', '__proto__'].map((name) => users.userOf(name)?.uid ?? 0);
    assert.equal(uids.filter((uid) => uid === 61500).length, 1);
    assert.equal(uids.includes(61501), false);
    assert.equal(new Set(uids).size, 5);
    assert.ok(uids.every(isOwnUser));
  });

  test('keeps away from users that an account or a service has', async (context) => {
    const { open, dynamicUsers, file } = await fixture(context);
    const first = (await open('own')).userOf('loop')?.uid ?? 0;
    mkdirSync(dynamicUsers);
    writeFileSync(join(dynamicUsers, String(first)), '');
    assert.notEqual((await open('own')).userOf('loop')?.uid, first);
    rmSync(dynamicUsers, { recursive: true });
    assert.equal((await open('own')).userOf('loop')?.uid, first);
    writeFileSync(file, `taken:x:${first}:${first}::/:/bin/sh\n`);
    assert.notEqual((await open('own')).userOf('loop')?.uid, first);
  });

  test('keeps away from users that another server of the machine has, until its data folder is gone', async (context) => {
    const folder = temporaryFolder(context);
    const serve = async (data: string) => {
      mkdirSync(join(folder, data), { recursive: true });
      const claims = join(folder, 'claims');
      const modules = join(folder, data, 'modules');
      const users = await ModuleUsers.open({ setting: 'own', folder: modules, mayChangeUser: true, claims });
      return new Set(Array.from({ length: 300 }, (_, number) => users.userOf(`module_${number}`)?.uid));
    };
    const first = await serve('first');
    assert.deepEqual(await serve('first'), first);
    const second = await serve('second');
    assert.deepEqual([second.size, second.isDisjointFrom(first)], [300, true]);
    rmSync(join(folder, 'first'), { recursive: true });
    assert.equal((await serve('third')).isDisjointFrom(first), false);
  });

  test(
    'counts no user as its own that another server has by now, though a home is still its',
    asRoot,
    async (context) => {
      const folder = temporaryFolder(context);
      const claims = join(folder, 'claims');
      const serve = (data: string) =>
        ModuleUsers.open({ setting: 'own', folder: join(folder, data, 'modules'), mayChangeUser: true, claims });
      mkdirSync(join(folder, 'other'));
      const uid = (await serve('other')).userOf('loop')?.uid ?? 0;
      const home = join(folder, 'here', 'modules', moduleFolder('loop'), 'home');
      mkdirSync(home, { recursive: true });
      chownSync(home, uid, uid);
      const users = await serve('here');
      assert.equal(users.own.has(uid), false);
      assert.notEqual(users.userOf('loop')?.uid, uid);
    },
  );

  test('keeps away from users that have processes, which are of another server', asRoot, async (context) => {
    const { open, home } = await fixture(context);
    const first = (await open('own')).userOf('loop')?.uid ?? 0;
    const process = spawn('sleep', ['100'], { uid: first, gid: first, stdio: 'ignore' });
    context.after(() => process.kill());
    await once(process, 'spawn');
    assert.notEqual((await open('own')).userOf('loop')?.uid, first);
    home('loop', first);
    assert.equal((await open('own')).userOf('loop')?.uid, first);
  });

  test('is given also where nothing can be written about it', async (context) => {
    const { open, claims } = await fixture(context);
    writeFileSync(claims, 'no folder');
    const users = await open('own');
    const uids = ['a', 'b'].map((name) => users.userOf(name)?.uid ?? 0);
    assert.ok(uids.every(isOwnUser) && uids[0] !== uids[1], `${uids}`);
  });

  test('gives a module of another server another user, as a rule', async (context) => {
    const uids = new Set<number | undefined>();
    for (let servers = 0; servers < 4; servers++) {
      const { open } = await fixture(context);
      uids.add((await open('own')).userOf('loop')?.uid);
    }
    assert.ok(uids.size > 1);
  });

  test('is the server itself where that is not root, and it is said', async (context) => {
    const { open } = await fixture(context);
    const users = await open('own', false);
    assert.equal(users.userOf('loop'), undefined);
    assert.match(users.remark ?? '', /run as the server itself: only root/);
  });

  test('lets modules share only where all users are taken', async (context) => {
    const { open } = await fixture(context);
    const users = await open('own');
    for (let number = 0; number < 4336; number++) users.userOf(`module_${number}`);
    const more = ['one_more', 'another'].map((name) => users.userOf(name)?.uid ?? 0);
    assert.deepEqual(more, [65520, 65520]);
    assert.equal(isOwnUser(65520), false);
  });
});

describe('another setting', () => {
  test('server, or who the server is, is the server itself', async (context) => {
    const { open } = await fixture(context);
    assert.equal((await open('server')).userOf('loop'), undefined);
    const me = await open(`${process.getuid?.()}:${process.getgid?.()}`, false);
    assert.equal(me.userOf('loop'), undefined);
  });

  test('is an account by its name, or numbers', async (context) => {
    const { open } = await fixture(context);
    assert.deepEqual((await open('plant')).userOf('loop'), { uid: 1001, gid: 1002 });
    assert.deepEqual((await open('2000')).userOf('loop'), { uid: 2000, gid: 2000 });
    assert.deepEqual((await open('2000:50')).userOf('loop'), { uid: 2000, gid: 50 });
    const [uid = 0, gid = 0] = [process.getuid?.(), process.getgid?.()];
    assert.deepEqual((await open(`${uid}:${gid + 1}`)).userOf('loop'), { uid, gid: gid + 1 });
  });

  const refused: [string, string, RegExp][] = [
    ['a name that no account has', 'nobody-knows', /"nobody-knows" is no account of \/etc\/passwd/],
    ['a name of JavaScript', '__proto__', /is no account/],
    ['an account without numbers', 'broken', /is no account/],
    ['the user of a module or service', '61184', /take one below 61184/],
    ['a number that means none', '4294967295', /beyond the numbers/],
    ['a group that means none', '1000:4294967295', /beyond the numbers/],
  ];
  for (const [title, setting, message] of refused) {
    test(`is refused where it is ${title}`, async (context) => {
      const { open } = await fixture(context);
      await assert.rejects(open(setting), (error) => error instanceof UnusableUser && message.test(error.message));
    });
  }

  test('is refused where the server cannot become another', async (context) => {
    const { open } = await fixture(context);
    await assert.rejects(open('plant', false), /needs a server that is root/);
  });
});
