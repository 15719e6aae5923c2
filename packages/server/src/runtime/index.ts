// Runs what was rendered.

export { LinkControl } from './link-control.ts';
export { type ProviderClients, Runtime } from './runtime.ts';
export { Slices } from './slices.ts';
