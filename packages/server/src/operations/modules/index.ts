// Function modules, as version 1 shows them.
export { ModuleAccess, type ServedModules } from './module-access.ts';
