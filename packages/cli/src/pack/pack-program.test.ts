import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Refused } from '../declaration.ts';
import { packProgram } from './pack-program.ts';

const root = temporaryFolder(suiteCleanup());

/** A folder with these files; the program is `main.ts`. */
function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(root, 'src-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const pack = (files: Record<string, string>, main = 'main.ts') => packProgram(join(folderWith(files), main));

/** As the service runs it: by a path from the folder that it runs in, with little in its environment. */
function run(text: string, { uid, node = process.execPath }: { uid?: number; node?: string } = {}) {
  const folder = mkdtempSync(join(root, 'run-'));
  chmodSync(folder, 0o711);
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'home'));
  writeFileSync(join(folder, 'bin/program'), text, { mode: 0o755 });
  const { status, stdout, stderr } = spawnSync('../bin/program', ['one', 'two'], {
    cwd: join(folder, 'home'),
    env: { PATH: '/usr/bin:/bin', TELLTALE_NODE: node },
    encoding: 'utf8',
    ...(uid !== undefined && { uid, gid: uid }),
  });
  return { status, stdout, stderr };
}

describe('a packed program', { skip: process.platform === 'win32' && 'function modules run on Linux' }, () => {
  test('is one file with everything that it imports, and runs where none of that is', async () => {
    const { text, files } = await pack({
      'main.ts': `
        import limits from './data/limits.json' with { type: 'json' };
        import { half, type Halved } from './part/half.ts';
        import { readFileSync } from 'node:fs';
        const value: Halved = half(limits.high as number);
        console.log(value, typeof readFileSync, process.argv.slice(2).join());`,
      'part/half.ts': `
        import { two } from '../two.js';
        export type Halved = { half: number };
        export const half = (value: number): Halved => ({ half: value / two });`,
      'two.js': 'export const two = 2;',
      'data/limits.json': '{"high": 84}',
    });
    assert.deepEqual(files, ['main.ts', 'data/limits.json', 'part/half.ts', 'two.js']);
    assert.deepEqual(run(text), { status: 0, stdout: '{ half: 42 } function one,two\n', stderr: '' });
  });

  test('is the same bytes from wherever it was packed, and reports nothing of that place', async () => {
    const files = {
      'main.ts': "import '@telltale/client/module'; import 'far'; import './a.ts'; console.log(import.meta.url);",
      'a.ts': 'export {};',
    };
    const manifest = '{"name": "far", "main": "far.js"}';
    const far = { 'far/package.json': manifest, 'far/far.js': 'exports.isFar = require("node:fs") !== undefined;' };
    const below = (folder: string, texts: Record<string, string>) =>
      Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${folder}/${name}`, text]));
    const here = await pack({ ...files, ...below('node_modules', far) });
    const there = await pack({ ...below('a/b/c', files), ...below('a/node_modules', far) }, 'a/b/c/main.ts');
    assert.equal(here.text, there.text);
    assert.equal(here.text.includes(dirname(root)), false);
    const [, map = ''] = /sourceMappingURL=data:application\/json;base64,(.*)\n$/.exec(here.text) ?? [];
    const { sources } = JSON.parse(Buffer.from(map, 'base64').toString()) as { sources: string[] };
    assert.ok(sources.includes('module:///main.ts') && sources.includes('module:///far/far.js'), sources.join());
    assert.equal(/\.\.|\/packages\//.test(sources.join() + here.text.replaceAll(/ \.\.\.|\.\.\./g, '')), false);
    assert.equal(run(here.text).stdout.startsWith('file:'), true);
  });

  test('takes CommonJS packages, and what TypeScript makes code of', async () => {
    const { text } = await pack({
      'main.ts': `#!/usr/bin/env node
        import { createRequire } from 'node:module';
        import far from 'far';
        const require = createRequire(import.meta.url);
        enum Side { left, right }
        console.log(far.optional, Side[1], typeof require('node:fs').readFileSync);`,
      'node_modules/far/package.json': '{"name": "far", "main": "far.cjs"}',
      'node_modules/far/far.cjs': `const { join } = require('path');
        try { exports.optional = require('speed-up'); } catch { exports.optional = join('no', 'speed-up'); }`,
    });
    assert.deepEqual(run(text), { status: 0, stdout: 'no/speed-up right function\n', stderr: '' });
  });

  test('names the files of other packages by these, also where they lie below the program', async () => {
    const { files } = await pack({
      'package.json': '{"name": "plant"}',
      'main.ts': "import './packages/part/src/half.ts'; import './own/two.ts';",
      'packages/part/package.json': '{"name": "@plant/part"}',
      'packages/part/src/half.ts': 'export {};',
      'own/two.ts': 'export {};',
    });
    assert.deepEqual(files, ['main.ts', '@plant/part/src/half.ts', 'own/two.ts']);
  });

  test('finds the client in an empty folder, and asks for its environment', async () => {
    const { text, files } = await pack({
      'main.ts': `import { module } from '@telltale/client/module';
        await module(process.env, { cycleMs: 1000, cycle() {} });`,
    });
    assert.ok(files.includes('@telltale/client/src/module.ts'));
    assert.equal(files.filter((file) => /typebox/.test(file)).length, 0, 'it is small');
    const { status, stderr } = run(text);
    assert.equal(status, 1);
    assert.match(stderr, /The environment has no TELLTALE_MODULE, TELLTALE_BASE_URL, /);
    assert.match(stderr, / at .*module:\/\/\/main\.ts:2:15/, 'and a stack says where in the source');
  });

  test('runs nothing of the program while it is packed', async () => {
    const trace = join(root, 'trace');
    const effect = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(trace)}, '');`;
    await pack({ 'main.ts': `import './part.ts'; ${effect}`, 'part.ts': `${effect} await new Promise(() => {});` });
    assert.equal(existsSync(trace), false);
  });

  test('a package.json above the program that cannot be read is passed over where it is none, else refused', async () => {
    const files = { 'inner/package.json': '{}', 'inner/main.ts': '' };
    await pack({ ...files, 'package.json/none.txt': '' }, 'inner/main.ts');
    await assert.rejects(pack({ ...files, 'package.json': '{"name": ' }, 'inner/main.ts'), {
      name: 'Refused',
      message: /package\.json:1 Unexpected end of file in JSON/,
    });
  });

  test('what is missing or wrong is refused, with the place', async () => {
    const cases: [Record<string, string>, RegExp][] = [
      [
        { 'main.ts': "import './nothing.ts';" },
        /main\.ts:1 Could not resolve "\.\/nothing\.ts": install it, or take the import out/,
      ],
      [{ 'main.ts': "import 'no-such-package';" }, /main\.ts:1 Could not resolve "no-such-package"/],
      [
        { 'main.ts': "import { b } from './a.ts'; b();", 'a.ts': 'export const a = 1;' },
        /main\.ts:1 No matching export in "a\.ts" for import "b"/,
      ],
      [{ 'main.ts': '\nconst x = ;' }, /main\.ts:2 Unexpected ";"/],
      [{ 'main.js': '\nconst x = ;' }, /main\.js:2 Unexpected ";"/],
      [{ 'main.ts': "import './a.node';", 'a.node': '' }, /main\.ts:1 No loader is configured for "\.node" files/],
      [{ 'main.ts': "import 'https://example.com/a.js';" }, /main\.ts:1 Only files can be packed/],
    ];
    for (const [files, reason] of cases) {
      const [main] = Object.keys(files);
      await assert.rejects(pack(files, main), (error) => {
        assert.ok(error instanceof Refused, String(error));
        assert.match(error.message, reason);
        return true;
      });
    }
  });

  const isRoot = process.getuid?.() === 0;
  test('runs as another user in a folder that is closed to it', { skip: !isRoot && 'only root may' }, async (t) => {
    chmodSync(root, 0o700);
    const { text } = await pack({ 'main.ts': "console.log('it runs');" });
    const node = join(temporaryFolder(t), 'node');
    cpSync(process.execPath, node);
    chmodSync(dirname(node), 0o755);
    assert.equal(run(text, { uid: 61_200, node }).stdout, 'it runs\n');
  });

  const oldNode = ['/usr/bin/node'].find((path) =>
    /^v(?:1\d|2[0-2])\./.test(spawnSync(path, ['-v']).stdout?.toString()),
  );
  test('says so where Node is too old', { skip: oldNode === undefined && 'there is no old Node here' }, async () => {
    const { text } = await pack({ 'main.ts': "console.log('it runs');" });
    const { status, stdout, stderr } = run(text, { node: oldNode ?? '' });
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, /^This needs Node 24 or newer, and \/usr\/bin\/node is v\d+\S+ PATH in env of the module/);
  });
});
