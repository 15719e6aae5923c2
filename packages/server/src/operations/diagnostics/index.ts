// Diagnostics of connectors, providers and measurements, and what devices have to offer: version 1.
export { rounded } from './instance-wire.ts';
export { StackAccess } from './stack-access.ts';
