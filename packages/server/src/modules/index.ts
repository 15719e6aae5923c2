// Function modules: their executables.
export { Executables } from './executables.ts';
