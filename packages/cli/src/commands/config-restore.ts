// `telltale config restore|discard`: the way back, to a revision or to what runs.
import { type ComparedChange, type Family, familyNames, operations } from '@telltale/schema';
import { type Call, type CommandDeclaration, UsageError } from '../declaration.ts';
import { type PrintedChange, printChange } from '../print-change.ts';
import { changeOptions, dryRunOption, outcomeOf, renderingOf } from '../render-options.ts';
import { readRevision } from './config-revisions.ts';

export const configRestore: CommandDeclaration = {
  path: ['config', 'restore'],
  summary: operations.restoreRevision.summary,
  arguments: [
    { name: 'ID', names: 'revisions' },
    { name: 'FAMILY', optional: true, values: familyNames },
    { name: 'NAME', optional: true, names: 'the family before it' },
  ],
  options: [...changeOptions],
  details:
    'NAME is the one in the revision. An object that was renamed since gets this name back, and its history follows; one\n' +
    'that was deleted since is there again.',
  examples: ['telltale config restore 12 --dry-run', 'telltale config restore 12 measurements tank1_level'],
  run: async (call) => {
    const { client, terminal, args, signal } = call;
    const [id, family, name] = [readRevision(args[0]), args[1] as Family | undefined, args[2]];
    if (family !== undefined && name === undefined) throw new UsageError(`Which of the ${family}? Name one.`);
    const [rendering, { dryRun, isRunning }] = [renderingOf(call), outcomeOf(call)];
    const isWhole = family === undefined || name === undefined;
    const all = dryRun || !isWhole ? await client.configuration.compare('edited', id, { signal }) : [];
    const changes = family === undefined || name === undefined ? all : changesOfObject(all, family, name);
    if (!dryRun) await client.configuration.restore(id, { family, name, ...rendering, signal });
    if (terminal.isJson) {
      const what = { restored: id, ...(!isWhole && { family, name }), 'dry-run': dryRun, rendered: isRunning };
      await terminal.json({ ...what, ...((dryRun || !isWhole) && { changes }) });
      return;
    }
    for (const change of changes) await printChange(terminal, change);
    const hint = isRunning ? 'It runs.' : 'To run it: telltale config render';
    const what = isWhole ? 'The configuration' : `${family}/${name}`;
    if (dryRun && changes.length === 0) await terminal.line(`${what} is that of revision ${id} already.`);
    if (!dryRun) await terminal.line(`${what} is that of revision ${id}. ${hint}`);
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
  options: [{ name: 'all', summary: 'All edits; required without FAMILY' }, dryRunOption],
  details: 'It prints what is discarded, as telltale config diff does. Discarded edits cannot be restored.',
  examples: ['telltale config discard --all --dry-run', "telltale config discard measurements 'skid_*'"],
  run: async (call) => {
    const { client, terminal, args, options, signal } = call;
    const [family, name] = args as [Family | undefined, string | undefined];
    const { dryRun } = outcomeOf(call);
    if (family === undefined && !options.has('all') && !dryRun) {
      throw new UsageError(
        'Discarded edits cannot be restored: name a FAMILY, or add --all. With --dry-run they are shown.',
      );
    }
    if (family !== undefined && options.has('all')) throw new UsageError('FAMILY and --all do not go together.');
    const changes = await client.configuration.discard({ family, name, dryRun, signal });
    if (terminal.isJson) await terminal.json({ discarded: changes, 'dry-run': dryRun });
    else await report(call, changes);
  },
};

async function report(call: Call, changes: readonly PrintedChange[]): Promise<void> {
  const { terminal } = call;
  for (const change of changes) await printChange(terminal, change);
  const count = changes.length === 1 ? '1 edit' : `${changes.length} edits`;
  if (changes.length === 0) await terminal.line('There is nothing to discard.');
  else await terminal.line(outcomeOf(call).dryRun ? `${count} would be discarded.` : `${count} discarded.`);
}
