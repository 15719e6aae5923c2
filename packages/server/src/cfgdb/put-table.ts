// Makes a family what a table says, as one transaction, and tells what that changes.
import { type Family, ProblemError, type TableResult } from '@telltale/schema';
import type { Configuration, Rendering } from './configuration.ts';
import { placeIn, readTable, type TableSteps } from './read-table.ts';
import { type SharedBytes, sharedBytes } from './shared-bytes.ts';

export interface PutTableOptions extends Rendering {
  /** Everything is checked and carried out, and undone. */
  readonly dryRun: boolean;
  /** Objects that the table does not have are deleted. */
  readonly deleteMissing: boolean;
}

/** In steps; no other change may come between them. */
export function* putTable(
  configuration: Pick<Configuration, 'objects' | 'transaction'>,
  family: Family,
  table: Uint8Array,
  { dryRun, render, comment, deleteMissing }: PutTableOptions,
  author: string,
): Generator<undefined, SharedBytes> {
  const objects = configuration.objects(family);
  const read = yield* readTable(family, table, objects, { deleteMissing, listChanges: dryRun });
  const { steps, rows, added, changed, removed, unchanged, changes } = read;
  try {
    if (steps.length > 0 || render) configuration.transaction(steps, { commit: !dryRun, render, comment }, author);
  } catch (error) {
    throw withRows(error, family, read);
  }
  const result: TableResult = { rows, added, changed, removed, unchanged, ...(dryRun && { changes }) };
  return sharedBytes([JSON.stringify(result)]);
}

/** What a rendering refuses is named by its row, where it is in the table. */
function withRows(error: unknown, family: Family, { rowOf }: TableSteps): unknown {
  if (!(error instanceof ProblemError) || error.problem !== 'render-refused') return error;
  const errors = error.errors?.map((fault) => {
    const row = fault.family === family && fault.name !== undefined ? rowOf(fault.name) : undefined;
    return row === undefined ? fault : { ...fault, path: placeIn(row, fault.field ?? '') };
  });
  return new ProblemError(error.problem, error.message, errors);
}
