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
  /** The name of the subfolder; of a fault of the whole, the path of the folder. */
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

export async function discoverStacks(folder: string, timeoutMs = importTimeoutMs): Promise<Discovery> {
  let names: string[];
  try {
    names = (await readdir(folder)).sort();
  } catch (error) {
    return { stacks: [], faults: [{ folder, message: `the folder of the stacks cannot be read: ${reason(error)}` }] };
  }
  const stacks: FoundStack[] = [];
  const faults: StackFault[] = [];
  const owners = new Map<string, string>();
  const found = await Promise.all(names.map((name) => loadStack(join(folder, name), timeoutMs)));
  for (const [index, result] of found.entries()) {
    const name = names[index] ?? '';
    if (result === undefined) continue;
    if (typeof result === 'string') {
      faults.push({ folder: name, message: result });
      continue;
    }
    const owner = owners.get(result.stack.name);
    if (owner !== undefined) {
      faults.push({ folder: name, message: `its stack ${result.stack.name} has the name of the one in ${owner}` });
      continue;
    }
    owners.set(result.stack.name, name);
    stacks.push(result);
  }
  return { stacks, faults };
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
