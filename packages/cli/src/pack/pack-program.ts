// Makes one executable file of a program in TypeScript or JavaScript: esbuild bundles it with everything that it imports,
// so that it needs nothing but Node to run. The same sources make the same bytes.
import { realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { BuildFailure, BuildResult, Plugin } from 'esbuild';
import { Refused } from '../declaration.ts';
import { asRefused } from '../files.ts';
import { nameFiles } from './name-files.ts';

export interface PackedProgram {
  readonly text: string;
  /** Names of the files in it, the program first. */
  readonly files: readonly string[];
  /** Where these are. */
  readonly sources: readonly string[];
}

type Bundle = BuildResult<{ metafile: true; write: false }>;

/** Throws `Refused`. */
export async function packProgram(file: string): Promise<PackedProgram> {
  const main = await realpath(file).catch((error) => {
    throw asRefused(error, `${file} cannot be read`);
  });
  const { metafile, outputFiles } = await bundle(main);
  const names = nameFiles(main, Object.keys(metafile.inputs));
  const [script = '', map = ''] = ['.mjs', '.map'].map(
    (end) => outputFiles.find(({ path }) => path.endsWith(end))?.text,
  );
  const others = [...names].filter(([path]) => path !== basename(main)).sort(([, a], [, b]) => (a < b ? -1 : 1));
  const files = [[basename(main), basename(main)] as const, ...others];
  return {
    text: `${opening}${withNames(script, names)}${mapComment(JSON.parse(map), names)}`,
    files: files.map(([, name]) => name),
    sources: files.map(([path]) => resolve(dirname(main), path)),
  };
}

/**
 * A shell runs the second line, to Node it is a text and a comment. The shell finds the Node of the service, or else the
 * one of PATH, and hands it the file as its input: so no folder on the way to it has to be open to the module.
 */
const opening = `#!/bin/sh
':' //; [ -x "\${TELLTALE_NODE:-}" ] || TELLTALE_NODE=node; exec "$TELLTALE_NODE" --enable-source-maps --input-type=module - "$@" < "$0"
// Packed by telltale module pack.
if (globalThis.WebSocket === undefined) {
  console.error(\`This needs Node 24 or newer, and \${process.execPath} is \${process.version}. PATH in env of the module says where another is.\`);
  process.exit(1);
}
// A process that ends while this compiler is at work may wait for it for ever (nodejs/node issue 54918).
process.getBuiltinModule('node:v8').setFlagsFromString('--no-maglev');
// For CommonJS packages.
globalThis.require = process.getBuiltinModule('node:module').createRequire(import.meta.url);
`;

async function bundle(main: string): Promise<Bundle> {
  const { build, stop } = await import('esbuild');
  try {
    return await build({
      absWorkingDir: dirname(main),
      entryPoints: [main],
      outfile: 'packed.mjs',
      write: false,
      metafile: true,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node24',
      keepNames: true,
      charset: 'utf8',
      sourcemap: 'external',
      sourcesContent: false,
      legalComments: 'none',
      logLevel: 'silent',
      // As Node takes the types out, whatever tsconfig.json there is.
      tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
      plugins: [resolution],
    });
  } catch (error) {
    const [first] = (error as BuildFailure).errors ?? [];
    if (first === undefined)
      throw new Refused(`esbuild, which packs programs, does not run: ${(error as Error).message}`);
    const { text, location } = first;
    const place = location === null ? main : `${resolve(dirname(main), location.file)}:${location.line}`;
    const remedy = text.startsWith('Could not resolve') ? ': install it, or take the import out' : '';
    throw new Refused(`${place} ${text}${remedy}.`);
  } finally {
    await stop();
  }
}

/** Beside a program that was written in an empty folder there is no client: then it is the one of this command. */
const resolution: Plugin = {
  name: 'telltale',
  setup(build) {
    // They would be left for the machine that runs it.
    build.onResolve({ filter: /^https?:/ }, () => ({ errors: [{ text: 'Only files can be packed' }] }));
    build.onResolve({ filter: /^@telltale\// }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (pluginData === build) return undefined; // asked below
      const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: build });
      if (found.errors.length === 0) return found;
      return build.resolve(path, { kind, resolveDir: import.meta.dirname, pluginData: build });
    });
  },
};

/** esbuild writes the path of each file above its code: those of other packages depend on where they are installed. */
function withNames(script: string, names: ReadonlyMap<string, string>): string {
  const place = /(?<=^\/\/ ).*$|(?<=^ {2}").*(?="\()/gm;
  return script.replace(/^#!.*/, '').replaceAll(place, (path) => names.get(path) ?? path);
}

/** So that a stack has the names and lines of the sources. */
function mapComment(map: { mappings: string; sources: string[] }, names: ReadonlyMap<string, string>): string {
  const mappings = ';'.repeat(opening.split('\n').length - 1) + map.mappings;
  const sources = map.sources.map((source) => `module:///${encodeURI(names.get(source) ?? source)}`);
  const text = JSON.stringify({ ...map, mappings, sources });
  return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(text).toString('base64')}\n`;
}
