// The options of commands that change the configuration, can render it at once, or only tell what would change.
import { type Call, type OptionDeclaration, UsageError } from './declaration.ts';

export const commentOption: OptionDeclaration = {
  name: 'comment',
  value: 'TEXT',
  summary: 'Why it is rendered; kept with the revision',
};

export const renderOptions: readonly OptionDeclaration[] = [
  { name: 'render', summary: 'Render at once; if that fails, nothing is changed' },
  commentOption,
];

export const dryRunOption: OptionDeclaration = {
  name: 'dry-run',
  summary: 'Show what would change, and change nothing',
};

export const changeOptions: readonly OptionDeclaration[] = [dryRunOption, ...renderOptions];

export function renderingOf({ options }: Pick<Call, 'options'>): { render: boolean; comment: string | undefined } {
  const [render, comment] = [options.has('render'), options.get(commentOption.name)];
  if (comment !== undefined && !render)
    throw new UsageError('--comment goes with --render: it is kept with a revision.');
  return { render, comment };
}

/** What has become of the change: whether it was only tried, and whether it runs. */
export function outcomeOf({ options }: Pick<Call, 'options'>): { dryRun: boolean; isRunning: boolean } {
  const dryRun = options.has(dryRunOption.name);
  return { dryRun, isRunning: options.has('render') && !dryRun };
}
