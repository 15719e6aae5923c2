// `telltale config diff|render|revisions`: what runs, what would, and what ran before.
import { operations, type RevisionSummary } from '@telltale/schema';
import { type Call, type CommandDeclaration, UsageError } from '../declaration.ts';
import { printChange } from '../print-change.ts';
import { commentOption } from '../render-options.ts';
import { type CarryOut, confirming, pendingText, signOptions } from '../signing.ts';
import type { Cell } from '../terminal.ts';
import { timeText } from '../words.ts';

export const configDiff: CommandDeclaration = {
  path: ['config', 'diff'],
  summary: 'Compare two configurations; default: rendered and edited, each change with time and author',
  arguments: [
    { name: 'A', optional: true, names: 'revisions' },
    { name: 'B', optional: true, names: 'revisions' },
  ],
  options: [],
  details: 'A and B are revisions, rendered (what runs), or edited (the database). Without B: A and edited.',
  examples: ['telltale config diff', 'telltale config diff 12 rendered'],
  run: async (call) => {
    const { client, terminal, args, signal } = call;
    const [from, to = 'edited'] = args.map(readWord);
    const changes =
      from === undefined
        ? await client.configuration.diff({ signal })
        : await client.configuration.compare(from, to, { signal });
    if (terminal.isJson) await terminal.json({ changes });
    else if (changes.length > 0) for (const change of changes) await printChange(terminal, change);
    else
      await terminal.line(from === undefined ? 'The running configuration is up to date.' : 'There is no difference.');
  },
};

function readWord(text: string): number | 'rendered' | 'edited' {
  if (text === 'rendered' || text === 'edited') return text;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(
    `${JSON.stringify(text.slice(0, 80))} is neither a revision, such as 12, nor rendered or edited.`,
  );
}

export const configRender: CommandDeclaration = {
  path: ['config', 'render'],
  summary: operations.render.summary,
  arguments: [],
  options: [{ name: 'force', summary: 'Even if it is up to date' }, commentOption, ...signOptions],
  examples: ['telltale config render --comment "new level sensor in tank 1"'],
  run: (call) => confirming(call, render, call.options.get(commentOption.name)),
};

async function render({ client, terminal, options, signal }: Call, carryOut: CarryOut): Promise<void> {
  const [force, comment] = [options.has('force'), options.get(commentOption.name)];
  const isIdle = comment !== undefined && !force && (await client.configuration.isUpToDate({ signal }));
  const pending = await carryOut({ operation: 'render', input: { force } }, () =>
    client.configuration.render({ force, comment, signal }),
  );
  if (pending !== undefined) return terminal.note(`The rendering ${pendingText(pending)}`);
  if (isIdle) terminal.note('It is up to date: nothing was rendered, and the comment is not kept.');
  if (terminal.isJson) await terminal.json({ up_to_date: await client.configuration.isUpToDate({ signal }) });
  else await terminal.line('The configuration is running.');
}

export const configRevisions: CommandDeclaration = {
  path: ['config', 'revisions'],
  summary: 'List the stored revisions, newest first, or show one and what it changed',
  arguments: [{ name: 'ID', optional: true, names: 'revisions' }],
  options: [],
  examples: ['telltale config revisions', 'telltale config revisions 12'],
  run: async (call) => {
    const { client, terminal, args, signal } = call;
    if (args.length > 0) return showRevision(call, readRevision(args[0]));
    const revisions = await client.configuration.revisions({ signal });
    if (terminal.isJson) return terminal.json(revisions);
    const rows = revisions.map((revision): Cell[] => [
      String(revision.id),
      timeText(revision.time),
      revision.author,
      countOf(revision),
      changesText(revision),
      revision.running ? { text: 'running', style: 'green' } : '',
      revision.comment ?? '',
    ]);
    await terminal.table(['ID', 'TIME', 'BY', 'OBJECTS', 'CHANGES', '', 'COMMENT'], rows);
  },
};

async function showRevision({ client, terminal, signal }: Call, id: number): Promise<void> {
  const revision = await client.configuration.revision(id, { signal });
  if (terminal.isJson) return terminal.json(revision);
  const { time, author, comment, running, changes } = revision;
  const line = (title: string, text: string) => terminal.line({ text: title.padEnd(10), style: 'bold' }, text);
  await line('Revision', `${id}${running ? ', running' : ''}`);
  await line('Rendered', `${timeText(time)} by ${author}`);
  if (comment !== undefined) await line('Comment', comment);
  if (revision.objects !== undefined) {
    await line('Objects', `${countOf(revision)}, ${changesText(revision)} against the revision before`);
  }
  for (const change of changes) await printChange(terminal, change);
}

/** Whoever does not see all objects is not told how many there are. */
function countOf({ objects }: RevisionSummary): string {
  return objects === undefined ? '' : String(Object.values(objects).reduce((sum, count) => sum + count, 0));
}

function changesText({ objects, added = 0, changed = 0, removed = 0 }: RevisionSummary): string {
  return objects === undefined ? '' : `+${added} ~${changed} -${removed}`;
}

export function readRevision(text = ''): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`ID is a number from telltale config revisions, not ${JSON.stringify(text)}.`);
}
