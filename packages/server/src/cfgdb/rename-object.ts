// Gives an object of the configuration another name, with everything that refers to it, and notes that its history is to follow.
import { type Family, type FamilyObject, type Fault, ProblemError, parseJson, reservedName } from '@telltale/schema';
import type { Database } from './database.ts';
import { invalidBody, readObject, unknownObject } from './read-objects.ts';
import { type Referrer, type Rename, renamedReferences } from './renamed-references.ts';
import type { Edit } from './revisions.ts';

/**
 * Inside a change of the database; answers with what refers to the object, and now does so by its new name. Throws
 * `ProblemError` where there is no such object, or another one has the name.
 */
export function renameObject(database: Database, rename: Rename, edit: Edit): Pick<Referrer, 'family' | 'name'>[] {
  const { family, from, to } = rename;
  const { content, rendered, renames } = database;
  const text = content[family].get(from);
  if (text === undefined) throw unknownObject(family, from);
  refuseTaken(database, rename);
  const referrers = [...renamedReferences(content, rename)];
  const isSelf = (referrer: Referrer) => referrer.family === family && referrer.name === from;
  const object = referrers.find(isSelf)?.object ?? (parseJson(text) as FamilyObject[Family]);
  const others = referrers.filter((referrer) => !isSelf(referrer));
  database.delete(family, from, edit);
  putObject(database, { family, name: to, object: { ...object, name: to } }, edit);
  for (const referrer of others) putObject(database, referrer, edit);
  renames.note(rename, rendered[family].has(from));
  return others.map(({ family, name }) => ({ family, name }));
}

function putObject(database: Database, { family, name, object }: Referrer, edit: Edit): void {
  const faults: Fault[] = [];
  const stored = readObject(family, name, object, `/${family}/${name}`, faults);
  if (stored === undefined) throw invalidBody(faults);
  database.put(stored, edit);
}

/** A name under which another object is configured, or still runs. */
function refuseTaken({ content, rendered, renames }: Database, { family, from, to }: Rename): void {
  if (to === reservedName) throw new ProblemError('reserved-name', `${reservedName} is a reserved word.`);
  const unchanged = `so ${from} was not renamed`;
  if (content[family].has(to)) throw new ProblemError('name-taken', `${family} has ${to} already, ${unchanged}.`);
  if (rendered[family].has(to) && renames.formerNameOf(family, from) !== to) {
    throw new ProblemError(
      'name-taken',
      `Another ${to} runs until its deletion is rendered, ${unchanged}: render first.`,
    );
  }
}
