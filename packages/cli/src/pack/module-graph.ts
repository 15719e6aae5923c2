// A program and everything that it imports, as Node itself finds it: exactly what would be loaded if it ran.
import { Worker } from 'node:worker_threads';
import { Refused } from '../declaration.ts';

export interface ModuleGraph {
  /** The program itself. */
  readonly main: string;
  /** By URL, in the order in which they were found. */
  readonly files: ReadonlyMap<string, GraphFile>;
}

export interface GraphFile {
  readonly format: 'module' | 'json';
  /** JavaScript: types are left out, and every line stays where it is. */
  readonly source: string;
  /** From what an import says to the URL of the file; what is Node's own is not in it. */
  readonly imports: ReadonlyMap<string, string>;
}

/** What the worker says. */
export type GraphAnswer = { readonly graph: ModuleGraph } | { readonly refused: string };

/** Throws `Refused` where something that is imported cannot be found, or is not what it should be. Runs nothing of it. */
export async function readGraph(mainUrl: string): Promise<ModuleGraph> {
  // A thread of its own: what this process has loaded already would not be looked at again.
  const worker = new Worker(new URL('./graph-worker.ts', import.meta.url), {
    workerData: mainUrl,
    execArgv: ['--no-warnings'],
  });
  const { promise, resolve, reject } = Promise.withResolvers<GraphAnswer>();
  worker.once('message', resolve);
  worker.once('error', reject);
  try {
    const answer = await promise;
    if ('graph' in answer) return answer.graph;
    throw new Refused(answer.refused);
  } finally {
    await worker.terminate();
  }
}
