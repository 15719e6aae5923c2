// For function modules in TypeScript and JavaScript: connects from the environment that the service gives a module, and
// runs it until a stop is requested. Loads no schemas, so that the uploaded file stays small. Needs Node.
import { moduleEnvironment } from './module/module-environment.ts';
import { type ModuleOptions, RunningModule } from './module/running-module.ts';

export { describeQuality, isBad, isGood, isUncertain, type Value } from '@telltale/schema/values';
export { TelltaleProblem, Unreachable } from './errors.ts';
export { type ModuleEnvironment, moduleEnvironment } from './module/module-environment.ts';
export type { WriteFailure } from './module/output-writes.ts';
export type { Plant } from './module/plant.ts';
export type { Point } from './module/point.ts';
export type { ModuleOptions } from './module/running-module.ts';

/** So long what the program has left open may keep the process when the module has stopped. */
const graceMs = 1000;

/**
 * Runs a module, given the environment of its process: to call it is the whole program. Resolves when it was stopped;
 * then the process ends with 0, whatever is still open. Rejects with what a cycle throws: not caught, that ends the
 * process with 1.
 */
export async function module(env: Readonly<Record<string, string | undefined>>, options: ModuleOptions): Promise<void> {
  const environment = moduleEnvironment(env);
  if (options.signal !== undefined) return new RunningModule(environment, options, options.signal).run();
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
  await new RunningModule(environment, options, stopping.signal).run();
  setTimeout(() => process.exit(), graceMs).unref();
}
