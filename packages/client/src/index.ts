// A typed client of both interfaces and the channel, for Node and browsers.

export type { ArchiveColumns } from '@telltale/schema';
export {
  describeQuality,
  formatPrefixed,
  formatTimestamp,
  fromTimestamp,
  isBad,
  isGood,
  isUncertain,
  parsePrefixed,
  parsePrefixedAs,
  quality,
  type Value,
  ValueError,
} from '@telltale/schema/values';
export * from './access-management.ts';
export * from './approvals.ts';
export * from './archive-access.ts';
export * from './audit.ts';
export * from './bus-management.ts';
export * from './certificates.ts';
export * from './channel.ts';
export * from './configuration-access.ts';
export type { ChannelState, Socket, WebSocketConstructor } from './connection.ts';
export type { Credential } from './credential.ts';
export type {
  AlarmCriteria,
  AlarmSelector,
  CommandSelector,
  MeasurementCriteria,
  MeasurementSelector,
  PointCriteria,
} from './criteria.ts';
export * from './data-access.ts';
export { Overrun, readProblem, TelltaleProblem, Unreachable } from './errors.ts';
export { type ModuleEnvironment, moduleEnvironment } from './module/module-environment.ts';
export { newLines } from './new-lines.ts';
export type { NewApp, SecondFactors } from './second-factors.ts';
export * from './secrets.ts';
export { type MetricSample, readMetrics, type ServiceAccess } from './service-access.ts';
export * from './sites.ts';
export * from './telltale-client.ts';
export type { AskOptions, Bytes, Download } from './transport.ts';
export type { NamedUpdate, Updates } from './update-queue.ts';
export type { WatchedNames } from './watch-table.ts';
