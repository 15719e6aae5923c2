// `telltale config missing`: what was acknowledged and is not there, and that somebody knows.
import type { CommandDeclaration } from '../declaration.ts';

export const configMissing: CommandDeclaration = {
  path: ['config', 'missing'],
  summary: 'What was acknowledged once and is missing on disk',
  arguments: [],
  options: [{ name: 'acknowledge', summary: 'It is known: what is there counts, and /readyz tells of it no more' }],
  details: 'Mend it first, where it can be mended: docs/guides/running.md says how.',
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
    else if (acknowledged) await terminal.line('Acknowledged: it is told no more.');
    else {
      await terminal.line('How to mend it: docs/guides/running.md, "Something is missing".');
      await terminal.line('When it is mended, or cannot be: telltale config missing --acknowledge');
    }
  },
};
