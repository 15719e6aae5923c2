// Live measurements and commands: their values, the chains that they pass, simulation, and what is read of them.

export type { ChainView } from './chain-view.ts';
export type { ChosenHandles } from './chosen-pages.ts';
export type { Lease } from './collection-copies.ts';
export type { CommandView } from './command-view.ts';
export { type CommandStore, Commands, type StoredCommand, type WriteToDevice } from './commands.ts';
export { type DisabledLink, type DisabledLinkStore, disabledText, type StoredDisabledLink } from './disabled-link.ts';
export type { LinkRole, Silence } from './links.ts';
export type { PastReading, ReadingTrial } from './measurement-chain.ts';
export type { Changes, MeasurementReader } from './measurement-reader.ts';
export { Measurements } from './measurements.ts';
export type { PreparedPoint } from './named-points.ts';
export { type Gathered, type Gathering, handlesOf, Pieces, stepItems } from './pieces.ts';
export { PointPersistence } from './point-persistence.ts';
export { countQuality, noQualities, type QualityCounts } from './quality-counts.ts';
export type { Reading } from './reading.ts';
export { RestingNumbers } from './resting-numbers.ts';
export type { SimulationRequest } from './simulation-control.ts';
export type { SimulationStore, StoredSimulation } from './simulations.ts';
export { sourceOf } from './source-of.ts';
export { Turns } from './turns.ts';
