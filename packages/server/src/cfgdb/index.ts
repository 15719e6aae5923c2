// The configuration database: objects, transactions, revisions, rendering.
export { ConfigurationDatabase } from './configuration-database.ts';
export { UnusableDatabase } from './database.ts';
