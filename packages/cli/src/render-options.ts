// The options of commands that change the configuration and can render it at once.
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

export function renderingOf({ options }: Pick<Call, 'options'>): { render: boolean; comment: string | undefined } {
  const [render, comment] = [options.has('render'), options.get(commentOption.name)];
  if (comment !== undefined && !render)
    throw new UsageError('--comment goes with --render: it is kept with a revision.');
  return { render, comment };
}
