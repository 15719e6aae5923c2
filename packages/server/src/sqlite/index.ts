// How the server's SQLite files are opened, changed, and checked against what was acknowledged.
export { ControlFile, controlPath, syncFolder } from './control-file.ts';
export { DurableDatabase } from './durable-database.ts';
export { cannotOpen, isDamage, UnusableDatabase, writtenByNewer } from './open-database.ts';
export { RowChecksums } from './row-checksums.ts';
