// The demonstration configuration that a new data folder starts with.
export { waterworks } from './waterworks.ts';
