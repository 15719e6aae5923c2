// What a protocol stack says of itself: its variables, and the syntax of its addresses. Forms and checks are made of it.
import Type, { type Static } from 'typebox';
import { closed } from './closed.ts';
import { Identifier } from './wire-schemas.ts';

/** A stack may come with a newer kit: what is not known here is passed on. */
const open = (title: string) => ({ title, additionalProperties: true });
const Bound = Type.Union([Type.Number(), Type.Null()]);

const parameterFields = {
  title: Type.String({ minLength: 1 }),
  description: Type.Optional(Type.String()),
  type: Type.Enum(['integer', 'number', 'boolean', 'string'], { type: 'string' }),
  required: Type.Boolean({ description: 'Whether there is no default, and it must be given.' }),
  default: Type.Optional(Type.Union([Type.Number(), Type.Boolean(), Type.String()])),
  enum: Type.Optional(Type.Array(Type.String(), { description: 'Of a text: one of these.' })),
  range: Type.Optional(Type.Tuple([Bound, Bound], { description: 'Of a number: least and greatest; null: any.' })),
  regex: Type.Optional(Type.String({ description: 'Of a text.' })),
  form: Type.Optional(Type.String({ description: 'What the regex expects, in words that go on from "must be".' })),
  unit: Type.Optional(
    Type.Enum(['ms', 's'], { type: 'string', description: 'Of a duration: 5s and 1h30m are taken in its place.' }),
  ),
  secret: Type.Optional(
    Type.Literal(true, { description: 'Shown to nobody; or file:NAME, a file in its folder of secrets.' }),
  ),
  destination: Type.Optional(
    Type.Literal(true, { description: 'Where secrets are sent: who changes it must set them anew.' }),
  ),
  certificate: Type.Optional(
    Type.Enum(['own', 'user', 'authority'], { type: 'string', description: 'The name of a file with certificates.' }),
  ),
};

const EntryParameter = Type.Object(parameterFields, open('StackEntryParameter'));

export const StackParameter = Type.Object(
  {
    ...parameterFields,
    entries: Type.Optional(
      Type.Record(Type.String(), EntryParameter, {
        description: 'Of a text that is a list of entries such as `joe: key=value`, one a line: the variables of each.',
      }),
    ),
  },
  open('StackParameter'),
);
export type StackParameter = Static<typeof StackParameter>;

export const StackAddresses = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Whether there are such points, or alarms, in this role.' }),
    regex: Type.Union([Type.String(), Type.Null()], { description: 'Null where not enabled.' }),
    doc: Type.Array(Type.String(), { description: 'Paragraphs of Markdown.' }),
    examples: Type.Array(
      Type.Object({ address: Type.String(), meaning: Type.String() }, { additionalProperties: true }),
    ),
  },
  open('StackAddresses'),
);
export type StackAddresses = Static<typeof StackAddresses>;

export const StackDescription = Type.Object(
  {
    title: Type.String(),
    description: Type.String({ description: 'A few plain sentences.' }),
    parameters: Type.Record(Type.String(), StackParameter, { description: 'By the name of the variable.' }),
    measurement: StackAddresses,
    command: StackAddresses,
    alarm: Type.Optional(StackAddresses),
  },
  open('StackDescription'),
);
export type StackDescription = Static<typeof StackDescription>;

export const Stack = Type.Object(
  {
    name: Identifier,
    description: Type.Optional(StackDescription),
    defaults: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'The default of each variable that has one.' }),
    ),
  },
  { title: 'Stack', ...closed },
);
export type Stack = Static<typeof Stack>;
