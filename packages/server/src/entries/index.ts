// Entries that must survive a restart, each a JSON text under its kind and name: one SQLite file, on a thread of its own.
export { EntryDatabase } from './entry-database.ts';
export { EntryStore } from './entry-store.ts';
export type { Entry, EntryForm } from './protocol.ts';
