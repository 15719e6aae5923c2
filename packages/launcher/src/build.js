// Makes the builds of programs and of the page, and keeps them by a hash of what they were made of. What is in a build is the matter
// of `bundle-program.js` and `bundle-page.js`.
import { createHash, randomUUID } from 'node:crypto';
import {
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
import { dirname, join } from 'node:path';
import { bundlePage } from './bundle-page.js';
import { bundleProgram } from './bundle-program.js';
import { cacheFolder, readManifest, releaseFolder, root, stampOf } from './launch.js';

/** @import { Manifest, Program } from './launch.js' */
/** @import { Source } from './bundle-program.js' */

/** Builds of earlier sources: a server that still runs from one loads parts of it later. */
const retainedBuilds = 20;

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
      const bundle = program.isPage ? bundlePage : bundleProgram;
      await withEsbuild((esbuild) => bundle(esbuild, program, sources, unfinished));
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
    (path) => !/\.test\.tsx?$/.test(path),
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

/** @param {(esbuild: typeof import('esbuild').build) => Promise<void>} work */
async function withEsbuild(work) {
  const { build: esbuild, stop } = await import('esbuild');
  const { GOGC } = process.env;
  // It lasts for a second, of which collecting garbage would take a quarter; its memory is the same (200 MB).
  process.env.GOGC = 'off';
  try {
    await work(esbuild);
  } finally {
    await stop();
    if (GOGC === undefined) delete process.env.GOGC;
    else process.env.GOGC = GOGC;
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
