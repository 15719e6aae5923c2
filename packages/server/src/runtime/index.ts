// Runs what was rendered.
export { inSlices, Slices } from './in-slices.ts';
export { Runtime } from './runtime.ts';
