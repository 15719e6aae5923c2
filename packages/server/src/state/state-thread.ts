// The thread that keeps the live state: its disk writes never hold up live values. One transaction a commit.
import { UnusableDatabase } from '../sqlite/index.ts';
import { parentLink } from '../threads/index.ts';
import type { StateThread } from './protocol.ts';
import { StateDatabase } from './state-database.ts';

function main(): void {
  let database: StateDatabase | undefined;
  parentLink<object, StateThread>({
    open(path) {
      try {
        database = new StateDatabase(path);
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
