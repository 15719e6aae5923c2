import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join, relative, sep } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { beforeEach, describe, test } from 'node:test';
import { ProblemError, type ProblemName } from '@telltale/schema';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { until } from '../../../../test/until.ts';
import { PaperUploads } from '../../test/paper-uploads.ts';
import { Executables, mostAtOnce } from './executables.ts';

let home: string;
let folder: string;
let outside: string;
let executables: Executables;

beforeEach(async (t) => {
  home = temporaryFolder(t);
  folder = join(home, 'executables');
  outside = join(home, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret'), 'secret', { mode: 0o600 });
  executables = new Executables({ folder, store: new PaperUploads() });
  await executables.open();
});

const put = (module: string, content: string, path?: string) =>
  executables.put(module, path, Readable.from([Buffer.from(content)]));

const get = async (module: string, path?: string) => text((await executables.get(module, path)).stream);

const named = (name: ProblemName) => (error: unknown) => error instanceof ProblemError && error.problem === name;

/** Every file below the folder, as the server made it. */
function files(): string[] {
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return all.filter((name) => !lstatSync(join(folder, name)).isDirectory()).sort();
}

/** Where the server keeps the executable of a module that has one. */
async function placeOf(module: string, path?: string): Promise<string> {
  await put(module, 'old', path);
  const [place, ...others] = files();
  assert.ok(place !== undefined && others.length === 0);
  return join(folder, place);
}

async function hasNone(module: string, path?: string): Promise<void> {
  await assert.rejects(executables.get(module, path), named('no-executable'));
  await assert.rejects(executables.stat(module, path), named('no-executable'));
  await assert.rejects(executables.delete(module, path), named('no-executable'));
}

function outsideIsUntouched(): void {
  assert.deepEqual(readdirSync(outside), ['secret']);
  assert.equal(readFileSync(join(outside, 'secret'), 'utf8'), 'secret');
  assert.equal(lstatSync(join(outside, 'secret')).mode & 0o777, 0o600);
}

describe('an executable', () => {
  const names = [
    '__proto__',
    'constructor',
    'CON',
    'nul',
    'Pump',
    'pump',
    'PUMP',
    '_',
    '0',
    'n'.repeat(64),
    'incoming',
  ];

  test('has a place of its own that the server made, whatever the module is called', async () => {
    for (const name of names) await put(name, `of ${name}`);
    for (const name of names) assert.equal(await get(name), `of ${name}`);
    const places = files();
    assert.equal(
      new Set(places.map((place) => place.toLowerCase())).size,
      names.length,
      'capitals alone tell them apart',
    );
    for (const place of places) {
      for (const part of place.split(sep)) {
        assert.match(part, /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/);
        assert.doesNotMatch(part, /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i, 'Windows takes it for a device');
        assert.ok(part.length < 100);
      }
    }
    for (const name of names) await executables.delete(name, undefined);
    assert.deepEqual(files(), []);
  });

  test('is where the path of the module says, inside the folder of the module', async () => {
    const place = await placeOf('pump', 'bin/deep/loop.py');
    assert.ok(relative(folder, place).endsWith(join('bin', 'deep', 'loop.py')));
    assert.equal(await get('pump', 'bin/deep/loop.py'), 'old');
    assert.equal(executables.pathOf('pump', 'bin/deep/loop.py'), place);
    assert.equal(executables.pathOf('pump', undefined), executables.pathOf('pump', 'executable'));
    await hasNone('pump', 'bin/loop.py');
    await hasNone('pump', 'bin/deep');
    await hasNone('pump', 'bin/deep/loop.py/more');
    await hasNone('pump');
    await hasNone('other', 'bin/deep/loop.py');
  });

  test('makes room for another path of the same module', async () => {
    for (const path of ['bin/run', 'bin', 'bin/run/deep', 'bin/run']) {
      await put('pump', path, path);
      assert.equal(await get('pump', path), path);
    }
    assert.equal(files().length, 1);
  });

  test('is gone when it is deleted, and cannot be deleted twice', async () => {
    await put('pump', 'old');
    await executables.delete('pump', undefined);
    await hasNone('pump');
    assert.deepEqual(files(), []);
  });

  test('that the system does not let go is not deleted, and is still there', {
    skip: process.getuid?.() !== 0 && 'only root can become another user',
  }, async () => {
    await put('pump', 'bytes');
    for (const each of [home, folder, join(folder, '.incoming')]) chmodSync(each, 0o755);
    const [own = ''] = readdirSync(folder).filter((each) => each !== '.incoming');
    chmodSync(join(folder, own), 0o1777); // nobody removes what belongs to others: EPERM
    process.seteuid?.('nobody');
    try {
      await assert.rejects(executables.delete('pump', undefined), named('executable-locked'));
    } finally {
      process.seteuid?.(0);
    }
    assert.equal(await get('pump'), 'bytes');
  });

  test('can be run, whatever the permissions of new files are', async () => {
    const before = process.umask(0o077);
    try {
      await put('pump', '#!/bin/sh\necho it runs\n');
    } finally {
      process.umask(before);
    }
    const stat = await executables.stat('pump', undefined);
    const [place = ''] = files();
    const { uid, gid, size, mode, mtimeMs } = lstatSync(join(folder, place));
    assert.equal((stat.mode ?? 0) & 0o777, 0o755);
    const { atime, ctime, ...others } = stat;
    assert.deepEqual(others, { mode, uid, gid, size, mtime: Math.floor(mtimeMs / 1000) });
    assert.ok(Number.isInteger(atime) && Number.isInteger(ctime));
    assert.equal(execFileSync(join(folder, place), { encoding: 'utf8' }), 'it runs\n');
  });
});

describe('a new executable', () => {
  test('leaves the old bytes, whole, to whoever reads them', async () => {
    const old = Buffer.alloc(3 << 20, 'old');
    await executables.put('pump', undefined, Readable.from([old]));
    const { stream, size } = await executables.get('pump', undefined);
    await put('pump', 'new');
    assert.equal(size, old.length);
    assert.ok((await buffer(stream)).equals(old));
    assert.equal(await get('pump'), 'new');
  });

  test('that does not arrive whole leaves the old one and nothing else', async () => {
    await put('pump', 'old');
    const broken = Readable.from(
      (async function* () {
        yield Buffer.alloc(1 << 20);
        throw new ProblemError('malformed-request', 'The body ended too early.');
      })(),
    );
    await assert.rejects(executables.put('pump', undefined, broken), named('malformed-request'));
    assert.equal(await get('pump'), 'old');
    assert.equal(files().length, 1);
  });

  test('without bytes is refused', async () => {
    await put('pump', 'old');
    await assert.rejects(executables.put('pump', undefined, Readable.from([])), named('invalid-body'));
    await assert.rejects(executables.put('pump', undefined, Readable.from([Buffer.alloc(0)])), named('invalid-body'));
    assert.equal(await get('pump'), 'old');
    assert.equal(files().length, 1);
  });

  test('is one of those that came at the same time, whole', async () => {
    const all = Array.from({ length: 8 }, (_, n) => `${n}`.repeat(1 << 18));
    await Promise.all(all.map((content) => put('pump', content, 'bin/run')));
    assert.ok(all.includes(await get('pump', 'bin/run')));
    assert.equal(files().length, 1);
  });

  test('that a killed server had begun is gone at the next start, and the others stay', async () => {
    await put('pump', 'old');
    writeFileSync(join(folder, '.incoming', 'half'), 'half');
    const again = new Executables({ folder, store: new PaperUploads() });
    await again.open();
    assert.equal(files().length, 1);
    assert.equal(await text((await again.get('pump', undefined)).stream), 'old');
  });
});

describe('a symbolic link is never followed', () => {
  for (const [kind, target] of [
    ['to a file', 'secret'],
    ['to nothing', 'missing'],
    ['to a folder', '.'],
  ] as const) {
    test(`${kind}, in place of the executable`, async () => {
      const place = await placeOf('pump', 'bin/run');
      rmSync(place);
      symlinkSync(join(outside, target), place);
      await hasNone('pump', 'bin/run');
      assert.equal(readlinkSync(place), join(outside, target), 'the link was deleted');
      outsideIsUntouched();
      await put('pump', 'new', 'bin/run');
      assert.ok(lstatSync(place).isFile());
      assert.equal(await get('pump', 'bin/run'), 'new');
      outsideIsUntouched();
    });

    test(`${kind}, in place of a folder on the way`, async () => {
      const place = await placeOf('pump', 'bin/secret');
      const bin = join(place, '..');
      rmSync(bin, { recursive: true });
      symlinkSync(join(outside, target), bin);
      await hasNone('pump', 'bin/secret');
      await assert.rejects(put('pump', 'new', 'bin/secret'), named('storage-failed'));
      assert.equal(readlinkSync(bin), join(outside, target));
      outsideIsUntouched();
      assert.deepEqual(readdirSync(join(folder, '.incoming')), []);
    });

    test(`${kind}, in place of the folder of the module`, async () => {
      const place = await placeOf('pump', 'secret');
      const own = join(place, '..');
      rmSync(own, { recursive: true });
      symlinkSync(join(outside, target), own);
      await hasNone('pump', 'secret');
      await assert.rejects(put('pump', 'new', 'secret'), named('storage-failed'));
      outsideIsUntouched();
    });
  }

  test('in place of the folder for what arrives', async () => {
    rmSync(join(folder, '.incoming'), { recursive: true });
    symlinkSync(outside, join(folder, '.incoming'));
    const again = new Executables({ folder, store: new PaperUploads() });
    await again.open();
    await again.put('pump', undefined, Readable.from([Buffer.from('new')]));
    outsideIsUntouched();
    assert.ok(lstatSync(join(folder, '.incoming')).isDirectory());
  });
});

describe('what is no file is no executable, does not hold up anyone, and is replaced by one:', {
  timeout: 20_000,
}, () => {
  async function isReplaced(place: string): Promise<void> {
    await hasNone('pump');
    assert.ok(existsSync(place));
    await put('pump', 'new');
    assert.equal(await get('pump'), 'new');
  }

  test('a pipe', { skip: process.platform === 'win32' && 'Windows has none in folders' }, async () => {
    const place = await placeOf('pump');
    rmSync(place);
    execFileSync('mkfifo', [place]);
    await isReplaced(place);
  });

  test('a socket', { skip: process.platform === 'win32' && 'Windows has none in folders' }, async () => {
    const place = await placeOf('pump');
    rmSync(place);
    const listener = createServer().listen(place);
    try {
      await isReplaced(place);
    } finally {
      listener.close();
    }
  });

  test('a device', { skip: process.getuid?.() !== 0 && 'only root can make one' }, async () => {
    const place = await placeOf('pump');
    rmSync(place);
    execFileSync('mknod', [place, 'c', '1', '5']);
    await isReplaced(place);
  });

  test('a folder', async () => {
    const place = await placeOf('pump');
    rmSync(place);
    mkdirSync(join(place, 'inside'), { recursive: true });
    await isReplaced(place);
  });
});

describe('uploads and downloads at once', () => {
  const times = <T>(count: number, work: () => T) => Array.from({ length: count }, work);

  test('are bounded, since each has an open file; when one ends there is room for another', async () => {
    const bodies = times(mostAtOnce, () => new PassThrough());
    const uploads = bodies.map((body) => executables.put('pump', undefined, body));
    await assert.rejects(put('pump', 'more'), named('overloaded'));
    for (const body of bodies) body.end('new');
    await Promise.all(uploads);
    await put('pump', 'more');

    let begun = 0;
    const downloads = times(3 * mostAtOnce, async () => {
      const download = await executables.get('pump', undefined);
      begun++;
      return download;
    });
    await until('some have begun', async () => begun === mostAtOnce);
    for (const [ended, download] of downloads.entries()) {
      assert.ok(begun <= ended + mostAtOnce);
      assert.equal(await text((await download).stream), 'more');
    }
    assert.equal(await get('pump'), 'more');
  });

  test('that fail, and reads of the state, leave room as well', async () => {
    for (const _ of times(mostAtOnce + 1, () => 0)) await assert.rejects(put('pump', ''), named('invalid-body'));
    for (const _ of times(mostAtOnce + 1, () => 0)) await hasNone('pump');
    await put('pump', 'new');
    const { stream } = await executables.get('pump', undefined);
    stream.destroy();
    const sizes = await Promise.all(times(200, async () => (await executables.stat('pump', undefined)).size));
    assert.deepEqual(new Set(sizes), new Set([3]));
    await Promise.all(times(mostAtOnce, () => get('pump')));
  });
});
