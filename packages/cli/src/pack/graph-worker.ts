// Lets Node link a program without running it, and writes down what was loaded. The first module of all throws when it is
// run: by then everything that is imported was found, read and linked, and nothing after it is run.
import { readFileSync } from 'node:fs';
import { isBuiltin, type LoadHookSync, type ResolveHookSync, registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { GraphAnswer } from './module-graph.ts';

const mainUrl = workerData as string;
const barrierUrl = 'telltale-barrier:';
const barrier = 'linked';
const files = new Map<string, { format: 'module' | 'json'; source: string; imports: Map<string, string> }>();

const resolve: ResolveHookSync = (specifier, context, nextResolve) => {
  if (specifier === barrierUrl) return { url: barrierUrl, shortCircuit: true };
  const from = files.get(context.parentURL ?? ''); // before the next hook, which changes the context
  const resolved = find();
  if (!isBuiltin(resolved.url)) from?.imports.set(specifier, resolved.url);
  return resolved;

  function find() {
    try {
      return nextResolve(specifier, context);
    } catch (error) {
      // Beside a program that was written in an empty folder there is no client: then it is the one of this command.
      if (!specifier.startsWith('@telltale/')) throw error;
      return nextResolve(specifier, { ...context, parentURL: import.meta.url });
    }
  }
};

const load: LoadHookSync = (url, context, nextLoad) => {
  if (url === barrierUrl) {
    return { format: 'module', source: `throw ${JSON.stringify(barrier)};`, shortCircuit: true };
  }
  if (isBuiltin(url) || url.startsWith('data:')) return nextLoad(url, context);
  const file = readFile(url, context.format ?? '');
  files.set(url, { ...file, imports: new Map() });
  return { ...file, shortCircuit: true };
};

function readFile(url: string, format: string): { format: 'module' | 'json'; source: string } {
  if (!url.startsWith('file:')) throw new Error(`${url} is no file: only files can be packed`);
  const path = fileURLToPath(url);
  const isForeign = url.includes('/node_modules/');
  if (/\.(?:node|wasm|cjs|cts)$/.test(path) || (isForeign && format.startsWith('commonjs'))) {
    throw new Error(`${path} is no ES module: only ES modules and JSON can be packed`);
  }
  const text = readFileSync(path, 'utf8');
  if (path.endsWith('.json')) return { format: 'json', source: text };
  return { format: 'module', source: /\.m?ts$/.test(path) ? withoutTypes(text, path) : text };
}

registerHooks({ resolve, load });
const program = `import '${barrierUrl}'; import ${JSON.stringify(mainUrl)};`;
const answer = await import(`data:text/javascript,${encodeURIComponent(program)}`).then(
  (): GraphAnswer => ({ refused: 'It was run instead of packed.' }),
  (error): GraphAnswer => (error === barrier ? { graph: { main: mainUrl, files } } : { refused: reasonOf(error) }),
);
parentPort?.postMessage(answer);

function withoutTypes(text: string, path: string): string {
  try {
    return stripTypeScriptTypes(text);
  } catch (error) {
    const { message, stack = '' } = error as Error;
    throw new Error(`${path}:${/^:(\d+)/.exec(stack)?.[1] ?? 1} ${message}`); // where it is stands only in the stack
  }
}

function reasonOf(error: unknown): string {
  const { message, stack = '', code } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === 'ERR_MODULE_NOT_FOUND') return `${message}: install it, or take the import out.`;
  const [, url, line] = /^(file:.*):(\d+)\n/.exec(stack) ?? [];
  if (error instanceof SyntaxError && url === undefined)
    return `${fileURLToPath(mainUrl)}, or what it imports: ${message}.`;
  return url === undefined ? `${message}.` : `${fileURLToPath(url)}:${line} ${message}.`;
}
