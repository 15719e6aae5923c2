// Function modules: their executables.
export { Executables } from './executables.ts';
export { type FunctionModuleListener, FunctionModules } from './function-modules.ts';
