// The body of POST /cfgdb/txn.
import Type from 'typebox';
import { type FamilyObject, families, withNulls } from './configuration.ts';
import { type Family, familyNames } from './families.ts';
import { Identifier } from './wire-schemas.ts';

export const maxOperations = 100_000;

const put = (family: Family) =>
  Type.Object(
    {
      operation: Type.Literal('put'),
      family: Type.Literal(family),
      name: Identifier,
      object: withNulls(families[family]),
    },
    { title: `Put ${family}`, additionalProperties: false },
  );

export const Delete = Type.Object(
  { operation: Type.Literal('delete'), family: Type.Enum(familyNames, { type: 'string' }), name: Identifier },
  { title: 'Delete', additionalProperties: false },
);

/** An operation without a look into its object: that is checked against the schema of its family. */
export const OperationEnvelope = Type.Object(
  {
    operation: Type.Enum(['put', 'delete'], { type: 'string' }),
    family: Type.Enum(familyNames, { type: 'string' }),
    name: Identifier,
    object: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
);

export type Put = { [F in Family]: { operation: 'put'; family: F; name: string; object: FamilyObject[F] } }[Family];
export type Operation = Put | { operation: 'delete'; family: Family; name: string };

/** As documented; the service checks the same in two steps, so that an error names its operation and field alone. */
export const Transaction = Type.Object(
  {
    operations: Type.Array(Type.Union([...familyNames.map(put), Delete]), {
      maxItems: maxOperations,
      description: 'Carried out in order, all or none.',
    }),
  },
  { title: 'Transaction', additionalProperties: false },
);
