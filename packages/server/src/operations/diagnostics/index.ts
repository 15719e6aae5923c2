// Diagnostics of connectors, providers and measurements, and what devices have to offer: version 1.
export { StackAccess } from './stack-access.ts';
