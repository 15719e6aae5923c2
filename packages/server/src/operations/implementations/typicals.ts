// Implements the operations on typicals of the configuration.
import type { AskableConfiguration } from '../../cfgdb/index.ts';
import type { Implementations } from './implementation.ts';
import { changing } from './noted-changes.ts';
import { renderingOf } from './rendering-input.ts';

export function typicals(cfgdb: AskableConfiguration) {
  return {
    listTypicals: (_, { caller }) => cfgdb.as(caller).call('typicals'),
    generateTypical: (input, asked) => {
      const { 'dry-run': dryRun = false, 'delete-missing': deleteMissing = false, overwrite = false } = input;
      const options = { ...renderingOf(input), dryRun, deleteMissing, overwrite };
      return changing(cfgdb, asked, input.comment).call('generate', asked.whole, options, asked.caller.author);
    },
  } satisfies Partial<Implementations>;
}
