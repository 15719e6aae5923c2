// What `npm ci` does for the project's own Node beyond installing it: links it where npm did not, and says what it lacks.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';

const scripts = fileURLToPath(new URL('../scripts', import.meta.url));
const skip = process.platform === 'win32' && 'a link on Windows is a script of its own';
const platformPackage = `node-${process.platform}-${process.arch}`;

/** A project whose packages of Node have a program that does as it is told. */
function project(t: TestContext, program: string): string {
  const cwd = temporaryFolder(t);
  const bin = join(cwd, 'node_modules', platformPackage, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'node'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  return cwd;
}

const linked = (cwd: string) => join(cwd, 'node_modules/.bin/node');
const link = (cwd: string) => spawnSync(process.execPath, [join(scripts, 'link-node.js')], { cwd, encoding: 'utf8' });

/** As npm does when the check of its postinstall has failed. */
function complain(cwd: string) {
  const PATH = `${join(cwd, 'node_modules/.bin')}:${process.env.PATH}`;
  return spawnSync('sh', [join(scripts, 'node-does-not-start.sh')], { cwd, encoding: 'utf8', env: { PATH } });
}

test('a link to Node that npm left out is made; one that is there is left alone', { skip }, (t) => {
  const cwd = project(t, 'echo it runs');
  assert.deepEqual([link(cwd).status, link(cwd).status], [0, 0]);
  assert.equal(spawnSync(linked(cwd), { encoding: 'utf8' }).stdout, 'it runs\n');
  const other = project(t, 'exit 1');
  mkdirSync(join(other, 'node_modules/.bin'));
  symlinkSync('/bin/true', linked(other));
  assert.equal(link(other).status, 0);
  assert.equal(readlinkSync(linked(other)), '/bin/true');
});

test('where there is no package of Node for this machine, nothing is made', { skip }, (t) => {
  const cwd = temporaryFolder(t);
  assert.equal(link(cwd).status, 0);
  assert.equal(existsSync(join(cwd, 'node_modules')), false);
});

test('a Node that lacks libatomic is reported in one line, with what to install', { skip }, (t) => {
  const cwd = project(
    t,
    'echo "node: error while loading shared libraries: libatomic.so.1: cannot open" >&2; exit 127',
  );
  link(cwd);
  const { status, stdout, stderr } = complain(cwd);
  assert.deepEqual([status, stdout], [1, '']);
  assert.match(stderr, /^telltale: .*libatomic\.so\.1.*: apt-get install libatomic1\n$/);
});

test('a Node that does not start for another reason is not said to lack libatomic', { skip }, (t) => {
  const cwd = project(t, 'echo "Illegal instruction" >&2; exit 132');
  link(cwd);
  const { status, stderr } = complain(cwd);
  assert.deepEqual([status, stderr], [1, '']);
});
