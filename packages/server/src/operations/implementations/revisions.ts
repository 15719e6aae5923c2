// Implements the operations on edits and revisions of the configuration.
import { type Family, invalidQuery } from '@telltale/schema';
import type { AskableConfiguration } from '../../cfgdb/index.ts';
import type { Implementations } from './implementation.ts';
import { changing } from './noted-changes.ts';
import { renderingOf } from './rendering-input.ts';

export function revisions(cfgdb: AskableConfiguration) {
  return {
    getDifference: (_, { caller }) => cfgdb.as(caller).call('diff'),
    compareConfigurations: ({ from = 'rendered', to = 'edited' }, { caller }) =>
      cfgdb.as(caller).call('compare', from, to),
    discardEdits: ({ 'dry-run': dryRun = false, family, name }, asked) => {
      const selection = selectionOf(family, name);
      return changing(cfgdb, asked).call('discard', selection, { commit: !dryRun }, asked.caller.author);
    },
    blameObject: ({ family, name }, { caller }) => cfgdb.as(caller).call('blame', family, name),
    listRevisions: (_, { caller }) => cfgdb.as(caller).call('revisions'),
    getRevision: ({ id, configuration = false }, { caller }) =>
      cfgdb.as(caller).call('revision', id, { configuration }),
    restoreRevision: ({ id, family, name, ...input }, asked) => {
      const options = { ...selectionOf(family, name), ...renderingOf(input) };
      return changing(cfgdb, asked, input.comment).call('restore', id, options, asked.caller.author);
    },
  } satisfies Partial<Implementations>;
}

function selectionOf(family: Family | undefined, name: string | undefined): { family?: Family; name?: string } {
  if (name !== undefined && family === undefined) throw invalidQuery('name', 'needs the family of the object');
  return { ...(family && { family }), ...(name !== undefined && { name }) };
}
