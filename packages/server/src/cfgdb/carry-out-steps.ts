// Carries out the steps of a transaction, in order.
import { type Family, ProblemError } from '@telltale/schema';
import type { AuthorsRights } from './authors-rights.ts';
import type { ParsedObjects } from './check.ts';
import type { Database } from './database.ts';
import type { Step } from './read-objects.ts';
import { renameObjects } from './rename-object.ts';
import type { Edit } from './revisions.ts';

type Parsed = { [F in Family]?: Map<string, object> };

/**
 * Inside a change of the database. Takes the steps out of their list. Where they are to be `kept`, for a rendering, it
 * answers with objects that are parsed already.
 */
export function carryOutSteps(
  database: Database,
  steps: Step[],
  edit: Edit,
  rights: AuthorsRights,
  kept: boolean,
): ParsedObjects {
  let parsed: Parsed = {};
  for (const [index, step] of taken(steps)) {
    if (step.operation === 'put') {
      database.put(step.object, edit);
      if (kept) noteParsed(parsed, step);
    } else if (step.operation === 'rename') {
      renameObjects(database, step.renames, edit, rights);
      parsed = {}; // what refers to them is another text now
    } else if (!isSeen(database, rights, step) || !database.delete(step.family, step.name, edit)) {
      const detail = `${step.family} has no ${step.name} to delete, so nothing was changed.`;
      throw new ProblemError('operation-failed', detail, [
        { path: `/operations/${index}`, message: 'deletes what does not exist' },
      ]);
    }
  }
  return parsed;
}

function isSeen(
  { content }: Database,
  rights: AuthorsRights,
  { family, name }: { family: Family; name: string },
): boolean {
  return rights.sees(family, name, content[family].get(name));
}

/** Each with its index, and taken out of the list: what it has is not needed any more when it is done. */
function* taken(steps: Step[]): Generator<[index: number, step: Step]> {
  const { length } = steps;
  steps.reverse();
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) yield [length - 1 - steps.length, step];
}

/** An object that was put, as it was sent; one that is put again is another one, whether it is parsed or not. */
function noteParsed(
  parsed: Parsed,
  { object: { family, name }, parsed: object }: Extract<Step, { operation: 'put' }>,
): void {
  parsed[family] ??= new Map();
  if (object === undefined) parsed[family].delete(name);
  else parsed[family].set(name, object);
}
