// Diagnostics of connectors, providers and measurements, and what devices have to offer: version 1.
export { explainAway } from './explain-away.ts';
export { rounded } from './instance-wire.ts';
export { StackAccess } from './stack-access.ts';
