// Copies of configured objects: what is asked, and what was made.
import Type, { type Static } from 'typebox';
import { strict } from './closed.ts';
import { familyNames } from './families.ts';
import { Identifier } from './wire-schemas.ts';

const FamilyName = Type.Enum(familyNames, { type: 'string' });

const CopyRule = Type.Object(
  {
    from: Type.String({ minLength: 1, maxLength: 1000, description: 'A text, in which * stands for any characters.' }),
    to: Type.String({ maxLength: 1000, description: 'What it becomes, with as many *, which stand for the same.' }),
  },
  strict('CopyRule'),
);
export type CopyRule = Static<typeof CopyRule>;

const rules = (description: string) => Type.Optional(Type.Array(CopyRule, { maxItems: 100, description }));

export const CopyRequest = Type.Object(
  {
    family: FamilyName,
    name: Type.String({ description: 'The object. A connector is copied with its points and their alarms.' }),
    to: Type.String({ description: 'The name of the copy.' }),
    set: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        maxProperties: 1000,
        description:
          'Fields of the copy, and keys of its maps such as vars.host, as in a table; an empty text is not set.',
      }),
    ),
    names: rules(
      'Of a connector: how its points and their alarms are called. The first that matches counts; without any, the name of ' +
        'the copy takes the place of that of the connector at their beginning.',
    ),
    addresses: rules(
      'Of a connector: how the addresses of its points change, those at providers too. One that none matches stays; one at ' +
        'a provider is left out, since two points cannot share it.',
    ),
  },
  strict('CopyRequest'),
);
export type CopyRequest = Static<typeof CopyRequest>;

const Copied = Type.Object(
  {
    family: FamilyName,
    from: Identifier,
    to: Identifier,
    omitted: Type.Optional(Type.Array(Type.String(), { description: 'Fields that the copy does not have.' })),
  },
  strict('Copied'),
);
export type Copied = Static<typeof Copied>;

export const CopyResult = Type.Object({ copied: Type.Array(Copied) }, strict('CopyResult'));
export type CopyResult = Static<typeof CopyResult>;
