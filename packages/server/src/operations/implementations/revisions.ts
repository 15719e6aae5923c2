// Implements the operations on edits and revisions of the configuration.
import { type Family, invalidQuery } from '@telltale/schema';
import type { ConfigurationDatabase } from '../../cfgdb/index.ts';
import type { Implementations } from './implementation.ts';
import { renderingOf } from './rendering-input.ts';

export function revisions(cfgdb: ConfigurationDatabase) {
  return {
    getDifference: () => cfgdb.call('diff'),
    compareConfigurations: ({ from = 'rendered', to = 'edited' }) => cfgdb.call('compare', from, to),
    discardEdits: ({ 'dry-run': dryRun = false, family, name }, { caller }) =>
      cfgdb.call('discard', selectionOf(family, name), { commit: !dryRun }, caller.author),
    blameObject: ({ family, name }) => cfgdb.call('blame', family, name),
    listRevisions: () => cfgdb.call('revisions'),
    getRevision: ({ id, configuration = false }) => cfgdb.call('revision', id, { configuration }),
    restoreRevision: ({ id, family, name, ...input }, { caller }) =>
      cfgdb.call('restore', id, { ...selectionOf(family, name), ...renderingOf(input) }, caller.author),
  } satisfies Partial<Implementations>;
}

function selectionOf(family: Family | undefined, name: string | undefined): { family?: Family; name?: string } {
  if (name !== undefined && family === undefined) throw invalidQuery('name', 'needs the family of the object');
  return { ...(family && { family }), ...(name !== undefined && { name }) };
}
