// `telltale settings`: what the running service was started with.
import { operations } from '@telltale/schema';
import type { CommandDeclaration } from '../declaration.ts';

const sources = {
  default: 'default',
  enrolment: 'enrolment',
  environment: 'environment',
  'command-line': 'command line',
} as const;

export const settings: CommandDeclaration = {
  path: ['settings'],
  summary: operations.listSettings.summary,
  arguments: [],
  options: [],
  examples: ['telltale settings'],
  run: async ({ client, terminal, signal }) => {
    const found = await client.service.settings({ signal });
    if (terminal.isJson) await terminal.json(found);
    else {
      const rows = Object.entries(found).map(([name, { value, source }]) => [
        name,
        value === null ? '-' : String(value),
        sources[source],
      ]);
      await terminal.table(['SETTING', 'VALUE', 'SOURCE'], rows);
    }
  },
};
