import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { until } from '@telltale/stack-kit/testing';
import {
  isAlive,
  type KeeperBench,
  noBounds,
  openBench,
  path,
  withPython,
} from '../../../test/modules/keeper-bench.ts';
import { systemRefused } from './prepare-run.ts';

const benches: KeeperBench[] = [];
afterEach(async () => {
  for (const each of benches.splice(0)) await each.close();
});
function open(): KeeperBench {
  const bench = openBench();
  benches.push(bench);
  return bench;
}

/** Prints, and then waits to be ended. */
const pending = '#!/bin/sh\necho ready\nwhile :; do sleep 1000; done\n';

describe('what is started', () => {
  test('has the environment that was given, its mark, a home, and nothing else', async () => {
    const { run, ended, keeper, folder, folderId } = open();
    const first = run('#!/bin/sh\nexec env\n', { env: { PATH: path, LANG: 'C.UTF-8', TELLTALE_TOKEN: 'a=b c' } });
    await ended(first);
    const lines = await keeper.readLog({ module: 'm1', lines: 100, stream: 'out' });
    const home = lines.find(({ text }) => text.startsWith('HOME='))?.text.slice(5);
    assert.deepEqual(lines.map(({ text }) => text).sort(), [
      `HOME=${home}`,
      'LANG=C.UTF-8',
      `PATH=${path}`,
      `PWD=${home}`,
      `TELLTALE_RUN=${folderId}.1`,
      'TELLTALE_TOKEN=a=b c',
    ]);
    assert.ok(home?.startsWith(join(folder, 'modules')));
  });

  test('has no open handles but 0, 1 and 2, and reads nothing', withPython, async () => {
    const { run, ended, texts } = open();
    // Python, since a shell opens handles of its own.
    const list = 'import os, sys\nhere = sorted(os.listdir("/proc/self/fd"))\nprint(here, repr(sys.stdin.read()))\n';
    for (let count = 0; count < 3; count++) run(pending);
    await ended(run(`#!/usr/bin/python3 -IS\n${list}`));
    await until('its line is there', () => texts().some((text) => text.startsWith('[')));
    // The one of the listing itself is the fourth.
    assert.deepEqual(
      texts().find((text) => text.startsWith('[')),
      "['0', '1', '2', '3'] ''",
    );
  });

  test('runs in its home, which stays, as a copy that no replaced or deleted upload touches', async () => {
    const { run, started, keeper, ended, texts, folder } = open();
    const script = '#!/bin/sh\necho kept >> kept.txt\ncat kept.txt\nread line < "$0"\necho "$line"\nexec sleep 1000\n';
    const first = run(script, { module: 'loop' });
    await started(first);
    await until('it has printed', () => texts().length === 2);
    const upload = join(folder, 'executables/loop/program');
    writeFileSync(upload, '#!/bin/sh\necho replaced\n');
    rmSync(upload);
    assert.ok(isAlive(await started(first)));
    keeper.stop(first, 1000);
    await ended(first);
    await ended(run(script.replace('exec sleep 1000', 'exit 3'), { module: 'loop' }));
    await until('it has printed again', () => texts().length === 5);
    assert.deepEqual(texts(), ['kept', '#!/bin/sh', 'kept', 'kept', '#!/bin/sh']);
  });
});

describe('what is not started says why', () => {
  let bench: KeeperBench;
  before(() => {
    bench = openBench();
  });
  after(() => bench.close());

  const reasons: [string, string, RegExp][] = [
    ['neither script nor binary', 'hello\n', /neither a script, which begins with #!/],
    ['without an interpreter', '#!\n', /names no interpreter/],
    [
      'with an interpreter that is not there',
      '#!/usr/bin/no-such-shell -e\n',
      /"\/usr\/bin\/no-such-shell", is not there/,
    ],
    ['with lines of Windows', '#!/bin/sh\r\necho\r\n', /"\/bin\/sh", .*CR LF/],
    ['with an interpreter that env does not find', '#!/usr/bin/env no-such\n', /"no-such", is not in the PATH/],
    ['with lines of Windows after env', '#!/usr/bin/env python3\r\n', /"python3", .*CR LF/],
    ['with options after env', '#!/usr/bin/env python3 -u\n', /"python3 -u", is not in the PATH .* write env -S/],
    ['with env -S and no such program', '#!/usr/bin/env -S A=1 no-such -u\n', /"no-such", is not in the PATH/],
    ['a folder for an interpreter', '#!/bin\n', /"\/bin", is not there or not executable/],
    ['empty', '', /is empty/],
  ];
  for (const [what, script, reason] of reasons) {
    test(`an executable ${what}`, async () => {
      const { run, ended, pids } = bench;
      const only = run(script);
      const end = await ended(only);
      assert.ok(end.kind === 'notStarted', JSON.stringify(end));
      assert.match(end.reason, reason);
      assert.ok(!pids.has(only));
    });
  }

  test('but an executable that env finds is started, whatever its options', async () => {
    const { run, ended } = bench;
    const firstLines = ['env sh', 'env -S sh -e', 'env -S A=1 sh', 'env -S -i sh', 'env -S -u A sh -e'];
    for (const line of firstLines) {
      const end = await ended(run(`#!/usr/bin/${line}\nexit 6\n`));
      assert.deepEqual(end, { kind: 'ended', code: 6, signal: undefined }, line);
    }
    assert.deepEqual(await ended(run('#! /bin/sh -e \nexit 6\n')), { kind: 'ended', code: 6, signal: undefined });
  });

  test('a binary for another machine, one without its loader, and none that is cut off at any length', async () => {
    const { run, ended, folder } = bench;
    const binary = readFileSync('/bin/true');
    const other = Buffer.from(binary);
    other.writeUInt16LE(process.arch === 'x64' ? 183 : 62, 18);
    const loaderless = Buffer.from(binary.toString('latin1').replace('/ld-linux', '/no-linux'), 'latin1');
    const start = (bytes: Buffer, name: string) => {
      const executable = join(folder, name);
      writeFileSync(executable, bytes, { mode: 0o755 });
      return ended(run('', { executable, module: name }));
    };
    assert.deepEqual(await start(binary, 'good'), { kind: 'ended', code: 0, signal: undefined });
    const [foreign, lost] = [await start(other, 'foreign'), await start(loaderless, 'lost')];
    assert.match(foreign.kind === 'notStarted' ? foreign.reason : '', /is a binary for (?:ARM64|x86-64), and this/);
    assert.match(lost.kind === 'notStarted' ? lost.reason : '', /the loader of the binary, ".*\/no-linux/);
    for (const length of [4, 5, 63, 64, 100, 1000]) await start(binary.subarray(0, length), `cut${length}`);
  });

  test('no executable, or one with another sum', async () => {
    const { run, ended, folder } = bench;
    const missing = await ended(run('', { executable: join(folder, 'nowhere') }));
    assert.match(missing.kind === 'notStarted' ? missing.reason : '', /has no executable/);
    const script = '#!/bin/sh\nexit 3\n';
    const sha256 = createHash('sha256').update(script).digest('hex');
    assert.deepEqual(await ended(run(script, { sha256 })), { kind: 'ended', code: 3, signal: undefined });
    const end = await ended(run(`${script}#\n`, { sha256 }));
    assert.match(end.kind === 'notStarted' ? end.reason : '', /^the SHA-256 of the executable is .* asks for/);
  });

  test('a machine that has no room just now: it may pass', () => {
    const error = (code: string) => Object.assign(new Error(`${code}: in words`), { code });
    for (const code of ['ENOSPC', 'EDQUOT', 'EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'EIO']) {
      assert.equal(systemRefused(error(code), 'x').mayPass, true, code);
    }
    assert.match(systemRefused(error('ENOSPC'), 'x').message, /disk has no room/);
    assert.equal(systemRefused(error('EACCES'), 'x').mayPass, false);
    assert.match(systemRefused(error('EACCES'), 'x').message, /EACCES: in words/);
  });

  test('a second run of a module whose first has not ended', async () => {
    const { run, started, ended } = bench;
    const first = run(pending, { module: 'loop' });
    await started(first);
    const end = await ended(run(pending, { module: 'loop' }));
    assert.match(end.kind === 'notStarted' ? end.reason : '', /run before has not ended/);
  });

  test('an environment that the system does not take', async () => {
    const { run, ended } = bench;
    const end = await ended(run(pending, { env: { PATH: path, LONG: 'x'.repeat(300_000) } }));
    assert.match(end.kind === 'notStarted' ? end.reason : '', /environment is too long/);
  });
});

describe('what a module prints', () => {
  test('is in its log and is reported to those who watch, by line, in order', async () => {
    const { run, ended, keeper, lines } = open();
    await ended(
      run('#!/bin/sh\nfor i in 1 2 3; do echo out $i; echo err $i >&2; sleep 0.05; done\nprintf unfinished\n'),
    );
    await until('all is told', () => lines.length === 7);
    const read = await keeper.readLog({ module: 'm1', lines: 100, stream: undefined });
    assert.deepEqual(read, lines);
    assert.deepEqual(
      read.filter(({ stream }) => stream === 'out').map(({ text }) => text),
      ['out 1', 'out 2', 'out 3', 'unfinished'],
    );
    assert.deepEqual(
      (await keeper.readLog({ module: 'm1', lines: 2, stream: 'err' })).map(({ text }) => text),
      ['err 2', 'err 3'],
    );
    assert.deepEqual(await keeper.readLog({ module: 'other', lines: 2, stream: undefined }), []);
  });

  test('may be written to /dev/stdout and /dev/stderr, by a user of its own as well', async () => {
    const { run, ended, keeper } = open();
    const script = '#!/bin/sh\necho out > /dev/stdout\necho err > /dev/stderr\necho both | tee /dev/stderr\n';
    const users = process.getuid?.() === 0 ? [undefined, { uid: 61_190, gid: 61_190 }] : [undefined];
    for (const user of users) {
      const module = `m${user?.uid}`;
      const end = await ended(run(script, { module, bounds: { ...noBounds, user } }));
      assert.deepEqual(end, { kind: 'ended', code: 0, signal: undefined });
      const read = async (stream: 'out' | 'err') =>
        (await keeper.readLog({ module, lines: 9, stream })).map(({ text }) => text);
      assert.deepEqual(await read('out'), ['out', 'both']);
      assert.deepEqual(await read('err'), ['err', 'both']);
    }
  });

  test('is kept to its last byte, however much it is at the end', async () => {
    const { run, ended, keeper } = open();
    const script = '#!/bin/sh\nseq 1 200000\necho done\nprintf unfinished\n';
    await ended(run(script));
    const read = await keeper.readLog({ module: 'm1', lines: 3, stream: 'out' });
    assert.deepEqual(
      read.map(({ text }) => text),
      ['200000', 'done', 'unfinished'],
    );
  });

  test('is reported of the modules that are watched, and of no others', async () => {
    const { run, ended, keeper, texts } = open();
    keeper.watchLogs(['b', '__proto__']);
    const runs = ['a', 'b', '__proto__'].map((module) => run(`#!/bin/sh\necho ${module}\n`, { module }));
    await Promise.all(runs.map(ended));
    await until('both are told', () => texts().length === 2);
    assert.deepEqual(texts().sort(), ['__proto__', 'b']);
  });

  test('only so many logs are read at once', async () => {
    const { keeper } = open();
    const reads = Array.from({ length: 50 }, () => keeper.readLog({ module: 'm', lines: 1, stream: undefined }));
    const answers = await Promise.allSettled(reads);
    assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 8);
    assert.deepEqual(await keeper.readLog({ module: 'm', lines: 1, stream: undefined }), []);
  });
});

describe('the keeper', () => {
  test('is started by the first run, has the rights of the server on its folders, and ends with close', async () => {
    const { run, started, ended, keeper, folder, marked, ends } = open();
    assert.equal(keeper.pid, undefined);
    const runs = [run(pending), run("#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 1; done\n")];
    await Promise.all(runs.map(started));
    assert.equal(statSync(join(folder, 'modules')).mode & 0o077, 0);
    await keeper.close(500);
    assert.deepEqual([...ends.keys()].sort(), runs);
    assert.deepEqual(marked(), []);
    assert.equal(keeper.pid, undefined);
    const late = run(pending);
    assert.equal(ends.has(late), false);
    assert.match((await ended(late)).reason ?? '', /The service is stopping/);
    const read = keeper.readLog({ module: 'm1', lines: 1, stream: undefined });
    await assert.rejects(read, { problem: 'stopping' });
  });

  test('reports what the processes of each run use', async () => {
    const { run, usages } = open();
    const busy = run('#!/bin/sh\nsleep 1000 &\nwhile :; do :; done\n');
    const idle = run(pending);
    await until('a full look at both', () => (usages.get(busy)?.cores ?? 0) > 0.2 && usages.has(idle));
    assert.equal(usages.get(busy)?.processes, 2);
    assert.ok((usages.get(idle)?.cores ?? 1) < 0.2);
    assert.ok((usages.get(busy)?.memoryBytes ?? 0) > 500_000);
  });
});
