// Runs what was rendered.
export { Runtime } from './runtime.ts';
