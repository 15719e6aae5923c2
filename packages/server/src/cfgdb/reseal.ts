// Seals the secrets of a database that has them in the clear, from before they were sealed or from before there was this key:
// in its objects, in its revisions, and in what typicals have made. All of it or nothing; once, until the key is another one.
import type { Change, Family, FieldChange } from '@telltale/schema';
import { masked } from '../secrets/index.ts';
import { UnusableDatabase } from '../sqlite/index.ts';
import { type ConfiguredSecrets, secretFamilies } from './configured-secrets.ts';
import { type Content, describeChange } from './content.ts';
import { Database } from './database.ts';

/** Before the mark: all is sealed so, and the file may still have what was before. */
const unfinished = 'unfinished';
/** Before the mark: all that this key could be used for is sealed so. */
const partly = 'partly ';

/** Before it is used: answers with the database, opened anew where something was sealed. Throws `UnusableDatabase`. */
export function reseal(path: string, database: Database, secrets: ConfiguredSecrets): Database {
  let [isChanged, isClear] = [false, false];
  const onClear = () => {
    isClear = true;
  };
  try {
    isChanged = sealAnew(database, secrets, { onClear });
  } catch (error) {
    if (!isClear) return database; // the next start tries again
    throw new UnusableDatabase(
      `${path} has secrets in the clear that cannot be sealed (${(error as Error).message}): check space and permissions of the disk.`,
    );
  }
  if (!isChanged) return database;
  database.close();
  return new Database(path);
}

export interface Sealing {
  /** There was a secret in the clear. */
  readonly onClear?: () => void;
  /** Inside the change, when something was sealed. */
  readonly onSealed?: () => void;
}

/** Answers whether something was sealed: then the database is to be opened anew. The mark is that of what it has then. */
export function sealAnew(database: Database, secrets: ConfiguredSecrets, { onClear, onSealed }: Sealing): boolean {
  const before = database.sealedAs;
  if (before === secrets.mark) return false;
  let [isChanged, isWhole] = [false, true];
  const sealed = (family: Family, text: string) => {
    const next = secrets.sealed(family, text);
    isChanged ||= next !== text;
    if (masked(next) !== masked(text)) onClear?.();
    isWhole &&= secrets.needs(family, next).unopened.length === 0;
    return next;
  };
  const mark = () => (isWhole ? '' : partly) + secrets.mark;
  database.change(() => {
    sealAll(database, sealed);
    if (!isChanged) return;
    database.noteSealed(`${unfinished} ${mark()}`);
    onSealed?.();
  });
  if (isChanged || before?.startsWith(unfinished)) database.vacuum(); // what was in the clear is nowhere in the file
  if (before !== mark()) database.change(() => database.noteSealed(mark()));
  return isChanged;
}

/** Of which key, and which stacks, what it has is sealed; undefined: that is not known. */
export function sealedWith({ sealedAs }: Database): string | undefined {
  return sealedAs === unfinished ? undefined : sealedAs?.replace(`${unfinished} `, '');
}

function sealAll(database: Database, sealed: (family: Family, text: string) => string): void {
  for (const family of secretFamilies) {
    for (const [name, text] of [...database.content[family]]) {
      const next = sealed(family, text);
      if (next !== text) database.put({ family, name, text: next }, database.editOf(family, name));
    }
  }
  database.revisions.rewrite(sealed, (changes, content) =>
    changes.map((change) => sealedChange(change, content, sealed)),
  );
  database.made.rewrite(sealed);
}

/** `content` is that of the revision, sealed. */
function sealedChange(change: Change, content: Content, sealed: (family: Family, text: string) => string): Change {
  const { family, name, fields } = change;
  const after = content[family].get(name);
  if (!secretFamilies.some((each) => each === family) || fields === undefined || after === undefined) return change;
  const before = sealed(family, JSON.stringify(withFields(JSON.parse(after) as object, fields)));
  const vars = describeChange(before, after).fields?.filter(({ field }) => field === 'vars') ?? [];
  return { ...change, fields: fields.flatMap((each) => (each.field === 'vars' ? vars : [each])) };
}

/** What the object was before. */
function withFields(after: object, fields: readonly FieldChange[]): object {
  const object = new Map<string, unknown>(Object.entries(after));
  for (const { field, before } of fields) {
    if (before === undefined) object.delete(field);
    else object.set(field, before);
  }
  return Object.fromEntries(object);
}
