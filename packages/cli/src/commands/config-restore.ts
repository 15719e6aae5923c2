// `telltale config restore|discard`: the way back, to a revision or to what runs.
import { type ComparedChange, type Family, familyNames, operations } from '@telltale/schema';
import { type Call, type CommandDeclaration, UsageError } from '../declaration.ts';
import { type PrintedChange, printChange } from '../print-change.ts';
import { renderingOf, renderOptions } from '../render-options.ts';
import { readRevision } from './config-revisions.ts';

export const configRestore: CommandDeclaration = {
  path: ['config', 'restore'],
  summary: operations.restoreRevision.summary,
  arguments: [
    { name: 'ID', names: 'revisions' },
    { name: 'FAMILY', optional: true, values: familyNames },
    { name: 'NAME', optional: true, names: 'the family before it' },
  ],
  options: [...renderOptions, { name: 'dry-run', summary: 'Show what would change, and change nothing' }],
  details:
    'NAME is the one in the revision. An object that was renamed since gets this name back, and its history follows; one\n' +
    'that was deleted since is there again.',
  examples: ['telltale config restore 12 --dry-run', 'telltale config restore 12 measurements tank1_level'],
  run: async (call) => {
    const { client, terminal, args, options, signal } = call;
    const [id, family, name] = [readRevision(args[0]), args[1] as Family | undefined, args[2]];
    if (family !== undefined && name === undefined) throw new UsageError(`Which of the ${family}? Name one.`);
    const { render, comment } = renderingOf(call);
    const [isDryRun, isWhole] = [options.has('dry-run'), family === undefined || name === undefined];
    const all = isDryRun || !isWhole ? await client.configuration.compare('edited', id, { signal }) : [];
    const changes = family === undefined || name === undefined ? all : changesOfObject(all, family, name);
    if (!isDryRun) await client.configuration.restore(id, { family, name, render, comment, signal });
    if (terminal.isJson) {
      const what = { restored: id, ...(!isWhole && { family, name }), rendered: render && !isDryRun };
      await terminal.json({
        ...what,
        ...((isDryRun || !isWhole) && { changes }),
        ...(isDryRun && { 'dry-run': true }),
      });
      return;
    }
    for (const change of changes) await printChange(terminal, change);
    const hint = render ? 'It runs.' : 'To run it: telltale config render';
    const what = isWhole ? 'The configuration' : `${family}/${name}`;
    if (isDryRun && changes.length === 0) await terminal.line(`${what} is that of revision ${id} already.`);
    if (!isDryRun) await terminal.line(`${what} is that of revision ${id}. ${hint}`);
  },
};

/** Also under the name that it has now. */
function changesOfObject(changes: readonly ComparedChange[], family: Family, name: string): ComparedChange[] {
  const ofFamily = changes.filter((change) => change.family === family);
  const now = ofFamily.find((change) => change.name === name)?.renamedFrom;
  return ofFamily.filter((change) => change.name === name || change.name === now);
}

export const configDiscard: CommandDeclaration = {
  path: ['config', 'discard'],
  summary: 'Discard edits that are not rendered: all, of a family, or of objects by name or pattern with *',
  arguments: [
    { name: 'FAMILY', optional: true, values: familyNames },
    { name: 'NAME', optional: true, names: 'the family before it' },
  ],
  options: [
    { name: 'all', summary: 'All edits; required without FAMILY' },
    { name: 'dry-run', summary: 'Show what would change, and change nothing' },
  ],
  details: 'It prints what is discarded, as telltale config diff does. Discarded edits cannot be restored.',
  examples: ['telltale config discard --all --dry-run', "telltale config discard measurements 'skid_*'"],
  run: async (call) => {
    const { client, terminal, args, options, signal } = call;
    const [family, name] = args as [Family | undefined, string | undefined];
    const commit = !options.has('dry-run');
    if (family === undefined && !options.has('all') && commit) {
      throw new UsageError(
        'Discarded edits cannot be restored: name a FAMILY, or add --all. With --dry-run they are shown.',
      );
    }
    if (family !== undefined && options.has('all')) throw new UsageError('FAMILY and --all do not go together.');
    const changes = await client.configuration.discard({ family, name, commit, signal });
    if (terminal.isJson) await terminal.json({ discarded: changes, 'dry-run': !commit });
    else await report(call, changes, commit);
  },
};

async function report({ terminal }: Call, changes: readonly PrintedChange[], isDone: boolean): Promise<void> {
  for (const change of changes) await printChange(terminal, change);
  const count = changes.length === 1 ? '1 edit' : `${changes.length} edits`;
  if (changes.length === 0) await terminal.line('There is nothing to discard.');
  else await terminal.line(isDone ? `${count} discarded.` : `${count} would be discarded.`);
}
