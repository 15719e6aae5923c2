// Starts a program from its build, which is made first where there is none of these sources. JavaScript, since Node takes
// longer to load what strips types than to load a build; for the same reason `build.js` is loaded where it is needed alone.
import { readFileSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { debuglog } from 'node:util';

export { programs } from './programs.js';

/**
 * @typedef {object} Program
 * @property {string} name Of its builds.
 * @property {string} source The path of its main module, from the root.
 * @property {readonly string[]} parts The packages that it is made of, as patterns of paths from the root.
 * @property {readonly string[]} documents What it serves as it is, likewise.
 * @property {true} [isPage] Runs in browsers: its build is `index.html` and what that loads.
 */

/**
 * What a build was made of, as the files were when they were read.
 * @typedef {object} Manifest
 * @property {string} folder The build, from the folder of the manifest.
 * @property {string} key A hash of the content of all of it.
 * @property {Record<string, string>} files From each file and folder of the sources to its stamp.
 */

export const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Beside the code, where nobody can write who could not write code as well. */
export const cacheFolder = join(root, 'node_modules/.cache/telltale');
/** What `npm run build` makes: a release has it. */
export const releaseFolder = join(root, 'dist');

const debug = debuglog('telltale');

/**
 * Imports the program, from its build or from its sources.
 * @param {Program} program
 */
export async function launch(program) {
  const folder = await builtFolder(program).catch((error) => {
    debug('%s runs from its sources: %s', program.name, error);
    return undefined;
  });
  const compiled = folder === undefined ? cacheFolder : join(folder, 'compiled');
  // Of the threads as well, which read the variable: what was compiled before is not compiled again.
  if (enableCompileCache(compiled).directory !== undefined) process.env.NODE_COMPILE_CACHE ??= compiled;
  const main = folder === undefined ? join(root, program.source) : join(folder, mainFileOf(program));
  await import(pathToFileURL(main).href);
}

/**
 * The folder of the build of the sources as they are, which is made where there is none. Rejects where it cannot be made.
 * @param {Program} program
 */
export async function builtFolder(program) {
  const current = currentBuild(program);
  if (current !== undefined) return current;
  const { build } = await import('./build.js');
  return build(program);
}

/** @param {Program} program */
const mainFileOf = ({ name, isPage }) => (isPage ? 'index.html' : `${name}.mjs`);

/**
 * The folder of a build that was made of the sources as they are; undefined where none is known to be.
 * @param {Program} program
 * @returns {string | undefined}
 */
function currentBuild(program) {
  const { name, source } = program;
  for (const place of [releaseFolder, cacheFolder]) {
    const manifest = readManifest(place, name);
    if (manifest === undefined) continue;
    // A release may come without its sources.
    const isCurrent = (place === releaseFolder && stampOf(source) === '') || isUnchanged(manifest);
    if (isCurrent && stampOf(join(place, manifest.folder, mainFileOf(program))) !== '')
      return join(place, manifest.folder);
  }
  return undefined;
}

/**
 * @param {string} place
 * @param {string} name
 * @returns {Manifest | undefined}
 */
export function readManifest(place, name) {
  try {
    return JSON.parse(readFileSync(join(place, `${name}.json`), 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {Manifest} manifest */
function isUnchanged({ files }) {
  for (const path in files) if (stampOf(path) !== files[path]) return false;
  return true;
}

/**
 * Changes whenever the content of a file, or the list of a folder, does; empty where there is none.
 * @param {string} path From the root, or absolute.
 */
export function stampOf(path) {
  const found = statSync(isAbsolute(path) ? path : root + path, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.mtimeMs} ${found.ctimeMs} ${found.size} ${found.ino}`;
}
