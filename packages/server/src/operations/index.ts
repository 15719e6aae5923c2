// The operations of the service: how each is carried out, for any caller, and the gate that all of them pass.

export * from './archive/index.ts';
export { areasAt, areasOf } from './areas-of.ts';
export { Confirmations } from './confirmations.ts';
export * from './data/index.ts';
export * from './diagnostics/index.ts';
export { type ExampleObject, type ExamplePlant, examplePlant } from './example-plant.ts';
export { Gate, type GatedOperation, type GateOptions, type Guarded, noNote } from './gate.ts';
export * from './implementations/index.ts';
export { defaultPaths, type InterfacePaths, pathOf } from './paths.ts';
export { RecordedClients } from './recorded-clients.ts';
export { type Asking, type Note, type Noted, Recording, type Trail } from './recording.ts';
export type { CodedReply, FileReply, PagesReply, StreamReply, WithHeaders } from './replies.ts';
export * from './sites/index.ts';
