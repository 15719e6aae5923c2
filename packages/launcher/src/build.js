// Makes the build of a program: its sources and the libraries that every start needs, bundled by esbuild into one file an
// entry and the chunks that they share. Kept by a hash of what it was made of.
import { createHash, randomUUID } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { cacheFolder, readManifest, releaseFolder, root, stampOf } from './launch.js';

/** @import { Manifest, Program } from './launch.js' */

/** Builds of earlier sources: a server that still runs from one loads parts of it later. */
const retainedBuilds = 20;

/** Speed-ups of ws, which tries to load them and does without: they are not installed. */
const notInstalled = ['bufferutil', 'utf-8-validate'];

/** What CommonJS libraries in a bundle of ES modules call. */
const banner =
  'const require=(id)=>process.getBuiltinModule(id)??' +
  "process.getBuiltinModule('node:module').createRequire(import.meta.url)(id);";

/** The modules that threads and processes are started with. */
const startedModule = /\bnew URL\((['"])(\.\/[\w-]+)\.ts\1, import\.meta\.url\)/g;

/** Of a module of Node's own, as esbuild writes it. */
const importOfNode = /^import (\{[^}]*\}|\* as \w+|\w+) from "(node:[\w/]+)";$/gm;

/**
 * The folder of the build of the sources as they are. Rejects where it cannot be made.
 * @param {Program} program
 * @param {string} place The folder that it is put into.
 */
export async function build(program, place = cacheFolder) {
  const { name } = program;
  const sources = readSources(program);
  const key = keyOf(sources);
  const released = place === cacheFolder ? readManifest(releaseFolder, name) : undefined;
  if (released?.key === key) return join(releaseFolder, released.folder);
  const folder = `${name}-${key.slice(0, 16)}`;
  const path = join(place, folder);
  if (!existsSync(path)) {
    mkdirSync(place, { recursive: true });
    const unfinished = join(place, `.${folder}-${randomUUID()}`);
    try {
      await bundle(program, sources, unfinished);
      if (isChanged(sources)) throw new Error('the sources changed while they were read');
      moveInto(unfinished, path);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
    removeOldBuilds(place, name, folder);
  }
  writeManifest(place, name, { folder, key, files: stampsOf(sources) });
  return path;
}

/**
 * A file with its content, or a folder without.
 * @typedef {object} Source
 * @property {string} path From the root.
 * @property {string} stamp
 * @property {Buffer | undefined} content
 */

/**
 * Everything that a build is made of. What is installed counts by the lists that npm keeps of it.
 * @param {Program} program
 */
function readSources({ parts, documents }) {
  const patterns = ['packages/launcher', ...parts].flatMap((part) => [
    dirname(part),
    `${part}/{src,src/**,templates/**,package.json}`,
  ]);
  const installed = ['package-lock.json', 'node_modules/.package-lock.json'];
  const found = globSync([...patterns, ...documents, ...installed], { cwd: root }).filter(
    (path) => !path.endsWith('.test.ts'),
  );
  return found.sort().map((path) => {
    const stamp = stampOf(path);
    const isFile = statSync(join(root, path)).isFile();
    return /** @type {Source} */ ({ path, stamp, content: isFile ? readFileSync(join(root, path)) : undefined });
  });
}

/** @param {readonly Source[]} sources */
function keyOf(sources) {
  const hash = createHash('sha256');
  for (const { path, content } of sources) if (content) hash.update(`${path}\0${content.length}\0`).update(content);
  return hash.digest('hex');
}

/** @param {readonly Source[]} sources */
function isChanged(sources) {
  return sources.some(({ path, stamp }) => stampOf(path) !== stamp);
}

/** @param {readonly Source[]} sources */
function stampsOf(sources) {
  return Object.fromEntries(sources.map(({ path, stamp }) => [path, stamp]));
}

/**
 * @param {Program} program
 * @param {readonly Source[]} sources
 * @param {string} folder
 */
async function bundle({ name, source }, sources, folder) {
  const stacks = sources.flatMap(stackOf);
  const entries = {
    [name]: source,
    ...startedModules(sources),
    ...Object.fromEntries(stacks.map((stack) => [`stacks/${stack.name}/stack`, stack.module])),
  };
  const { build: esbuild, stop } = await import('esbuild');
  const { GOGC } = process.env;
  // It lasts for a second, of which collecting garbage would take a quarter; its memory is the same (200 MB).
  process.env.GOGC = 'off';
  try {
    await esbuild({
      absWorkingDir: root,
      entryPoints: entries,
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      chunkNames: 'chunk-[hash]',
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node26',
      banner: { js: banner },
      // The libraries of a stack are loaded by the links that use it.
      external: [...notInstalled, 'esbuild', ...stacks.flatMap(({ libraries }) => libraries)],
      sourcemap: 'linked',
      sourcesContent: false,
      legalComments: 'none',
      logLevel: 'silent',
    });
  } finally {
    await stop();
    if (GOGC === undefined) delete process.env.GOGC;
    else process.env.GOGC = GOGC;
  }
  for (const { path } of sources.filter(({ path, content }) => content && path.includes('/templates/'))) {
    cpSync(join(root, path), join(folder, 'templates', basename(path)));
  }
  for (const { path } of sources.filter(({ path }) => path.endsWith('.md') && !path.includes('/templates/'))) {
    cpSync(join(root, path), join(folder, path));
  }
  for (const stack of stacks) {
    const manifest = { type: 'module', telltale: { stack: './stack.mjs' } };
    writeFileSync(join(folder, 'stacks', stack.name, 'package.json'), `${JSON.stringify(manifest)}\n`);
  }
  finish(folder);
}

/**
 * @param {Source} source
 * @returns {{ name: string, module: string, libraries: string[] }[]}
 */
function stackOf({ path, content }) {
  if (!/^stacks\/[^/]+\/package\.json$/.test(path)) return [];
  const { telltale, dependencies = {} } = JSON.parse(String(content));
  if (telltale === undefined) return [];
  const libraries = Object.keys(dependencies).filter((each) => !each.startsWith('@telltale/'));
  return [{ name: basename(dirname(path)), module: join(dirname(path), telltale.stack), libraries }];
}

/**
 * @param {readonly Source[]} sources
 * @returns {Record<string, string>}
 */
function startedModules(sources) {
  /** @type {Record<string, string>} */
  const entries = {};
  for (const { path, content } of sources) {
    if (content === undefined || !path.endsWith('.ts')) continue;
    for (const [, , module = ''] of String(content).matchAll(startedModule)) {
      const [entry, file] = [basename(module), join(dirname(path), `${module}.ts`)];
      if (entries[entry] !== undefined && entries[entry] !== file) throw new Error(`there are two modules ${entry}`);
      entries[entry] = file;
    }
  }
  return entries;
}

/**
 * Threads and processes are started with what was built, all of which is in one folder. Node's own modules are not imported
 * but required: an import reads each of their exports, which loads megabytes that nobody asked for, such as undici with
 * node:http. Lines stay where they are.
 * @param {string} folder
 */
function finish(folder) {
  for (const name of globSync('**/*.mjs', { cwd: folder })) {
    const path = join(folder, name);
    const text = readFileSync(path, 'utf8');
    const finished = text
      .replaceAll(startedModule, 'new URL($1$2.mjs$1, import.meta.url)')
      .replaceAll(importOfNode, (_import, /** @type {string} */ what, /** @type {string} */ module) => {
        const names = what.replace('* as ', '').replaceAll(' as ', ': ');
        return `const ${names} = process.getBuiltinModule("${module}");`;
      });
    if (finished !== text) writeFileSync(path, finished);
  }
}

/**
 * Another start may have been first: what it made is the same.
 * @param {string} from
 * @param {string} to
 */
function moveInto(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}

/**
 * @param {string} place
 * @param {string} name
 * @param {Manifest} manifest
 */
function writeManifest(place, name, manifest) {
  const unfinished = join(place, `.${name}-${randomUUID()}.json`);
  try {
    writeFileSync(unfinished, JSON.stringify(manifest));
    renameSync(unfinished, join(place, `${name}.json`));
  } catch {
    // Nothing may be written there any more: then the next start finds the build by the content of its sources.
  }
}

/**
 * @param {string} place
 * @param {string} name
 * @param {string} current
 */
function removeOldBuilds(place, name, current) {
  const others = readdirSync(place).filter((each) => each.startsWith(`${name}-`) && each !== current);
  const byAge = others.map((each) => ({ each, madeMs: statSync(join(place, each)).mtimeMs }));
  byAge.sort((a, b) => b.madeMs - a.madeMs);
  for (const { each } of byAge.slice(retainedBuilds)) rmSync(join(place, each), { recursive: true, force: true });
}
