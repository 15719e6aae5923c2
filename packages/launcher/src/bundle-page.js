// The build of the page: what a browser loads, in files whose names have the hash of their content, each beside its compressed
// forms. `index.html`, which has no hash, names them.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { root } from './launch.js';

/** @import { Metafile } from 'esbuild' */
/** @import { Program } from './launch.js' */
/** @import { Source } from './bundle-program.js' */

/** In the template: what it becomes is what `esbuild` has made of it. */
const mainScript = '<script type="module" src="./main.tsx"></script>';

/**
 * SVGs are texts, without what nobody sees of them.
 * @type {import('esbuild').Plugin}
 */
const drawings = {
  name: 'drawings',
  setup: (build) =>
    build.onLoad({ filter: /\.svg$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(/<\?.*?\?>|<!--[\s\S]*?-->|(?<=>)\n\s*(?=<)/g, ''),
      loader: 'text',
    })),
};

/**
 * @param {typeof import('esbuild').build} esbuild
 * @param {Program} program
 * @param {readonly Source[]} sources
 * @param {string} folder
 */
export async function bundlePage(esbuild, { source }, sources, folder) {
  const { metafile } = await esbuild({
    absWorkingDir: root,
    entryPoints: [source],
    outdir: join(folder, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    publicPath: '/assets/',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // What its own would say is said here: a build is made of what its key is made of.
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    plugins: [drawings],
    loader: { '.txt': 'text', '.png': 'file', '.woff2': 'file' },
    minify: true,
    // Served as it is; escapes would be longer.
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'silent',
    metafile: true,
  });
  const template = source.replace(/[^/]*$/, 'index.html');
  const html = sources.find(({ path }) => path === template)?.content;
  if (!html?.includes(mainScript)) throw new Error(`${template} has no line ${mainScript}`);
  const index = String(html).replace(mainScript, loading(metafile, source));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.html'), index);
  for (const name of globSync('assets/*', { cwd: folder })) compress(join(folder, name));
  compress(join(folder, 'index.html'));
}

/**
 * The style sheets of the page and of views that are loaded later, since nobody else would load these; what its script imports at
 * once, which so need not wait for it; and the script.
 * @param {Metafile} metafile
 * @param {string} source
 */
function loading({ outputs }, source) {
  /** @param {string} path */
  const served = (path) => path.slice(path.lastIndexOf('assets/') - 1);
  const main = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === source && path.endsWith('.js')) ?? '';
  /** @type {Set<string>} */
  const imported = new Set();
  for (const next = [main]; next.length > 0; ) {
    for (const { path, kind } of outputs[next.pop() ?? '']?.imports ?? []) {
      if (kind !== 'import-statement' || imported.has(path)) continue;
      imported.add(path);
      next.push(path);
    }
  }
  const ofMain = outputs[main]?.cssBundle;
  const styles = Object.keys(outputs).filter((path) => path.endsWith('.css'));
  styles.sort((a, b) => Number(b === ofMain) - Number(a === ofMain) || (a < b ? -1 : 1));
  return [
    ...styles.map((path) => `<link rel="stylesheet" href="${served(path)}">`),
    ...[...imported].map((path) => `<link rel="modulepreload" href="${served(path)}">`),
    `<script type="module" src="${served(main)}"></script>`,
  ].join('\n');
}

/**
 * What does not shrink is served as it is.
 * @param {string} path
 */
function compress(path) {
  const bytes = readFileSync(path);
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
  for (const [suffix, small] of /** @type {const} */ ([
    ['br', brotli],
    ['gz', gzipSync(bytes, { level: 9 })],
  ])) {
    if (small.length < bytes.length) writeFileSync(`${path}.${suffix}`, small);
  }
}
