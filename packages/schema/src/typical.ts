// Typicals: a type is a set of objects with parameters, its instances are rows. What is asked, and what was made of it.
import Type, { type Static } from 'typebox';
import { strict } from './closed.ts';
import { type Family, familyNames } from './families.ts';
import { FieldChange } from './revision.ts';
import { Identifier } from './wire-schemas.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const FamilyName = Type.Enum(familyNames, { type: 'string' });

export const maxParameters = 100;
export const maxTypicalObjects = 1000;
/** Of an instance, and of the value of a parameter. */
export const maxValueLength = 1000;

const Template = (description: string) => Type.String({ maxLength: 10_000, description });

const Parameter = Type.Object(
  {
    doc: Type.Optional(Type.String({ description: 'What it is, for people.' })),
    default: Type.Optional(
      Type.String({ maxLength: maxValueLength, description: 'Its value where an instance has none.' }),
    ),
  },
  strict('Parameter'),
);

const Objects = (family: Family) =>
  Type.Optional(
    Type.Record(Type.String(), Type.Object({}, { additionalProperties: true }), {
      maxProperties: maxTypicalObjects,
      description: `From the name of each to its fields: ${family.replace('-', ' ')}, whose texts may have placeholders.`,
    }),
  );

export const Typical = Type.Object(
  {
    name: Identifier,
    description: Type.Optional(Type.String({ description: 'What it is, for people.' })),
    instance: Type.Optional(
      Template('What an instance is called; without it, by the value of the first parameter. Each has another one.'),
    ),
    parameters: Type.Record(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$' }), Parameter, {
      minProperties: 1,
      maxProperties: maxParameters,
      additionalProperties: false,
      description: 'By name: 1 to 64 characters of 0-9, a-z, A-Z and _, not a digit first.',
    }),
    objects: Type.Object(Object.fromEntries(familyNames.map((family) => [family, Objects(family)])), {
      additionalProperties: false,
      description:
        'By family. In names and texts {pump} stands for the value of a parameter, {base+3} for whole numbers that are ' +
        'computed with + - * and brackets, and {{ for a brace.',
    }),
  },
  strict('Typical'),
);
export type Typical = Static<typeof Typical>;

const Value = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);

export const GenerateRequest = Type.Object(
  {
    type: Typical,
    instances: Type.Optional(
      Type.Array(Type.Record(Type.String(), Value), { description: 'Each from parameter to value; or send a file.' }),
    ),
    file: Type.Optional(
      Type.String({
        description: 'The instances as CSV or a workbook (XLSX), in base64: a column for each parameter.',
      }),
    ),
  },
  {
    ...strict('GenerateRequest'),
    examples: [
      {
        type: {
          name: 'pump',
          parameters: { pump: {}, base: { default: '100' } },
          objects: { measurements: { '{pump}_speed': { datatype: 'd', description: 'register {base+3}' } } },
        },
        instances: [{ pump: 'p101' }, { pump: 'p102', base: 200 }],
      },
    ],
  },
);
export type GenerateRequest = Static<typeof GenerateRequest>;

const made = { family: FamilyName, name: Identifier, instance: Type.String() };

export const GeneratedChange = Type.Object(
  {
    ...made,
    change: Type.Enum(['added', 'changed', 'removed'], { type: 'string' }),
    fields: Type.Optional(Type.Array(FieldChange, { description: 'Of a changed object: the fields that differ.' })),
  },
  strict('GeneratedChange'),
);
export type GeneratedChange = Static<typeof GeneratedChange>;

export const KeptField = Type.Object(
  {
    field: Type.String({ description: 'A field, or a key of a map such as properties.note.' }),
    byHand: Type.Optional(Type.Unknown({ description: 'What people made of it, which stays; absent: not set.' })),
    before: Type.Optional(Type.Unknown({ description: 'What the type said when it was generated last.' })),
    type: Type.Optional(Type.Unknown({ description: 'What the type says now.' })),
  },
  strict('KeptField'),
);
export type KeptField = Static<typeof KeptField>;

export const KeptObject = Type.Object(
  {
    ...made,
    change: Type.Enum(['changed', 'renamed', 'deleted'], { type: 'string', description: 'What people did to it.' }),
    madeName: Type.Optional(Type.String({ description: 'Of a renamed one: what the type calls it.' })),
    fields: Type.Optional(Type.Array(KeptField)),
  },
  strict('KeptObject'),
);
export type KeptObject = Static<typeof KeptObject>;

export const LeftObject = Type.Object(
  { ...made, changedByHand: Type.Boolean({ description: 'Then only overwrite deletes it.' }) },
  strict('LeftObject'),
);
export type LeftObject = Static<typeof LeftObject>;

export const GenerateResult = Type.Object(
  {
    type: Identifier,
    instances: Count('How many there are.'),
    objects: Count('How many objects they make.'),
    added: Count('New objects.'),
    changed: Count('Objects with other fields than before.'),
    removed: Count('Objects that are no longer made, with delete-missing.'),
    unchanged: Count('Objects that are as they should be already, or deleted by hand.'),
    changes: Type.Array(GeneratedChange, { description: 'What has changed, the first 10,000 objects of it.' }),
    kept: Type.Array(KeptObject, { description: 'What people changed since, and stays; the first 10,000.' }),
    left: Type.Array(LeftObject, {
      description: 'Made before by this type, and no longer by it; the first 10,000. They stay without delete-missing.',
    }),
  },
  strict('GenerateResult'),
);
export type GenerateResult = Static<typeof GenerateResult>;

export const MadeObject = Type.Object(
  {
    family: FamilyName,
    name: Identifier,
    state: Type.Enum(['made', 'changed', 'deleted'], {
      type: 'string',
      description: 'As it was made, changed by people since, or deleted by them.',
    }),
  },
  strict('MadeObject'),
);
export type MadeObject = Static<typeof MadeObject>;

export const Typicals = Type.Record(Identifier, Type.Record(Type.String(), Type.Array(MadeObject)), {
  title: 'Typicals',
  description: 'From type to instance to the objects that were made of it.',
});
export type Typicals = Static<typeof Typicals>;
