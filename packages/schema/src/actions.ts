// What was done to one point or alarm, by whom, and what became of it: of the audit trail, for whoever may view the object.
import Type, { type Static } from 'typebox';
import { closed, strict } from './closed.ts';
import type { ProblemName } from './problem.ts';
import { Timestamp } from './wire-schemas.ts';

const actionWords = [
  'write',
  'force',
  'release',
  'activate',
  'deactivate',
  'acknowledge',
  'configure',
  'rename',
  'erase',
  'import',
] as const;
export type ActionWord = (typeof actionWords)[number];

export const ObjectAction = Type.Object(
  {
    t: Timestamp,
    who: Type.String({ description: 'The identity: a user, or a kind and a name, such as token/report.' }),
    action: Type.Enum([...actionWords], { type: 'string' }),
    operation: Type.String({ description: 'Name in the catalogue of operations.' }),
    old: Type.Optional(Type.Unknown({ description: 'Before. Of a change of the configuration: for who may read it.' })),
    new: Type.Optional(Type.Unknown({ description: 'After, or what was wanted.' })),
    reason: Type.Optional(Type.String()),
    approver: Type.Optional(Type.String({ description: 'The second person, where it took one.' })),
    result: Type.Unsafe<'done' | ProblemName>(Type.String({ description: 'done, or the name of the problem.' })),
  },
  strict('ObjectAction'),
);
export type ObjectAction = Static<typeof ObjectAction>;

export const ObjectActions = Type.Object(
  {
    actions: Type.Array(ObjectAction, { description: 'The newest first.' }),
    next: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
      description: 'With before= this, the next ones are found; null where the whole interval was looked at.',
    }),
    'back-to': Type.Union([Timestamp, Type.Null()], { description: 'Where it was not: how far back was looked.' }),
  },
  { title: 'ObjectActions', ...closed },
);
export type ObjectActions = Static<typeof ObjectActions>;
