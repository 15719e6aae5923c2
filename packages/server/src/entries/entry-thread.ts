// The thread of a store of entries: its disk writes never hold up live values. One transaction a commit.
import { UnusableDatabase } from '../sqlite/index.ts';
import { parentLink } from '../threads/index.ts';
import { EntryDatabase } from './entry-database.ts';
import type { EntryThread } from './protocol.ts';

function main(): void {
  let database: EntryDatabase | undefined;
  parentLink<object, EntryThread>({
    open(path, form) {
      try {
        database = new EntryDatabase(path, form);
        return { entries: database.entries, missing: database.missing };
      } catch (error) {
        if (!(error instanceof UnusableDatabase)) throw error;
        return { unusable: error.message };
      }
    },
    commit(entries, acknowledges) {
      try {
        if (acknowledges) database?.acknowledge(); // first: where it fails, nothing was stored
        database?.keep(entries);
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    },
    close: () => database?.close(),
  });
}

main();
