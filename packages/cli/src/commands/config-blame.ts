// `telltale config blame`: who changed each field of an object last.
import { type BlamedField, type Family, familyNames, operations } from '@telltale/schema';
import type { CommandDeclaration } from '../declaration.ts';
import type { Cell } from '../terminal.ts';
import { timeText } from '../words.ts';

export const configBlame: CommandDeclaration = {
  path: ['config', 'blame'],
  summary: operations.blameObject.summary,
  arguments: [
    { name: 'FAMILY', values: familyNames },
    { name: 'NAME', names: 'the family before it' },
  ],
  options: [],
  details: 'BY and TIME are those of the last edit of the object before the revision. A rename is followed.',
  examples: ['telltale config blame measurements tank1_level'],
  run: async ({ client, terminal, args, signal }) => {
    const [family = '', name = ''] = args;
    const blame = await client.configuration.blame(family as Family, name, { signal });
    if (terminal.isJson) {
      await terminal.json(blame);
      return;
    }
    const { fields, oldest } = blame;
    const rows = fields.map((field): Cell[] => [
      field.field,
      'value' in field ? textOf(field.value) : { text: 'not set', style: 'dim' },
      field.author ?? '',
      field.time === undefined ? '' : timeText(field.time),
      revisionCell(field, oldest),
      field.comment ?? '',
    ]);
    await terminal.table(['FIELD', 'VALUE', 'BY', 'TIME', 'REVISION', 'COMMENT'], rows);
    if (oldest !== undefined) {
      await terminal.line(`Who set the others before revision ${oldest}, the oldest that is stored, is not known.`);
    }
  },
};

function revisionCell({ time, revision }: BlamedField, oldest: number | undefined): Cell {
  if (revision !== undefined) return String(revision);
  if (time !== undefined) return { text: 'not rendered yet', style: 'yellow' };
  return { text: oldest === undefined ? 'not known' : `before ${oldest}`, style: 'dim' };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
