// The configuration database: objects, transactions, revisions, rendering.
export { type AskableConfiguration, ConfigurationDatabase, type PreparedRendering } from './configuration-database.ts';
export type { Rename } from './renamed-references.ts';
export { type RenderedChange, type RenderingBytes, readRendering } from './rendering.ts';
