// Writes a database of the server's own making, with the objects of an uploaded one and the revisions so far.
import type { ConfiguredSecrets } from './configured-secrets.ts';
import { Database } from './database.ts';
import type { Made } from './made-objects.ts';
import type { StoredObject } from './read-objects.ts';
import type { Edit } from './revisions.ts';

/** What an uploaded database has. */
export interface Uploaded {
  readonly objects: readonly StoredObject[];
  readonly made: readonly Made[];
}

/** Objects that stay as they are in `present` keep who changed them and when. `also` is the end of the transaction. */
export function writeFresh(
  path: string,
  present: Database,
  { objects, made }: Uploaded,
  edit: Edit,
  secrets: ConfiguredSecrets,
  also: (fresh: Database) => void,
): void {
  const has = ({ family, name, text }: StoredObject) => present.content[family].get(name) === text;
  /** What was downloaded has stars for the secrets that are here. */
  const sealed = (object: StoredObject): StoredObject => {
    const { family, name, text: given } = object;
    const text = secrets.sealed(family, given, present.content[family].get(name));
    return text === given ? object : { family, name, text };
  };
  const fresh = new Database(path);
  try {
    fresh.change(() => {
      fresh.adoptRevisions(present);
      if (present.sealedAs === secrets.mark) fresh.noteSealed(secrets.mark);
      for (const object of objects.map(sealed)) {
        fresh.put(object, has(object) ? present.editOf(object.family, object.name) : edit);
      }
      for (const { family, name } of fresh.differences) {
        if (fresh.content[family].has(name)) continue;
        fresh.noteDeletion(family, name, present.content[family].has(name) ? edit : present.editOf(family, name));
      }
      for (const each of made) {
        const before = present.made.ofName(each.family, each.name)?.made;
        fresh.made.put({ ...each, made: secrets.sealed(each.family, each.made, before) });
      }
      also(fresh);
    });
  } finally {
    fresh.close();
  }
}
