// Function modules: what the service says of them, and what people do to them. Their logs and executables are elsewhere.
import type { FunctionModuleOperation, LiveFunctionModule } from '@telltale/schema';
import { client } from './service.ts';

export async function readModules(signal: AbortSignal): Promise<LiveFunctionModule[]> {
  return Object.values(await client.functionModules.list({ signal }));
}

export function readModule(name: string, signal: AbortSignal): Promise<LiveFunctionModule> {
  return client.functionModules.get(name, { signal });
}

/** Resolves when its process is there, or nothing of it runs any more. */
export function operateModule(name: string, operation: FunctionModuleOperation): Promise<void> {
  return client.functionModules.operate(name, operation);
}
