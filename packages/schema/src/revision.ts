// Revisions: the stored renderings, and the differences between configurations, by object and field.
import Type, { type Static } from 'typebox';
import { familyNames } from './configuration.ts';
import { Identifier } from './identifier.ts';
import { Timestamp } from './wire-schemas.ts';

const strict = (title: string) => ({ title, additionalProperties: false as const });

export const FieldChange = Type.Object(
  {
    field: Type.String(),
    before: Type.Optional(Type.Unknown({ description: 'Absent where the field was not set.' })),
    after: Type.Optional(Type.Unknown({ description: 'Absent where the field is not set any more.' })),
  },
  strict('FieldChange'),
);
export type FieldChange = Static<typeof FieldChange>;

export const Change = Type.Object(
  {
    family: Type.Enum(familyNames, { type: 'string' }),
    name: Identifier,
    change: Type.Enum(['added', 'changed', 'removed'], { type: 'string' }),
    time: Timestamp,
    author: Type.String(),
    fields: Type.Optional(Type.Array(FieldChange, { description: 'Of a changed object: the fields that differ.' })),
  },
  strict('Change'),
);
export type Change = Static<typeof Change>;

const revisionFields = {
  id: Type.Integer({ minimum: 1 }),
  time: Timestamp,
  author: Type.String({ description: 'Who rendered it.' }),
  running: Type.Boolean({ description: 'Whether it is what runs.' }),
  objects: Type.Object(Object.fromEntries(familyNames.map((family) => [family, Type.Integer({ minimum: 0 })])), {
    description: 'How many objects of each family it has.',
    additionalProperties: false,
  }),
  added: Type.Integer({ minimum: 0 }),
  changed: Type.Integer({ minimum: 0 }),
  removed: Type.Integer({ minimum: 0 }),
};

export const RevisionSummary = Type.Object(revisionFields, strict('RevisionSummary'));
export type RevisionSummary = Static<typeof RevisionSummary>;

export const Revisions = Type.Array(RevisionSummary, { title: 'Revisions', description: 'The newest first.' });

export const Revision = Type.Object(
  {
    ...revisionFields,
    changes: Type.Array(Change, { description: 'Against the rendering before it.' }),
    configuration: Type.Optional(
      Type.Object(
        {},
        { description: 'With configuration=1: every collection, by family.', additionalProperties: true },
      ),
    ),
  },
  strict('Revision'),
);

export const Difference = Type.Object(
  { changes: Type.Array(Change, { description: 'The database against what runs.' }) },
  strict('Difference'),
);
