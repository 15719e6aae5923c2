import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { cutPower, hasCompiler, noting } from './cut-power.ts';

let root: string;
const watched = () => join(root, 'files');
const notes = () => join(root, 'notes');

beforeEach((t) => {
  root = temporaryFolder(t);
  rmSync(watched(), { recursive: true, force: true });
  run('fs.mkdirSync(folder)', {});
});

/** Runs some lines in another process; `folder` is the folder. */
function run(lines: string, env: Record<string, string> = noting(watched(), notes())): void {
  const script = `const fs = require('fs'); const folder = ${JSON.stringify(watched())};
    const sync = (path) => { const fd = fs.openSync(path, 'r'); fs.fsyncSync(fd); fs.closeSync(fd); };
    const at = (name) => folder + '/' + name; ${lines}`;
  execFileSync(process.execPath, ['-e', script], { env: { ...process.env, ...env } });
}

function left(share: number): Record<string, string> {
  cutPower(watched(), notes(), { reached: () => share });
  return Object.fromEntries(readdirSync(watched()).map((name) => [name, readFileSync(join(watched(), name), 'utf8')]));
}

describe('a power cut', { skip: hasCompiler() ? false : 'there is no C compiler (cc)' }, () => {
  test('takes what was written and not synced, and leaves what was', () => {
    run(`const fd = fs.openSync(at('a'), 'w'); fs.writeSync(fd, 'kept'); fs.fdatasyncSync(fd); sync(folder);
      fs.writeSync(fd, ' lost'); fs.writeSync(fd, 'KE', 0);`);
    assert.deepEqual(left(0), { a: 'kept' });
  });

  test('takes files, names and removals of a folder that was not synced', () => {
    run(`fs.writeFileSync(at('a'), 'a', { flush: true }); fs.writeFileSync(at('b'), 'b', { flush: true }); sync(folder);
      fs.unlinkSync(at('b')); fs.writeFileSync(at('new'), 'new', { flush: true }); fs.renameSync(at('new'), at('a'));`);
    assert.deepEqual(left(0), { a: 'a', b: 'b' });
  });

  test('leaves names and removals of a folder that was synced, without what was not written through', () => {
    run(`fs.writeFileSync(at('a'), 'a', { flush: true }); sync(folder);
      fs.writeFileSync(at('new'), 'new'); fs.renameSync(at('new'), at('b')); fs.unlinkSync(at('a')); sync(folder);`);
    assert.deepEqual(left(0), { b: '' });
  });

  test('may leave some of what was not synced: the oldest of each file', () => {
    run(`const fd = fs.openSync(at('a'), 'w'); sync(folder); for (const text of ['1', '2', '3', '4']) fs.writeSync(fd, text);
      fs.ftruncateSync(fd, 1);`);
    assert.deepEqual(left(0.4), { a: '12' });
  });
});
