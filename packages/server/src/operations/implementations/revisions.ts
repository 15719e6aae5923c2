// Implements the operations on edits and revisions of the configuration.
import { type Family, ProblemError } from '@telltale/schema';
import type { ConfigurationDatabase } from '../../cfgdb/index.ts';
import type { Implementations } from './implementation.ts';

interface RenderingInput {
  readonly render?: boolean | undefined;
  readonly comment?: string | undefined;
}

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

/** Whether to render, and why. A comment that would not be kept is refused. */
export function renderingOf({ render = false, comment }: RenderingInput): { render: boolean; comment?: string } {
  if (comment === undefined) return { render };
  if (!render) throw invalid('comment', 'is kept with a rendering: it needs render=1');
  return { render, comment };
}

function selectionOf(family: Family | undefined, name: string | undefined): { family?: Family; name?: string } {
  if (name !== undefined && family === undefined) throw invalid('name', 'needs the family of the object');
  return { ...(family && { family }), ...(name !== undefined && { name }) };
}

function invalid(path: string, message: string): ProblemError {
  return new ProblemError('invalid-query', `${path} ${message}.`, [{ path, message }]);
}
