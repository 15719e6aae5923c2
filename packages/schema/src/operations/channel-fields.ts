// Fields of channel messages that many requests have in common.
import Type, { type TObject, type TSchema } from 'typebox';
import { Collection } from '../configuration.ts';

/** Names are texts here: an impossible one is an unknown one, and fails alone. */
export const Name = Type.String({ description: 'A name.' });
export const NameList = Type.Array(Name);

/** Each item has its own answer: more items would make an answer that is too large for any client. */
export const maxBatchItems = 10_000;
export const items = { maxItems: maxBatchItems, description: `At most ${maxBatchItems}.` };

export const batchOf = <const Item extends TSchema>(item: Item) => Type.Array(item, items);

const fieldsOf = <const Field extends string>(words: readonly Field[]) =>
  Type.Optional(
    Type.Array(Type.Enum([...words], { type: 'string' }), {
      maxItems: 100,
      description: 'Only these fields of each object.',
    }),
  );

export const selection = <const Field extends string>(words: readonly Field[]) => ({
  names: Type.Optional(
    Type.Array(Name, { description: 'Only these, names or patterns such as pump*; unknown names are left out.' }),
  ),
  fields: fieldsOf(words),
});

/** Of what there are few of. */
export const selectionOfFew = <const Field extends string>(words: readonly Field[]) => ({
  names: Type.Optional(
    Type.Array(Name, { ...items, description: `Only these, at most ${maxBatchItems}; unknown names are left out.` }),
  ),
  fields: fieldsOf(words),
});

/** With `fields`, each object has only those; the types, which cannot know them, show all. */
export const some = <T extends TObject>(type: T) => Collection(Type.Partial(type) as unknown as T);
