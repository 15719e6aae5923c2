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
  isUnset,
  maxFaults,
  maxOperations,
  OperationEnvelope,
  ProblemError,
  pointerTo,
  reservedName,
  strangersJson,
} from '@telltale/schema';
import { release } from '../threads/index.ts';
import { harmless } from './harmless.ts';
import type { Rename } from './renamed-references.ts';
import { type ColumnValue, refuseUnstorable, tables, toColumns, toText } from './tables.ts';

/** An object that fits its schema, as canonical text and as columns. */
export interface StoredObject {
  readonly family: Family;
  readonly name: string;
  readonly text: string;
  /** Undefined: they are to be made of the text. */
  readonly values?: readonly ColumnValue[] | undefined;
}

/** Of a longer object only the text is retained: parsed, it takes several times as much memory. */
const longText = 16 << 10;

export type Step =
  | { readonly operation: 'put'; readonly object: StoredObject; readonly parsed: FamilyObject[Family] | undefined }
  | { readonly operation: 'delete'; readonly family: Family; readonly name: string }
  | { readonly operation: 'rename'; readonly renames: readonly Rename[] };

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
  const object = withoutUnset(body);
  const found = checkers[family].faults(object, at, maxFaults - faults.length);
  const ownName = (object as { name?: unknown } | null)?.name;
  if (typeof ownName === 'string' && ownName !== name && isIdentifier(ownName)) {
    found.push({ path: `${at}/name`, message: `must be ${name}, the name that the request is about` });
  }
  faults.push(...found);
  return found.length > 0 ? undefined : harmless(family, object as FamilyObject[Family], at, faults);
}

function toStored(family: Family, name: string, object: FamilyObject[Family], at: string): StoredObject {
  const values = toColumns(family, object);
  const text = toText(tables[family], values);
  refuseUnstorable(object, text, at);
  return { family, name, text, values: text.length > longText ? undefined : values };
}

/** A field that is null is not set, also an unknown one; neither is a reference, a range or a deadband that is empty. */
function withoutUnset(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const fields = Object.entries(body);
  const set = fields.filter(([field, value]) => !isUnset(field, value));
  return set.length === fields.length ? body : Object.fromEntries(set);
}

/** Reads the operations in steps: what is wrong is refused at once. Bytes with memory of their own free it. */
export function* readTransaction(bytes: Uint8Array): Generator<undefined, Step[]> {
  const faults: Fault[] = [];
  const steps: Step[] = [];
  let index = 0;
  const take = (operations: readonly unknown[]) => {
    for (const operation of operations) {
      if (index === maxOperations) {
        throw new ProblemError('too-many-operations', `The transaction has more than ${maxOperations} operations.`);
      }
      const step = readOperation(operation, `/operations/${index++}`, faults);
      if (faults.length >= maxFaults) throw invalidBody(faults);
      if (step !== undefined) steps.push(step);
    }
  };
  const reader = strangersJson(bytes, { member: 'operations', take });
  yield* reader.read();
  const body = reader.value;
  const operations = (body as { operations?: unknown } | null)?.operations;
  if (!Array.isArray(operations)) {
    throw invalidBody([{ path: '/operations', message: 'must be an array of operations' }]);
  }
  take(operations);
  for (const field of Object.keys(body as object)) {
    if (field === 'operations' || faults.length >= maxFaults) continue;
    faults.push({ path: pointerTo([field]), message: 'is unknown; known is operations' });
  }
  if (faults.length > 0) throw invalidBody(faults);
  release(bytes);
  return steps;
}

function readOperation(value: unknown, at: string, faults: Fault[]): Step | undefined {
  if (!envelope.fits(value)) {
    faults.push(...envelope.faults(value, at, maxFaults - faults.length));
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
    faults.push(reservedFault(at));
    return undefined;
  }
  return readPut(family, name, object, `${at}/object`, faults);
}

/** Of an object that is not called by the reserved name, at `at` in the request. Returns undefined where it pushed faults. */
export function readPut(family: Family, name: string, object: unknown, at: string, faults: Fault[]): Step | undefined {
  const parsed = readFitting(family, name, object, at, faults);
  if (parsed === undefined) return undefined;
  const stored = toStored(family, name, parsed, at);
  return { operation: 'put', object: stored, parsed: stored.values && parsed };
}

export function reservedFault(at: string): Fault {
  return { path: `${at}/name`, message: `${reservedName} is a reserved word` };
}

export function invalidBody(faults: Fault[]): ProblemError {
  const [first] = faults;
  const more = faults.length > 1 ? `; and ${faults.length - 1} more ${faults.length === 2 ? 'error' : 'errors'}` : '';
  return new ProblemError('invalid-body', `${first?.path || 'The body'} ${first?.message}${more}.`, faults);
}

export function unknownObject(family: Family, name: string): ProblemError {
  const one = family.slice(0, -1).replace('-', ' ');
  return new ProblemError('unknown-object', `There is no ${one} ${JSON.stringify(name)} in the configuration.`);
}
