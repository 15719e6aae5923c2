// `telltale config diff|render|revisions|restore`: what runs, what would, and the way back.
import { operations } from '@telltale/schema';
import { type CommandDeclaration, UsageError } from '../declaration.ts';
import { printChange } from '../print-change.ts';
import type { Cell } from '../terminal.ts';
import { timeText } from '../words.ts';

export const configDiff: CommandDeclaration = {
  path: ['config', 'diff'],
  summary: operations.getDifference.summary,
  arguments: [],
  options: [],
  run: async ({ client, terminal, signal }) => {
    const changes = await client.configuration.diff({ signal });
    if (terminal.isJson) await terminal.json({ changes });
    else if (changes.length === 0) await terminal.line('The running configuration is up to date.');
    else for (const change of changes) await printChange(terminal, change);
  },
};

export const configRender: CommandDeclaration = {
  path: ['config', 'render'],
  summary: operations.render.summary,
  arguments: [],
  options: [{ name: 'force', summary: 'Even if it is up to date' }],
  run: async ({ client, terminal, options, signal }) => {
    await client.configuration.render({ force: options.has('force'), signal });
    if (terminal.isJson) await terminal.json({ up_to_date: await client.configuration.isUpToDate({ signal }) });
    else await terminal.line('The configuration is running.');
  },
};

export const configRevisions: CommandDeclaration = {
  path: ['config', 'revisions'],
  summary: operations.listRevisions.summary,
  arguments: [],
  options: [],
  run: async ({ client, terminal, signal }) => {
    const revisions = await client.configuration.revisions({ signal });
    if (terminal.isJson) {
      await terminal.json(revisions);
      return;
    }
    const rows = revisions.map(({ id, time, author, running, objects, added, changed, removed }): Cell[] => [
      String(id),
      timeText(time),
      author,
      String(Object.values(objects).reduce((sum, count) => sum + count, 0)),
      `+${added} ~${changed} -${removed}`,
      running ? { text: 'running', style: 'green' } : '',
    ]);
    await terminal.table(['ID', 'TIME', 'BY', 'OBJECTS', 'CHANGES', ''], rows);
  },
};

export const configRestore: CommandDeclaration = {
  path: ['config', 'restore'],
  summary: operations.restoreRevision.summary,
  arguments: [{ name: 'ID', names: 'revisions' }],
  options: [{ name: 'render', summary: 'Render at once; if that fails, nothing is changed' }],
  run: async ({ client, terminal, args, options, signal }) => {
    const [text = ''] = args;
    if (!/^\d{1,15}$/.test(text))
      throw new UsageError(`ID is a number from telltale config revisions, not ${JSON.stringify(text)}.`);
    const render = options.has('render');
    await client.configuration.restore(Number(text), { render, signal });
    const hint = render ? 'It runs.' : 'To run it: telltale config render';
    if (terminal.isJson) await terminal.json({ restored: Number(text), rendered: render });
    else await terminal.line(`The configuration is that of revision ${text}. ${hint}`);
  },
};
