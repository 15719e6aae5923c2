// Revisions: the stored renderings, and the differences between configurations, by object and field.
import Type, { type Static } from 'typebox';
import { strict } from './closed.ts';
import { extensionFamilies, type Family, familyNames } from './families.ts';
import { Identifier, Timestamp } from './wire-schemas.ts';

export const FieldChange = Type.Object(
  {
    field: Type.String(),
    before: Type.Optional(Type.Unknown({ description: 'Absent where the field was not set.' })),
    after: Type.Optional(Type.Unknown({ description: 'Absent where the field is not set any more.' })),
  },
  strict('FieldChange'),
);
export type FieldChange = Static<typeof FieldChange>;

const changeFields = {
  family: Type.Enum(familyNames, { type: 'string' }),
  name: Identifier,
  change: Type.Enum(['added', 'changed', 'removed'], { type: 'string' }),
  renamedFrom: Type.Optional(
    Type.String({ description: 'Of an added object: its name before, under which it is removed.' }),
  ),
  fields: Type.Optional(
    Type.Array(FieldChange, { description: 'Of a changed or renamed object: the fields that differ.' }),
  ),
};

export const Change = Type.Object({ ...changeFields, time: Timestamp, author: Type.String() }, strict('Change'));
export type Change = Static<typeof Change>;

/** Between two configurations: who has edited it, and when, is not looked up. */
export const ComparedChange = Type.Object(changeFields, strict('ComparedChange'));
export type ComparedChange = Static<typeof ComparedChange>;

/** Shown on terminals and stored permanently: no control characters, and none that change the direction of text. */
export const Comment = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]*$',
  description: 'One line that says why: at most 500 characters, and no control characters.',
});

/** Those of before there was the family say nothing of it. */
const countOf = (family: Family) => {
  const count = Type.Integer({ minimum: 0 });
  return extensionFamilies.has(family) ? Type.Optional(count) : count;
};

const revisionFields = {
  id: Type.Integer({ minimum: 1 }),
  time: Timestamp,
  author: Type.String({ description: 'Who rendered it.' }),
  comment: Type.Optional(Type.String({ description: 'Why, where that was said.' })),
  running: Type.Boolean({ description: 'Whether it is what runs.' }),
  objects: Type.Optional(
    Type.Object(Object.fromEntries(familyNames.map((family) => [family, countOf(family)])), {
      description: 'How many objects of each family it has. This and the next three: for whoever sees all objects.',
      additionalProperties: false,
    }),
  ),
  added: Type.Optional(Type.Integer({ minimum: 0 })),
  changed: Type.Optional(Type.Integer({ minimum: 0 })),
  removed: Type.Optional(Type.Integer({ minimum: 0 })),
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

export const Comparison = Type.Object(
  { changes: Type.Array(ComparedChange, { description: 'What is different in the second one.' }) },
  strict('Comparison'),
);

/** A configuration: a revision by its number, what runs, or the database. */
export const ConfigurationWord = Type.String({
  pattern: '^([1-9][0-9]{0,14}|rendered|edited)$',
  description: 'A revision, such as 12; rendered, which is what runs; or edited, which is the database.',
});

const BlamedField = Type.Object(
  {
    field: Type.String({ description: 'A field, or a key of a map such as properties.scanPeriod.' }),
    value: Type.Optional(Type.Unknown({ description: 'Absent where it is not set any more.' })),
    time: Type.Optional(Timestamp),
    author: Type.Optional(Type.String({ description: 'Who edited the object last before that revision.' })),
    revision: Type.Optional(
      Type.Integer({ minimum: 1, description: 'That has rendered it; absent where none has yet.' }),
    ),
    comment: Type.Optional(Type.String({ description: 'Of the revision.' })),
  },
  strict('BlamedField'),
);
export type BlamedField = Static<typeof BlamedField>;

export const Blame = Type.Object(
  {
    family: Type.Enum(familyNames, { type: 'string' }),
    name: Identifier,
    fields: Type.Array(BlamedField, {
      description: 'Without a time: the field was set before the oldest revision that is stored.',
    }),
    oldest: Type.Optional(
      Type.Integer({ minimum: 1, description: 'The oldest revision that is stored, where fields are older.' }),
    ),
  },
  strict('Blame'),
);
export type Blame = Static<typeof Blame>;
