// What goes over the wire and into the database: schemas, codecs, problems.
export * from './archive.ts';
export * from './channel.ts';
export * from './configuration.ts';
export * from './csv.ts';
export * from './data-access.ts';
export * from './diagnostics.ts';
export * from './duration.ts';
export * from './function-modules.ts';
export * from './identifier.ts';
export * from './json.ts';
export * from './json-list.ts';
export * from './revision.ts';
export * from './transaction.ts';
export * from './validate.ts';
export * from './values.ts';
export { ArchiveQuality, Fault, PrefixedValue, Problem, Quality, Timestamp } from './wire-schemas.ts';
