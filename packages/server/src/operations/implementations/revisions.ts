// Implements the operations on edits and revisions of the configuration.
import { type Family, invalidQuery } from '@telltale/schema';
import type { AskableConfiguration } from '../../cfgdb/index.ts';
import type { Implementations } from './implementation.ts';
import { renderingOf } from './rendering-input.ts';

export function revisions(cfgdb: AskableConfiguration) {
  return {
    getDifference: (_, { caller }) => cfgdb.as(caller).call('diff'),
    compareConfigurations: ({ from = 'rendered', to = 'edited' }, { caller }) =>
      cfgdb.as(caller).call('compare', from, to),
    discardEdits: ({ 'dry-run': dryRun = false, family, name }, { caller }) =>
      cfgdb.as(caller).call('discard', selectionOf(family, name), { commit: !dryRun }, caller.author),
    blameObject: ({ family, name }, { caller }) => cfgdb.as(caller).call('blame', family, name),
    listRevisions: (_, { caller }) => cfgdb.as(caller).call('revisions'),
    getRevision: ({ id, configuration = false }, { caller }) =>
      cfgdb.as(caller).call('revision', id, { configuration }),
    restoreRevision: ({ id, family, name, ...input }, { caller }) =>
      cfgdb.as(caller).call('restore', id, { ...selectionOf(family, name), ...renderingOf(input) }, caller.author),
  } satisfies Partial<Implementations>;
}

function selectionOf(family: Family | undefined, name: string | undefined): { family?: Family; name?: string } {
  if (name !== undefined && family === undefined) throw invalidQuery('name', 'needs the family of the object');
  return { ...(family && { family }), ...(name !== undefined && { name }) };
}
