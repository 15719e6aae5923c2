// How the server's SQLite files are opened.
export { cannotOpen, openDatabase, UnusableDatabase } from './open-database.ts';
