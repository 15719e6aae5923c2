// Function modules: their executables, and what runs them.
export { Executables } from './executables.ts';
export { type FunctionModuleListener, FunctionModules, type FunctionModulesOptions } from './function-modules.ts';
export type { Bounds, ModuleLines, ModuleProcesses, ProcessEvents } from './keeper/keeper-protocol.ts';
export { UnusableUser } from './keeper/module-user.ts';
export type { ModuleConnection } from './liveness.ts';
export type { ServiceUrls } from './module-environment.ts';
export type { RunTokens } from './module-run.ts';
export { ModuleService } from './module-service.ts';
export type { UploadRecord, UploadStore } from './uploads.ts';
