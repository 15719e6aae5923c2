// Function modules: their executables, and what runs them.
export { Executables } from './executables.ts';
export {
  type FunctionModuleListener,
  FunctionModules,
  type FunctionModulesOptions,
  type RunTokens,
  type ServiceUrls,
} from './function-modules.ts';
export type { Bounds, ModuleLines, ModuleProcesses, ProcessEvents } from './keeper/keeper-protocol.ts';
export type { ModuleConnection } from './module-supervisor.ts';
