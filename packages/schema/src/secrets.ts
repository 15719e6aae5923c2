// The secrets of connectors and providers on the wire: they are set, and only their names are read.
import Type, { type Static } from 'typebox';
import { closed, strict } from './closed.ts';
import { Identifier, Timestamp } from './wire-schemas.ts';

/** One name, no path. */
export const secretNamePattern = '^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$';

export const SecretName = Type.String({
  pattern: secretNamePattern,
  description: 'The name of a secret, which variables name as file:NAME: at most 100 of 0-9, a-z, A-Z, ., _ and -.',
});

export const SecretBody = Type.Object(
  {
    value: Type.String({
      minLength: 1,
      maxLength: 8192,
      pattern: '^[^\\r\\n\\u0000]*$',
      description: 'The secret: one line. It is never shown again.',
    }),
  },
  closed,
);

export const ListedSecret = Type.Object(
  {
    owner: Identifier,
    name: SecretName,
    changed: Timestamp,
    sealed: Type.Boolean({ description: 'Whether it is encrypted on disk.' }),
    roles: Type.Array(Type.Enum(['connector', 'provider'], { type: 'string' }), {
      description: 'Which are configured under the name of its owner.',
    }),
  },
  strict('ListedSecret'),
);
export type ListedSecret = Static<typeof ListedSecret>;
