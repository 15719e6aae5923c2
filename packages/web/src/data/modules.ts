// Function modules: what the service says of them, and what people do to them. Their logs and executables are elsewhere.
import type { FunctionModuleOperation, FunctionModuleStatus, LiveFunctionModule } from '@telltale/schema';
import { fromTimestamp } from '@telltale/schema/values';
import { client } from './service.ts';

export async function readModules(signal: AbortSignal): Promise<LiveFunctionModule[]> {
  return Object.values(await client.functionModules.list({ signal }));
}

export function readModule(name: string, signal: AbortSignal): Promise<LiveFunctionModule> {
  return client.functionModules.get(name, { signal });
}

/** What was read, with the state that was pushed: the newer one of both. */
export function withModuleState(
  module: LiveFunctionModule,
  pushed: FunctionModuleStatus | undefined,
): LiveFunctionModule {
  if (pushed === undefined || fromTimestamp(pushed.since) < fromTimestamp(module.since)) return module;
  return { ...module, ...pushed };
}

/** Resolves when its process is there, or nothing of it runs any more. */
export function operateModule(name: string, operation: FunctionModuleOperation): Promise<void> {
  return client.functionModules.operate(name, operation);
}
