// Runs what was rendered.

export { Runtime } from './runtime.ts';
export { Slices } from './slices.ts';
