// Implements the operations on typicals of the configuration.
import type { AskableConfiguration } from '../../cfgdb/index.ts';
import type { Implementations } from './implementation.ts';
import { renderingOf } from './rendering-input.ts';

export function typicals(cfgdb: AskableConfiguration) {
  return {
    listTypicals: (_, { caller }) => cfgdb.as(caller).call('typicals'),
    generateTypical: (input, { whole, caller }) => {
      const { 'dry-run': dryRun = false, 'delete-missing': deleteMissing = false, overwrite = false } = input;
      const options = { ...renderingOf(input), dryRun, deleteMissing, overwrite };
      return cfgdb.as(caller).call('generate', whole, options, caller.author);
    },
  } satisfies Partial<Implementations>;
}
