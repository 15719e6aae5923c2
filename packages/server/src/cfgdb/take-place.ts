// The open database of the configuration, and another one in its place.
import { Differences } from './content.ts';
import { Database } from './database.ts';
import { incomingPath, replaceDatabase } from './replace-database.ts';
import type { Shared } from './seen-configuration.ts';

/** What a database needs that is used. */
export function equipped(database: Database, { secrets, sharing }: Pick<Shared, 'secrets' | 'sharing'>): Database {
  database.sealWith(secrets);
  if (sharing !== undefined) database.shareWith((done) => sharing.share(database, done));
  return database;
}

/** The one that was made at `incomingPath`, and closed, takes the place of the open one. */
export function takePlace(shared: Shared): void {
  const { path } = shared;
  const { id } = shared.running;
  shared.database.close();
  try {
    replaceDatabase(path, incomingPath(path));
  } finally {
    shared.database = equipped(new Database(path), shared);
    const { renderedId, rendered } = shared.database;
    const isSame = id === renderedId && Differences.between(shared.running.content, rendered).size === 0;
    if (isSame) shared.running = { id, content: rendered }; // with the texts that are in memory now
  }
}
