// The configuration database: objects, transactions, revisions, rendering.
export type { ChangedObjects } from './changed-objects.ts';
export {
  type AskableConfiguration,
  type AskedConfiguration,
  ConfigurationDatabase,
  type PreparedRendering,
} from './configuration-database.ts';
export type { Rename } from './renamed-references.ts';
export { type RenderedChange, type RenderingBytes, readRendering } from './rendering.ts';
export type { Adopted } from './shared/site-adoption.ts';
export { type SiteBytes, type SiteHead, siteFamilies } from './shared/site-bytes.ts';
