// Turns what a client or a file sent into objects ready to be stored, or says everything that is wrong with it.
import {
  type Checker,
  checker,
  type Family,
  type FamilyObject,
  type Fault,
  families,
  familyNames,
  isIdentifier,
  maxOperations,
  OperationEnvelope,
  ProblemError,
  pointerPart,
  reservedName,
} from '@telltale/schema';
import { type ColumnValue, refuseUnstorable, tables, toColumns, toText } from './tables.ts';

/** An object that fits its schema, as columns and as canonical text. */
export interface StoredObject {
  readonly family: Family;
  readonly name: string;
  readonly values: readonly ColumnValue[];
  readonly text: string;
}

export type Step =
  | { readonly operation: 'put'; readonly object: StoredObject; readonly parsed: FamilyObject[Family] }
  | { readonly operation: 'delete'; readonly family: Family; readonly name: string };

const mostFaults = 100;
const envelope = checker(OperationEnvelope);
const checkers = Object.fromEntries(familyNames.map((family) => [family, checker(families[family])])) as Record<
  Family,
  Checker
>;

/** Reads the body of a PUT; `at` is where it stands in the request. Returns undefined where it pushed faults. */
export function readObject(
  family: Family,
  name: string,
  body: unknown,
  at: string,
  faults: Fault[],
): StoredObject | undefined {
  const object = readFitting(family, name, body, at, faults);
  return object === undefined ? undefined : toStored(family, name, object, at);
}

function readFitting(
  family: Family,
  name: string,
  body: unknown,
  at: string,
  faults: Fault[],
): FamilyObject[Family] | undefined {
  const object = withoutNulls(family, body);
  const found = checkers[family].fits(object) ? [] : checkers[family].faults(object, at, mostFaults - faults.length);
  const ownName = (object as { name?: unknown } | null)?.name;
  if (typeof ownName === 'string' && ownName !== name && isIdentifier(ownName)) {
    found.push({ path: `${at}/name`, message: `must be ${name}, the name that the request is about` });
  }
  faults.push(...found);
  return found.length > 0 ? undefined : (object as FamilyObject[Family]);
}

function toStored(family: Family, name: string, object: FamilyObject[Family], at: string): StoredObject {
  const values = toColumns(family, object);
  const text = toText(tables[family], values);
  refuseUnstorable(object, text, at);
  return { family, name, values, text };
}

/** A field that is null is not set; one that is unknown stays, to be refused. */
function withoutNulls(family: Family, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  if (!Object.values(body).includes(null)) return body;
  const known = families[family].properties;
  return Object.fromEntries(
    Object.entries(body).filter(([field, value]) => value !== null || !Object.hasOwn(known, field)),
  );
}

export function readTransaction(body: unknown): Step[] {
  const operations = (body as { operations?: unknown } | null)?.operations;
  const faults: Fault[] = [];
  if (!Array.isArray(operations)) {
    throw invalidBody([{ path: '/operations', message: 'must be an array of operations' }]);
  }
  for (const field of Object.keys(body as object)) {
    if (field === 'operations' || faults.length >= mostFaults) continue;
    faults.push({ path: `/${pointerPart(field)}`, message: 'is unknown; known is operations' });
  }
  if (operations.length > maxOperations) {
    throw new ProblemError(
      'too-many-operations',
      `The transaction has ${operations.length} operations; at most ${maxOperations}.`,
    );
  }
  const steps: Step[] = [];
  for (let index = 0; index < operations.length && faults.length < mostFaults; index++) {
    const step = readOperation(operations[index], `/operations/${index}`, faults);
    if (step !== undefined) steps.push(step);
  }
  if (faults.length > 0) throw invalidBody(faults);
  return steps;
}

function readOperation(value: unknown, at: string, faults: Fault[]): Step | undefined {
  if (!envelope.fits(value)) {
    faults.push(...envelope.faults(value, at, mostFaults - faults.length));
    return undefined;
  }
  const { operation, family, name, object } = value as {
    operation: 'put' | 'delete';
    family: Family;
    name: string;
    object?: unknown;
  };
  if (operation === 'delete') {
    if (object === undefined || object === null) return { operation, family, name };
    faults.push({ path: `${at}/object`, message: 'a delete has no object' });
    return undefined;
  }
  if (name === reservedName) {
    faults.push({ path: `${at}/name`, message: `${reservedName} is a reserved word` });
    return undefined;
  }
  const inside = `${at}/object`;
  const parsed = readFitting(family, name, object, inside, faults);
  return parsed === undefined ? undefined : { operation, object: toStored(family, name, parsed, inside), parsed };
}

export function invalidBody(faults: Fault[]): ProblemError {
  const [first] = faults;
  const more = faults.length > 1 ? `, and ${faults.length - 1} more` : '';
  return new ProblemError('invalid-body', `${first?.path || 'The body'} ${first?.message}${more}.`, faults);
}
