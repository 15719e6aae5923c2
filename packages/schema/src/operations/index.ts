// The catalogue: every operation of the service, by name.
import { archiveOperations } from './archive.ts';
import { databaseOperations, executableOperations, stackOperations } from './configuration.ts';
import { configuredObjectOperations } from './configured-objects.ts';
import { connectorOperations, functionModuleOperationsOfService, providerOperations } from './instances.ts';
import {
  alarmOperationsOfService,
  commandOperations,
  explainOperations,
  measurementOperations,
} from './live-objects.ts';
import type { DeclaredOperation, OperationInput } from './operation.ts';
import { operationListOperations, serviceOperations } from './service.ts';

export const operations = {
  ...measurementOperations,
  ...commandOperations,
  ...alarmOperationsOfService,
  ...connectorOperations,
  ...providerOperations,
  ...explainOperations,
  ...functionModuleOperationsOfService,
  ...archiveOperations,
  ...configuredObjectOperations,
  ...stackOperations,
  ...databaseOperations,
  ...executableOperations,
  ...operationListOperations,
  ...serviceOperations,
} satisfies Record<string, DeclaredOperation>;

export type OperationName = keyof typeof operations;
export const operationNames = Object.keys(operations) as OperationName[];

/** The declaration, without what is known of this one alone. */
export const declarationOf = (name: OperationName): DeclaredOperation => operations[name];

/** What an operation is asked with, checked. */
export type InputOf<N extends OperationName> = OperationInput<(typeof operations)[N]>;

export { bytesType, sqliteType } from './configuration.ts';
export { familyTitles } from './configured-objects.ts';
export { maxNames } from './inputs.ts';
export {
  type Action,
  type BodyLimit,
  type DeclaredOperation,
  type Effect,
  type HttpAnswer,
  type HttpBody,
  type HttpForm,
  jsonType,
  type Method,
  ofJsonBodies,
  type Resource,
} from './operation.ts';
