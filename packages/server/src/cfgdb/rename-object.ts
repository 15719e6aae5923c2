// Gives objects of the configuration other names, with everything that refers to them, and notes that their history is to follow.
import { type Family, type FamilyObject, type Fault, ProblemError, parseJson, reservedName } from '@telltale/schema';
import type { AuthorsRights } from './authors-rights.ts';
import type { Content } from './content.ts';
import type { Database } from './database.ts';
import { invalidBody, readObject, type StoredObject, unknownObject } from './read-objects.ts';
import { type Referrer, type Rename, renamedReferences } from './renamed-references.ts';
import { keyOf } from './renames.ts';
import type { Edit } from './revisions.ts';

/**
 * Inside a change of the database, all at once; answers with what refers to the objects, and now does so by their new names.
 * Throws `ProblemError` where there is no such object, or another one has the name.
 */
export function renameObjects(
  database: Database,
  renames: readonly Rename[],
  edit: Edit,
  rights: AuthorsRights,
): Pick<Referrer, 'family' | 'name'>[] {
  const { content, rendered } = database;
  const isSeen = (family: Family, name: string) => rights.sees(family, name, content[family].get(name));
  const taken = new Set<string>();
  for (const rename of renames) {
    const { family, from, to } = rename;
    if (!isSeen(family, from)) throw unknownObject(family, from);
    if (to === reservedName) throw new ProblemError('reserved-name', `${reservedName} is a reserved word.`);
    const fault = taken.has(keyOf(family, to)) ? `another one is renamed to ${to}` : takenFault(database, rename);
    if (fault !== undefined) throw new ProblemError('name-taken', `${family}/${from} was not renamed: ${fault}.`);
    taken.add(keyOf(family, to));
  }
  const { renamed, referrers } = afterRenames(content, renames);
  if (!referrers.every(({ family, name }) => isSeen(family, name))) throw rights.refuseUnseen('It would change');
  for (const { family, from } of renames) database.delete(family, from, edit);
  for (const object of [...renamed, ...referrers]) database.put(object, edit);
  for (const rename of renames) database.renames.note(rename, rendered[rename.family].has(rename.from));
  database.made.rename(renames);
  return referrers.map(({ family, name }) => ({ family, name }));
}

/** The objects under their new names, and what refers to them, as they are after the renames. */
export function afterRenames(
  content: Content,
  renames: readonly Rename[],
): { renamed: StoredObject[]; referrers: StoredObject[] } {
  const changed = new Map<string, Referrer>();
  for (const each of renamedReferences(content, renames)) changed.set(keyOf(each.family, each.name), each);
  const renamed = renames.map(({ family, from, to }) => {
    const key = keyOf(family, from);
    const object = changed.get(key)?.object ?? (parseJson(content[family].get(from) ?? '') as object);
    changed.delete(key);
    return toStored({ family, name: to, object: { ...object, name: to } as FamilyObject[Family] });
  });
  return { renamed, referrers: Array.from(changed.values(), toStored) };
}

/** Why an object cannot get the name: another object is configured under it, or still runs. */
export function takenFault({ content, rendered, renames }: Database, { family, from, to }: Rename): string | undefined {
  if (content[family].has(to)) return `${family} has ${to} already`;
  if (!rendered[family].has(to) || renames.formerNameOf(family, from) === to) return undefined;
  return `another ${to} runs until its deletion is rendered; render first`;
}

function toStored({ family, name, object }: Referrer): StoredObject {
  const faults: Fault[] = [];
  const stored = readObject(family, name, object, `/${family}/${name}`, faults);
  if (stored === undefined) throw invalidBody(faults);
  return stored;
}
