// Tables: a family of the configuration as rows and columns, and what a table that was sent has changed.
import Type, { type Static } from 'typebox';
import { strict } from './closed.ts';
import { FieldChange } from './revision.ts';
import { Identifier } from './wire-schemas.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const TableChange = Type.Object(
  {
    name: Identifier,
    row: Type.Optional(Type.Integer({ minimum: 1, description: 'In the table; absent where an object is removed.' })),
    change: Type.Enum(['added', 'changed', 'removed'], { type: 'string' }),
    renamedFrom: Type.Optional(Type.String({ description: 'Of a renamed object: its name before.' })),
    fields: Type.Optional(Type.Array(FieldChange, { description: 'Of a changed object: the fields that differ.' })),
  },
  strict('TableChange'),
);
export type TableChange = Static<typeof TableChange>;

export const TableResult = Type.Object(
  {
    rows: Count('Rows of the table, without the first.'),
    added: Count('New objects.'),
    renamed: Type.Optional(Count('Objects with another name than before; absent where there is none.')),
    changed: Count('Objects with other fields than before.'),
    removed: Count('Objects that the table does not have, with delete-missing.'),
    unchanged: Count('Objects that are as the table says already.'),
    changes: Type.Optional(
      Type.Array(TableChange, { description: 'Of a dry run: what would change, the first 10,000 objects of it.' }),
    ),
  },
  strict('TableResult'),
);
export type TableResult = Static<typeof TableResult>;
