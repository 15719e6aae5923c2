// Finds the protocol stacks: each subfolder whose package.json has "telltale": {"stack": "./src/stack.ts"}. A stack that
// is broken is reported and left out; it never stops the others.
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { isStack, type Stack } from '@telltale/stack-kit';

export interface FoundStack {
  stack: Stack;
  moduleUrl: string;
}

export interface StackFault {
  /** The path of the stack's folder; of a fault of the whole, that of the folder of stacks. */
  folder: string;
  message: string;
}

export interface Discovery {
  /** In the order of the folders' names. */
  stacks: FoundStack[];
  faults: StackFault[];
}

/** A module that waits for something while it is loaded gets this long. */
const importTimeoutMs = 10_000;

/** In several folders of stacks, of which an earlier one goes before a later one where a name is there twice. */
export async function discoverStacks(
  folders: string | readonly string[],
  timeoutMs = importTimeoutMs,
): Promise<Discovery> {
  const stacks: FoundStack[] = [];
  const faults: StackFault[] = [];
  const owners = new Map<string, string>();
  for (const each of await Promise.all([folders].flat().map((folder) => loadFolder(folder, timeoutMs)))) {
    faults.push(...each.faults);
    for (const { folder, found } of each.found) {
      const { name } = found.stack;
      const owner = owners.get(name);
      if (owner === undefined) stacks.push(found);
      else faults.push({ folder, message: `its stack ${name} has the name of the one in ${owner}` });
      if (owner === undefined) owners.set(name, folder);
    }
  }
  return { stacks, faults };
}

async function loadFolder(folder: string, timeoutMs: number) {
  const found: { folder: string; found: FoundStack }[] = [];
  const faults: StackFault[] = [];
  try {
    const folders = (await readdir(folder)).sort().map((name) => join(folder, name));
    const loaded = await Promise.all(folders.map((each) => loadStack(each, timeoutMs)));
    for (const [index, result] of loaded.entries()) {
      const each = folders[index] ?? '';
      if (typeof result === 'string') faults.push({ folder: each, message: result });
      else if (result !== undefined) found.push({ folder: each, found: result });
    }
  } catch (error) {
    faults.push({ folder, message: `the folder of the stacks cannot be read: ${reason(error)}` });
  }
  return { found, faults };
}

/** The stack; what is wrong with it, as text; or undefined where the folder has none. */
async function loadStack(folder: string, timeoutMs: number): Promise<FoundStack | string | undefined> {
  try {
    const declared = await declaredPath(folder);
    if (declared === undefined) return undefined;
    const moduleUrl = pathToFileURL(await insidePath(folder, declared)).href;
    const { default: stack } = await importWithin(moduleUrl, timeoutMs);
    if (!isStack(stack)) return `${declared} does not export a stack as its default: use defineStack`;
    return { stack, moduleUrl };
  } catch (error) {
    return reason(error);
  }
}

/** What package.json has as telltale.stack; undefined where this is no stack's folder. */
async function declaredPath(folder: string): Promise<string | undefined> {
  let text: string;
  try {
    text = await readFile(join(folder, 'package.json'), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new Error(`package.json cannot be read: ${reason(error)}`);
  }
  const telltale = readManifest(text);
  if (telltale === undefined) return undefined;
  const path = isObject(telltale) && Object.hasOwn(telltale, 'stack') ? telltale.stack : undefined;
  if (typeof path !== 'string' || path === '') {
    throw new Error('package.json has "telltale" without a path: {"stack": "./src/stack.ts"} is expected');
  }
  return path;
}

function readManifest(text: string): unknown {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch (error) {
    throw new Error(`package.json is not JSON: ${reason(error)}`);
  }
  return isObject(manifest) && Object.hasOwn(manifest, 'telltale') ? manifest.telltale : undefined;
}

/** The real path of the module. Symbolic links count as where they lead to. */
async function insidePath(folder: string, declared: string): Promise<string> {
  const leaves = () => new Error(`${declared} leaves the folder of the stack: a path inside it is expected`);
  if (isAbsolute(declared)) throw leaves();
  const root = await realpath(folder);
  const file = await realpath(join(root, declared)).catch((error: NodeJS.ErrnoException) => {
    throw new Error(error.code === 'ENOENT' ? `${declared} does not exist` : reason(error));
  });
  if (!file.startsWith(root + sep)) throw leaves();
  if (!(await stat(file)).isFile()) throw new Error(`${declared} is not a file`);
  return file;
}

async function importWithin(url: string, timeoutMs: number): Promise<{ default?: unknown }> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`it is not loaded after ${timeoutMs} ms`)), timeoutMs);
  try {
    return await Promise.race([import(url), late]);
  } finally {
    clearTimeout(timer);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : inspect(error);
}
