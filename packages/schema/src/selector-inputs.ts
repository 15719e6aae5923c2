// What selectors have beside names, as inputs of operations and fields of the channel.
import Type from 'typebox';
import { Area } from './configuration.ts';
import { qualityWords } from './quality.ts';
import { maxSearchLength } from './selector.ts';
import { Datatype } from './wire-schemas.ts';

/** So many items a list of criteria has at most: each object is held against each of them. */
const maxItems = 1000;

/** What all kinds of objects have. */
const common = {
  area: Type.Optional(
    Type.Array(Area, { maxItems, description: 'Only those in these areas, or in areas below them, comma-separated.' }),
  ),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: maxSearchLength,
      description: 'Only those with these words in their name or description, in whatever case.',
    }),
  ),
};

const texts = (description: string) => Type.Optional(Type.Array(Type.String(), { maxItems, description }));

const pointCriteria = {
  connector: texts('Only those of these connectors, comma-separated.'),
  datatype: Type.Optional(
    Type.Array(Datatype, { maxItems, description: 'Only those of these datatypes, comma-separated.' }),
  ),
  ...common,
};

/** What a selector has beside `names`, as inputs of operations. */
export const selectorInputs = {
  measurements: {
    ...pointCriteria,
    quality: Type.Optional(
      Type.Array(Type.Enum([...qualityWords], { type: 'string' }), {
        maxItems,
        description: `Only those of one of these qualities: ${qualityWords.join(', ')}; comma-separated.`,
      }),
    ),
  },
  commands: pointCriteria,
  alarms: { connector: texts('Only those that devices of these connectors raise, comma-separated.'), ...common },
} as const;
