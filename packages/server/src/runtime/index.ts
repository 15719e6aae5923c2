// Runs what was rendered.

export { LinkControl } from './link-control.ts';
export { Runtime } from './runtime.ts';
export { Slices } from './slices.ts';
