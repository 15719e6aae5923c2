// How the operations of the catalogue are carried out.
export { type AccessParts, access } from './access.ts';
export { type ActionParts, actions } from './actions.ts';
export { type ApprovalParts, approvals } from './approvals.ts';
export { type ArchiveParts, type ArchiveReadParts, archive, archiveReads } from './archive.ts';
export { type AuditParts, audit } from './audit.ts';
export { type BusAdmissionParts, busMembers } from './bus-members.ts';
export { certificates, type ServedCertificates } from './certificates.ts';
export { type ConfigurationParts, configuration } from './configuration.ts';
export { configuredObjects } from './configured-objects.ts';
export {
  type Asked,
  type AskedWithBody,
  type Implementations,
  type ImplementedName,
  type Run,
  runOf,
  type Versioned,
} from './implementation.ts';
export { type InstanceParts, instances } from './instances.ts';
export { liveObjects } from './live-objects.ts';
export { once } from './once.ts';
export { type OverviewParts, overview } from './overview.ts';
export { pictures } from './pictures.ts';
export { revisions } from './revisions.ts';
export { secondFactors } from './second-factors.ts';
export { type ServedSecrets, secrets } from './secrets.ts';
export { type ServiceParts, service } from './service.ts';
export { sites } from './sites.ts';
export { type StandbyParts, standby } from './standby.ts';
export { tables } from './tables.ts';
export { typicals } from './typicals.ts';
