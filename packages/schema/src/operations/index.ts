// The catalogue: every operation of the service, by name.
import { accessOperations } from './access.ts';
import { actionOperations } from './actions.ts';
import { approvalOperations } from './approvals.ts';
import { archiveOperations } from './archive.ts';
import { auditOperations } from './audit.ts';
import { busMemberOperations } from './bus-members.ts';
import { certificateOperations } from './certificates.ts';
import { databaseOperations, executableOperations, schemaOperations, stackOperations } from './configuration.ts';
import { configuredObjectOperations } from './configured-objects.ts';
import { copyOperations } from './copies.ts';
import { connectorOperations, functionModuleOperationsOfService, providerOperations } from './instances.ts';
import {
  alarmOperationsOfService,
  areaOperations,
  commandOperations,
  explainOperations,
  liveObjectsOperations,
  measurementOperations,
} from './live-objects.ts';
import type { DeclaredOperation, HttpOperation, OperationInput } from './operation.ts';
import { overviewOperations } from './overview.ts';
import { pictureOperations } from './pictures.ts';
import { renameOperations } from './renames.ts';
import { revisionOperations } from './revisions.ts';
import { secondFactorOperations } from './second-factors.ts';
import { secretOperations } from './secrets.ts';
import { operationListOperations, serviceOperations } from './service.ts';
import { siteOperations } from './sites.ts';
import { standbyOperations } from './standby.ts';
import { tableOperations } from './tables.ts';
import { typicalOperations } from './typicals.ts';
import { watchOperations } from './watches.ts';

export const operations = {
  ...measurementOperations,
  ...commandOperations,
  ...alarmOperationsOfService,
  ...connectorOperations,
  ...providerOperations,
  ...certificateOperations,
  ...explainOperations,
  ...areaOperations,
  ...liveObjectsOperations,
  ...actionOperations,
  ...approvalOperations,
  ...functionModuleOperationsOfService,
  ...pictureOperations,
  ...archiveOperations,
  ...configuredObjectOperations,
  ...tableOperations,
  ...renameOperations,
  ...typicalOperations,
  ...copyOperations,
  ...stackOperations,
  ...schemaOperations,
  ...secretOperations,
  ...databaseOperations,
  ...revisionOperations,
  ...executableOperations,
  ...accessOperations,
  ...secondFactorOperations,
  ...auditOperations,
  ...overviewOperations,
  ...siteOperations,
  ...standbyOperations,
  ...busMemberOperations,
  ...operationListOperations,
  ...serviceOperations,
  ...watchOperations,
} satisfies Record<string, DeclaredOperation>;

export type OperationName = keyof typeof operations;
export const operationNames = Object.keys(operations) as OperationName[];

/** Of those with an HTTP form. */
export type HttpOperationName = {
  [N in OperationName]: (typeof operations)[N] extends HttpOperation ? N : never;
}[OperationName];
export const httpOperationNames = operationNames.filter(isOfHttp);

/** The declaration, without the types of this particular one. */
export function declarationOf(name: HttpOperationName): HttpOperation;
export function declarationOf(name: OperationName): DeclaredOperation;
export function declarationOf(name: OperationName): DeclaredOperation {
  return operations[name];
}

function isOfHttp(name: OperationName): name is HttpOperationName {
  return 'http' in operations[name];
}

/** Of those that the channel itself carries out. */
export type WatchOperationName = keyof typeof watchOperations;

export type InputOf<N extends OperationName> = OperationInput<(typeof operations)[N]>;

export { maxBatchItems } from './channel-fields.ts';
export {
  type Action,
  type BodyLimit,
  type ChannelForm,
  type DeclaredOperation,
  type Effect,
  type HttpAnswer,
  type HttpBody,
  type HttpForm,
  type HttpOperation,
  inputsInBody,
  type Method,
  type Needed,
  ofJsonBodies,
  type Resource,
  type WatchKind,
} from './operation.ts';
export { type PictureField, pictureFields, type TrendField, trendFields } from './pictures.ts';
export { Renamed } from './renames.ts';

export { type Tag, tagOf } from './tags.ts';
