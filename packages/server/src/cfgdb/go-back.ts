// Makes objects of the database what they were in another configuration: what runs, or a revision. Objects that were renamed
// since get their name back as a rename, so that their history follows.
import { type ComparedChange, type Family, nameMatcher } from '@telltale/schema';
import type { AuthorsRights } from './authors-rights.ts';
import { type Content, compareObject, Differences } from './content.ts';
import type { Database } from './database.ts';
import { renameObjects, takenFault } from './rename-object.ts';
import type { Rename } from './renamed-references.ts';
import { formerNames, keyOf } from './renames.ts';
import type { Edit } from './revisions.ts';
import { removalsIn, renamesIn } from './stored-changes.ts';

/** All objects, those of a family, or those of a name or pattern. */
export interface Selection {
  readonly family?: Family | undefined;
  readonly name?: string | undefined;
}

/** The database, after all revisions. */
export const edited = Number.POSITIVE_INFINITY;

/** From the names that objects have in one revision to those in another. */
export function renamesBetween(database: Database, from: number, to: number): Rename[] {
  if (from > to) return renamesBetween(database, to, from).map(reversed);
  let renames: Rename[] = [];
  for (const text of database.revisions.changesBetween(from, to)) {
    renames = following(renames, renamesIn(text), removalsIn(text));
  }
  return to === edited
    ? following(renames, database.renames.pending(database.rendered, database.content), [])
    : renames;
}

const reversed = ({ family, from, to }: Rename): Rename => ({ family, from: to, to: from });

/** `next` and what was `removed` come after `renames`; a renamed object counts among the removed, by its old name. */
function following(
  renames: readonly Rename[],
  next: readonly Rename[],
  removed: readonly { family: Family; name: string }[],
): Rename[] {
  if (renames.length === 0) return [...next];
  const first = formerNames(renames);
  const added = next.map((rename) => ({
    ...rename,
    from: first.get(keyOf(rename.family, rename.from)) ?? rename.from,
  }));
  const gone = new Set([...removed, ...next.map(({ family, from: name }) => ({ family, name }))].map(keyOfObject));
  return [...renames.filter(({ family, to }) => !gone.has(keyOf(family, to))), ...added].filter(
    ({ from, to }) => from !== to,
  );
}

const keyOfObject = ({ family, name }: { family: Family; name: string }) => keyOf(family, name);

/** What is different in `after`; `renames` lead from `before` to it. */
export function* comparison(before: Content, after: Content, renames: readonly Rename[]): Generator<ComparedChange> {
  const former = formerNames(renames.filter((rename) => isRename(rename, before, after)));
  for (const each of Differences.between(before, after)) {
    yield compareObject(before, after, each, former.get(keyOfObject(each)));
  }
}

function isRename({ family, from, to }: Rename, before: Content, after: Content): boolean {
  return before[family].has(from) && !before[family].has(to) && after[family].has(to) && !after[family].has(from);
}

/**
 * Inside a change of the database. `renames` lead from `wanted` to the database. Where one name of a renamed object is selected, so
 * is the other, and what refers to it follows.
 */
export function goBack(
  database: Database,
  wanted: Content,
  renames: readonly Rename[],
  isSelected: (family: Family, name: string) => boolean,
  edit: Edit,
  rights: AuthorsRights,
): void {
  const { content } = database;
  const back = renames
    .filter((rename) => isRename(rename, wanted, content))
    .filter(({ family, from, to }) => isSelected(family, from) || isSelected(family, to))
    .map(reversed)
    .filter((rename) => takenFault(database, rename) === undefined);
  const renamed = new Set(back.flatMap(({ family, from, to }) => [keyOf(family, from), keyOf(family, to)]));
  if (back.length > 0) renameObjects(database, back, edit, rights);
  for (const { family, name } of Differences.between(content, wanted)) {
    if (!isSelected(family, name) && !renamed.has(keyOf(family, name))) continue;
    const text = wanted[family].get(name);
    if (text === undefined) database.delete(family, name, edit);
    else database.put({ family, name, text }, edit);
  }
}

export function selector({ family, name }: Selection): (family: Family, name: string) => boolean {
  const matches = name === undefined ? () => true : nameMatcher([name]);
  return (itsFamily, itsName) => (family === undefined || itsFamily === family) && matches(itsName);
}
