// What goes over the wire and into the database: schemas, codecs, problems.
export * from './batch.ts';
export * from './channel.ts';
export * from './clock.ts';
export * from './configuration.ts';
export * from './data-access.ts';
export * from './datatype.ts';
export * from './duration.ts';
export * from './identifier.ts';
export * from './json.ts';
export * from './parse-json.ts';
export * from './problem.ts';
export * from './quality.ts';
export * from './revision.ts';
export * from './timestamp.ts';
export * from './transaction.ts';
export * from './validate.ts';
export * from './value.ts';
