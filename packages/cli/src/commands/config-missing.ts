// `telltale config missing`: what was acknowledged and is not there, and that somebody knows.
import type { CommandDeclaration } from '../declaration.ts';

export const configMissing: CommandDeclaration = {
  path: ['config', 'missing'],
  summary: 'List acknowledged data that is missing on disk',
  arguments: [],
  options: [{ name: 'acknowledge', summary: 'Accept what is there: /readyz no longer reports it' }],
  details: 'Restore it first if possible: see docs/guides/running.md.',
  run: async ({ client, terminal, options, signal }) => {
    const missing = await client.configuration.missing({ signal });
    const acknowledged = options.has('acknowledge') && missing.length > 0;
    if (acknowledged) await client.configuration.acknowledgeMissing({ signal });
    if (terminal.isJson) {
      await terminal.json({ missing, acknowledged });
      return;
    }
    for (const text of missing) await terminal.line(`${text}.`);
    if (missing.length === 0) await terminal.line('Nothing is missing.');
    else if (acknowledged) await terminal.line('Acknowledged: it is no longer reported.');
    else {
      await terminal.line('How to restore it: docs/guides/running.md, "Something is missing".');
      await terminal.line('When it is restored, or cannot be: telltale config missing --acknowledge');
    }
  },
};
