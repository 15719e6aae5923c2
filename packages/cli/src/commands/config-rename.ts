// `telltale config rename`: another name for an object, whose history goes on under it.
import { type ArchiveKind, archiveKinds } from '@telltale/schema';
import type { CommandDeclaration } from '../declaration.ts';
import { changeOptions, outcomeOf, renderingOf } from '../render-options.ts';

export const configRename: CommandDeclaration = {
  path: ['config', 'rename'],
  summary: 'Give a measurement, command or alarm another name; its history and state go on under it',
  arguments: [
    { name: 'FAMILY', values: archiveKinds },
    { name: 'NAME', names: 'the family before it' },
    { name: 'NEW_NAME' },
  ],
  options: [...changeOptions],
  details:
    'Triggers, leaders, watchdogs and what function modules may write follow. It takes effect with the next rendering.',
  examples: ['telltale config rename measurements tank1_level basin_level --dry-run'],
  run: async (call) => {
    const { client, terminal, args, signal } = call;
    const [family = '', from = '', to = ''] = args;
    const { dryRun, isRunning } = outcomeOf(call);
    const options = { dryRun, ...renderingOf(call), signal };
    const { referrers } = await client.configuration.rename(family as ArchiveKind, from, to, options);
    if (terminal.isJson) {
      await terminal.json({ renamed: { family, from, to }, referrers, 'dry-run': dryRun, rendered: isRunning });
      return;
    }
    for (const { family, name } of referrers) await terminal.line(`~ ${family}/${name} refers to ${to}`);
    const hint = isRunning ? `${family}/${to} runs.` : 'What runs changes with: telltale config render';
    await terminal.line(
      dryRun ? `${family}/${from} can be renamed to ${to}.` : `${family}/${from} is now ${to}. ${hint}`,
    );
  },
};
