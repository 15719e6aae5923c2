// Makes a family what a table says, as one transaction, and tells what that changes.
import { type Family, type Fault, ProblemError, type TableResult } from '@telltale/schema';
import { placeIn } from '../sheets/index.ts';
import type { Configuration, Rendering } from './configuration.ts';
import type { Step } from './read-objects.ts';
import { readRenames } from './read-renames.ts';
import { headingAt, readTable, type TableSteps } from './read-table.ts';
import type { Rename } from './renamed-references.ts';
import { type SharedBytes, shownBytes } from './shared-bytes.ts';

export interface PutTableOptions extends Rendering {
  /** Everything is checked and carried out, and undone. */
  readonly dryRun: boolean;
  /** Objects that the table does not have are deleted. */
  readonly deleteMissing: boolean;
}

/** In steps; no other change may come between them. */
export function* putTable(
  configuration: Pick<Configuration, 'objects' | 'objectsAfter' | 'sealed' | 'takenFault' | 'transaction'>,
  family: Family,
  table: Uint8Array,
  { dryRun, render, comment, deleteMissing }: PutTableOptions,
  author: string,
): Generator<undefined, SharedBytes> {
  const takenFault = (rename: Rename) => configuration.takenFault(rename);
  const renames = yield* readRenames(family, table, { objects: configuration.objects(family), takenFault });
  const objects = configuration.objectsAfter(renames, family);
  const formerNames = new Map(renames.map(({ from, to }) => [to, from]));
  const read = yield* readTable(family, table, objects, {
    deleteMissing,
    listChanges: dryRun,
    formerNames,
    sealed: (object) => configuration.sealed(object),
  });
  const { rows, added, changed, removed, unchanged, changes } = read;
  const steps: Step[] = renames.length > 0 ? [{ operation: 'rename', renames }, ...read.steps] : read.steps;
  try {
    if (steps.length > 0 || render) configuration.transaction(steps, { commit: !dryRun, render, comment }, author);
  } catch (error) {
    throw withRows(error, family, read);
  }
  const renamed = renames.length > 0 ? { renamed: renames.length } : {};
  const result: TableResult = { rows, added, ...renamed, changed, removed, unchanged, ...(dryRun && { changes }) };
  return shownBytes([JSON.stringify(result)]);
}

/** What a rendering refuses is named by its row, where it is in the table. */
function withRows(error: unknown, family: Family, { rowOf }: TableSteps): unknown {
  if (!(error instanceof ProblemError) || error.problem !== 'render-refused') return error;
  const errors = error.errors?.map((fault) => {
    const row = fault.family === family && fault.name !== undefined ? rowOf(fault.name) : undefined;
    return row === undefined ? fault : { ...fault, path: placeIn(row, columnOf(fault)) };
  });
  return new ProblemError(error.problem, error.message, errors);
}

/** The field, or the key of a map, which has a column of its own. */
function columnOf({ path, field = '' }: Fault): string {
  const at = path.split('/').slice(3);
  return at[0] === field ? headingAt(`/${at.join('/')}`) : field;
}
