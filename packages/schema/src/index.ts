// Everything that goes over the wire and into the database: schemas, codecs, problems.
export * from './access.ts';
export * from './actions.ts';
export * from './alarm-triggers.ts';
export * from './approvals.ts';
export * from './archive.ts';
export * from './areas.ts';
export * from './audit.ts';
export * from './bus-members.ts';
export * from './certificates.ts';
export * from './channel.ts';
export * from './channel-notifications.ts';
export * from './configuration.ts';
export * from './copy.ts';
export * from './data-access.ts';
export * from './diagnostics.ts';
export * from './field-hints.ts';
export { maxFaults } from './find-faults.ts';
export * from './function-modules.ts';
export * from './operations/index.ts';
export * from './overview.ts';
export * from './revision.ts';
export * from './second-factors.ts';
export * from './secrets.ts';
export * from './selector-inputs.ts';
export * from './settings.ts';
export * from './sites.ts';
export * from './stack-description.ts';
export * from './table.ts';
export * from './transaction.ts';
export * from './typical.ts';
export * from './validate.ts';
export * from './values.ts';
export {
  ArchiveQuality,
  Fault,
  Identifier,
  NameOrPattern,
  PrefixedValue,
  Problem,
  Quality,
  Timestamp,
} from './wire-schemas.ts';
