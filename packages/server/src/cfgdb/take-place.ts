// The open database of the configuration, and another one in its place.
import { type Content, Differences } from './content.ts';
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
  const { path, running } = shared;
  const isSame = (rendered: Content) => Differences.between(running.content, rendered).size === 0;
  openAnew(shared, isSame, () => replaceDatabase(path, incomingPath(path)));
}

/** The file has other texts than memory. `isSame`: where the revision that runs is still that, so is what runs. */
export function openAnew(shared: Shared, isSame: (rendered: Content) => boolean, whileClosed = () => {}): void {
  const { id } = shared.running;
  shared.database.close();
  try {
    whileClosed();
  } finally {
    shared.database = equipped(new Database(shared.path), shared);
    const { renderedId, rendered } = shared.database;
    if (id === renderedId && isSame(rendered)) shared.running = { id, content: rendered }; // with the texts that are in memory now
  }
}
