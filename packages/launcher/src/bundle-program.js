// The build of a program that runs in Node: its sources and the libraries that every start needs, bundled by esbuild into one file
// an entry and the chunks that they share.
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { root } from './launch.js';

/** @import { Program } from './launch.js' */

/**
 * A file with its content, or a folder without.
 * @typedef {object} Source
 * @property {string} path From the root.
 * @property {string} stamp
 * @property {Buffer | undefined} content
 */

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
 * @param {typeof import('esbuild').build} esbuild
 * @param {Program} program
 * @param {readonly Source[]} sources
 * @param {string} folder
 */
export async function bundleProgram(esbuild, { name, source }, sources, folder) {
  const stacks = sources.flatMap(stackOf);
  const entries = {
    [name]: source,
    ...startedModules(sources),
    ...Object.fromEntries(stacks.map((stack) => [`stacks/${stack.name}/stack`, stack.module])),
  };
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
    // The launcher knows its place, and builds more than it has started. The libraries of a stack are loaded by the links that use it.
    external: [...notInstalled, 'esbuild', '@telltale/launcher', ...stacks.flatMap(({ libraries }) => libraries)],
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'silent',
  });
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
