// Makes one executable file of a program in TypeScript or JavaScript: everything that it imports is in it, types are left
// out, and whoever runs it needs Node alone. The same sources make the same bytes.
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Refused } from '../declaration.ts';
import { type ModuleGraph, readGraph } from './module-graph.ts';

export interface PackedProgram {
  readonly text: string;
  /** Names of the files in it, the program first. */
  readonly files: readonly string[];
  /** Where these are. */
  readonly sources: readonly string[];
}

/** Throws `Refused`. */
export async function packProgram(file: string): Promise<PackedProgram> {
  const graph = await readGraph(pathToFileURL(file).href);
  const names = nameFiles(graph);
  const named = (url: string) => `${scheme}${names.get(url) ?? ''}`;
  const entries = Array.from(graph.files, ([url, { format, source, imports }]) => {
    const links = Object.fromEntries(Array.from(imports, ([specifier, target]) => [specifier, named(target)]));
    return `  ${JSON.stringify([named(url), { format, source, links }])},\n`;
  });
  const text = `${opening}const files = new Map([\n${entries.join('')}]);\n${closing(named(graph.main))}`;
  return { text, files: [...names.values()], sources: Array.from(names.keys(), (url) => fileURLToPath(url)) };
}

const scheme = 'module:///';

/**
 * A shell runs the second line, to Node it is a text and a comment. The shell finds the Node of the service, or else the
 * one of PATH, and hands it the file as its input: so no folder on the way to it has to be open to the module.
 */
const opening = `#!/bin/sh
':' //; [ -x "\${TELLTALE_NODE:-}" ] || TELLTALE_NODE=node; exec "$TELLTALE_NODE" --input-type=module - "$@" < "$0"
// Packed by telltale module pack from the files below.
import nodeModule from 'node:module';
import { setFlagsFromString } from 'node:v8';
`;

const closing = (main: string) => `const main = ${JSON.stringify(main)};
if (nodeModule.registerHooks === undefined || globalThis.WebSocket === undefined) {
  console.error(\`This needs Node 24 or newer, and \${process.execPath} is \${process.version}. PATH in env of the module says where another is.\`);
  process.exit(1);
}
// A process that ends while this compiler is at work may wait for it for ever (nodejs/node issue 54918).
setFlagsFromString('--no-maglev');
nodeModule.registerHooks({
  resolve(specifier, context, next) {
    const url = specifier === main ? main : files.get(context.parentURL)?.links[specifier];
    return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
  },
  load(url, context, next) {
    const file = files.get(url);
    return file === undefined ? next(url, context) : { format: file.format, source: file.source, shortCircuit: true };
  },
});
await import(main);
`;

/** By URL: beside the program by their paths from there, of packages by the names of these. No path of this machine. */
function nameFiles({ main, files }: ModuleGraph): Map<string, string> {
  const folder = dirname(fileURLToPath(main));
  const ownPackage = packageOf(fileURLToPath(main))?.folder;
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const url of [main, ...[...files.keys()].filter((each) => each !== main)]) {
    const path = fileURLToPath(url);
    const found = packageOf(path);
    const isOwn = isInside(folder, path) && found?.folder === ownPackage;
    const wanted = isOwn ? relative(folder, path) : nameInPackage(path, found);
    let name = wanted.split(sep).join('/');
    for (let more = 2; taken.has(name); more++) name = `${wanted}~${more}`;
    taken.add(name);
    names.set(url, encodeURI(name));
  }
  return names;
}

function isInside(folder: string, path: string): boolean {
  return path.startsWith(folder + sep) && !path.includes(`${sep}node_modules${sep}`);
}

interface Package {
  readonly folder: string;
  readonly name: string;
}

function nameInPackage(path: string, found: Package | undefined): string {
  return found === undefined ? basename(path) : join(found.name, relative(found.folder, path));
}

/** The nearest that has a name. */
function packageOf(path: string): Package | undefined {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const name = packageName(join(folder, 'package.json'));
    if (name !== undefined) return { folder, name };
  }
  return undefined;
}

function packageName(manifest: string): string | undefined {
  if (!statSync(manifest, { throwIfNoEntry: false })?.isFile()) return undefined;
  const text = readFileSync(manifest, 'utf8');
  try {
    const { name } = (JSON.parse(text) ?? {}) as { name?: unknown };
    return typeof name === 'string' ? name : undefined;
  } catch (error) {
    throw new Refused(`${manifest} is not JSON: ${(error as Error).message}.`);
  }
}
