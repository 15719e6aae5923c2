import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const cache = 'node_modules/.cache/telltale';

/** A program of two modules, a thread and a stack, with the launcher beside it, as they stand in the repository. */
const tree: Record<string, string> = {
  'packages/tiny/bin.mjs': `import { launch } from '../launcher/src/launch.js';
    await launch({ name: 'tiny', source: 'packages/tiny/src/main.ts', parts: ['packages/tiny', 'stacks/*'], documents: ['docs/*.md'] });`,
  'docs/guide.md': '# A guide\n',
  'packages/tiny/package.json': '{"name": "tiny", "type": "module"}',
  'packages/tiny/src/main.ts': `import { Worker } from 'node:worker_threads';
    import { word } from './word.ts';
    const from: string = import.meta.url.endsWith('.ts') ? 'sources' : 'build';
    new Worker(new URL('./echo.ts', import.meta.url)).on('message', (heard: string) => console.log(from, word, heard));`,
  'packages/tiny/src/word.ts': "export const word: string = 'one';",
  'packages/tiny/src/echo.ts': `import { parentPort } from 'node:worker_threads';
    import { word } from './word.ts';
    const from: string = import.meta.url.endsWith('.ts') ? 'sources' : 'build';
    parentPort?.postMessage(\`\${from} \${word}\`);`,
  'stacks/wire/package.json':
    '{"type": "module", "telltale": {"stack": "./src/stack.ts"}, "dependencies": {"far": "1"}}',
  'stacks/wire/src/stack.ts': "export default { name: 'wire' as string, load: () => import('far') };",
};

let root: string;

const put = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
/** What it prints: where it and its thread run from, each with the word. */
async function run(): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(root, 'packages/tiny/bin.mjs')], {
    env: {},
  });
  assert.equal(stderr, '');
  return stdout.trim();
}
const builds = (place = cache) => readdirSync(join(root, place)).filter((name) => name.startsWith('tiny-'));
/** Only a build that is used prints it. */
const mark = () => {
  for (const build of builds()) {
    const path = join(root, cache, build, 'tiny.mjs');
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('"build"', '"marked build"'));
  }
};

beforeEach((t) => {
  root = temporaryFolder(t as TestContext);
  for (const [path, text] of Object.entries(tree)) put(path, text);
  cpSync(join(repository, 'packages/launcher'), join(root, 'packages/launcher'), { recursive: true });
  mkdirSync(join(root, 'node_modules'));
  for (const name of ['esbuild', '@esbuild']) {
    symlinkSync(join(repository, 'node_modules', name), join(root, 'node_modules', name));
  }
});

describe('a program', () => {
  test('runs from a build, its threads as well, and from the same one when nothing has changed', async () => {
    assert.equal(await run(), 'build one build one');
    mark();
    assert.equal(await run(), 'marked build one build one');
    assert.equal(builds().length, 1);
  });

  test('is built again when a source has changed, though it is as long and as old as before', async () => {
    await run();
    mark();
    const path = join(root, 'packages/tiny/src/word.ts');
    put('packages/tiny/src/word.ts', "export const word: string = 'two';");
    utimesSync(path, 0, 0);
    assert.equal(await run(), 'build two build two');
    put('packages/tiny/src/word.ts', "export const word: string = 'six';");
    utimesSync(path, 0, 0);
    assert.equal(await run(), 'build six build six');
  });

  test('is not built again when its sources are only newer, or are as they were before', async () => {
    await run();
    mark();
    put('packages/tiny/src/word.ts', "export const word: string = 'one';");
    assert.equal(await run(), 'marked build one build one');
    put('packages/tiny/src/word.ts', "export const word: string = 'two';");
    assert.equal(await run(), 'build two build two');
    put('packages/tiny/src/word.ts', "export const word: string = 'one';");
    assert.equal(await run(), 'marked build one build one');
    assert.equal(builds().length, 2);
  });

  test('is built again when a stack was added, and the build has it without what it brings', async () => {
    await run();
    put('stacks/radio/package.json', '{"type": "module", "telltale": {"stack": "./src/stack.ts"}}');
    put('stacks/radio/src/stack.ts', "export default { name: 'radio' };");
    await run();
    assert.equal(builds().length, 2);
    const found = builds().map((build) =>
      readdirSync(join(root, cache, build, 'stacks'))
        .sort()
        .join(),
    );
    assert.deepEqual(found.sort(), ['radio,wire', 'wire']);
    const [build = ''] = builds();
    assert.match(readFileSync(join(root, cache, build, 'stacks/wire/stack.mjs'), 'utf8'), /import\("far"\)/);
  });

  test('is built once by several that start at once', async () => {
    assert.deepEqual(new Set(await Promise.all([run(), run(), run()])), new Set(['build one build one']));
    assert.equal(builds().length, 1);
    assert.deepEqual(
      readdirSync(join(root, cache)).filter((name) => name.startsWith('.')),
      [],
    );
  });

  test('keeps the builds of twenty earlier sources, since a server may still run from one', async () => {
    for (let number = 0; number < 25; number++) put(`${cache}/tiny-${number}/tiny.mjs`, '');
    await run();
    assert.equal(builds().length, 21);
  });

  test('runs from a release that was made of its sources, and not from another one', async () => {
    const { build } = (await import(join(root, 'packages/launcher/src/build.js'))) as typeof import('./build.js');
    const program = {
      name: 'tiny',
      source: 'packages/tiny/src/main.ts',
      parts: ['packages/tiny', 'stacks/*'],
      documents: ['docs/*.md'],
    };
    await build(program, join(root, 'dist'));
    assert.equal(await run(), 'build one build one');
    assert.throws(() => builds(), /ENOENT/);
    put('packages/tiny/src/word.ts', "export const word: string = 'two';");
    assert.equal(await run(), 'build two build two');
    assert.equal(builds().length, 1);
  });

  test('runs from a release that comes without sources', async () => {
    const { build } = (await import(join(root, 'packages/launcher/src/build.js'))) as typeof import('./build.js');
    const program = {
      name: 'tiny',
      source: 'packages/tiny/src/main.ts',
      parts: ['packages/tiny', 'stacks/*'],
      documents: ['docs/*.md'],
    };
    await build(program, join(root, 'dist'));
    rmSync(join(root, 'packages/tiny/src'), { recursive: true });
    assert.equal(await run(), 'build one build one');
    assert.equal(globSync('tiny-*/docs/guide.md', { cwd: join(root, 'dist') }).length, 1);
  });
});

describe('a page', () => {
  const page = {
    name: 'page',
    source: 'packages/tiny/src/main.tsx',
    parts: ['packages/tiny'],
    documents: [],
    isPage: true as const,
  };
  const files: Record<string, string> = {
    'packages/tiny/src/index.html': '<title>tiny</title><script type="module" src="./main.tsx"></script>',
    'packages/tiny/src/main.tsx': `import './main.css';
      import icon from './icon.svg';
      import { word } from './shared.ts';
      document.body.append(word, icon);
      import('./view.tsx').then(({ view }) => view());`,
    'packages/tiny/src/main.css': 'body { color: grey; }',
    'packages/tiny/src/icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'packages/tiny/src/shared.ts': `export const word: string = '${'shared words '.repeat(99)}';`,
    'packages/tiny/src/view.tsx': `import './view.css';
      import { word } from './shared.ts';
      export const view = () => <p class="view">{word}</p>;`,
    'packages/tiny/src/view.css': '.view { color: red; }',
    'node_modules/preact/package.json': '{"name": "preact", "exports": {"./jsx-runtime": "./jsx-runtime.js"}}',
    'node_modules/preact/jsx-runtime.js': 'export const jsx = (...given) => given;',
  };
  const made = async () => {
    const { builtFolder } = (await import(
      join(root, 'packages/launcher/src/launch.js')
    )) as typeof import('./launch.js');
    return builtFolder(page);
  };
  const read = (folder: string, path: string) => readFileSync(join(folder, path), 'utf8');

  beforeEach(() => {
    for (const [path, text] of Object.entries(files)) put(path, text);
  });

  test('is an index that loads its style, that of its later views, what is shared, and its script', async () => {
    const folder = await made();
    const html = read(folder, 'index.html').replaceAll(/-[A-Z0-9]{8}\./g, '-HASH.');
    assert.deepEqual(html.split('\n'), [
      '<title>tiny</title><link rel="stylesheet" href="/assets/main-HASH.css">',
      '<link rel="stylesheet" href="/assets/view-HASH.css">',
      '<link rel="modulepreload" href="/assets/chunk-HASH.js">',
      '<script type="module" src="/assets/main-HASH.js"></script>',
    ]);
    for (const [, path = ''] of read(folder, 'index.html').matchAll(/"\/(assets\/[^"]+)"/g)) {
      assert.ok(read(folder, path).length > 0, path);
    }
    assert.equal(globSync('assets/view-*.js', { cwd: folder }).length, 1);
    assert.match(read(folder, globSync('assets/main-*.js', { cwd: folder })[0] ?? ''), /<svg xmlns/);
  });

  test('has a compressed form of each file that it shortens', async () => {
    const folder = await made();
    const [chunk = ''] = globSync('assets/chunk-*.js', { cwd: folder });
    const plain = readFileSync(join(folder, chunk));
    assert.deepEqual(brotliDecompressSync(readFileSync(join(folder, `${chunk}.br`))), plain);
    assert.deepEqual(gunzipSync(readFileSync(join(folder, `${chunk}.gz`))), plain);
    assert.deepEqual(globSync('assets/main-*.css.*', { cwd: folder }), []);
  });

  test('is built once, and again when a source has changed, where only what changed has another name', async () => {
    const first = await made();
    assert.equal(await made(), first);
    put('packages/tiny/src/main.css', 'body { color: black; }');
    const second = await made();
    assert.notEqual(second, first);
    const names = (folder: string) => readdirSync(join(folder, 'assets')).sort();
    const changed = names(second).filter((name) => !names(first).includes(name));
    assert.deepEqual(
      changed.map((name) => name.replace(/-\w+/, '')),
      ['main.css'],
    );
  });

  test('whose index has no line for its script, or whose source is wrong, is not built, and says so', async () => {
    put('packages/tiny/src/index.html', '<title>tiny</title>');
    await assert.rejects(made(), /index\.html has no line <script/);
    put('packages/tiny/src/main.tsx', 'const = 1;');
    await assert.rejects(made(), /packages\/tiny\/src\/main\.tsx:1:6: ERROR/);
    assert.deepEqual(
      readdirSync(join(root, cache)).filter((name) => name.includes('page')),
      [],
    );
  });
});

describe('a program runs from its sources where', () => {
  test('esbuild is not installed', async () => {
    rmSync(join(root, 'node_modules/esbuild'));
    assert.equal(await run(), 'sources one sources one');
  });

  test('the folder for builds cannot be written', async (t) => {
    put(cache, 'a file');
    assert.equal(await run(), 'sources one sources one');
    if (process.getuid?.() === 0) return t.diagnostic('a folder without rights was left out: root may write it');
    rmSync(join(root, cache));
    chmodSync(join(root, 'node_modules/.cache'), 0o500);
    assert.equal(await run(), 'sources one sources one');
  });

  test('a source cannot be built, and says what Node says of it', async () => {
    put('packages/tiny/src/word.ts', 'export const word: string = ;');
    await assert.rejects(run(), /SyntaxError|Expression expected/);
  });
});
