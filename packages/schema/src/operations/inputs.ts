// Inputs that many operations have in common.
import Type, { type TObject } from 'typebox';
import { Collection } from '../configuration.ts';
import { Identifier } from '../identifier.ts';

/** As many as a URL of the length that the service takes can list. */
export const maxNames = 1000;

export const name = { name: Identifier };

export const names = {
  names: Type.Optional(
    Type.Array(Type.String(), { description: `Only these: at most ${maxNames} names, comma-separated.` }),
  ),
};

export const fields = <const Field extends string>(words: readonly Field[]) => ({
  fields: Type.Optional(
    Type.Array(Type.Enum([...words], { type: 'string' }), {
      description: `Only these fields of each object, comma-separated: ${words.join(', ')}.`,
    }),
  ),
});

/** With `fields`, an object has those alone. */
export const someOf = (schema: TObject): TObject =>
  Collection(
    Type.Partial(schema, { title: `Some${(schema as { title?: string }).title}` }) as unknown as TObject,
  ) as unknown as TObject;
