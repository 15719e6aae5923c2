// The areas of the plant, and what is in them.
import Type, { type Static } from 'typebox';
import { closed, strict } from './closed.ts';
import { Area } from './configuration.ts';

const Count = Type.Integer({ minimum: 0 });

/** Counts of everything in an area and below it. */
export const AreaCounts = Type.Object(
  {
    area: Area,
    areas: Type.Array(Area, { description: 'Those right below it, sorted.' }),
    measurements: Type.Object(
      { good: Count, uncertain: Count, bad: Count, simulated: Count },
      { ...closed, description: 'By quality; a simulated one counts as what it is simulated as, and as simulated.' },
    ),
    commands: Count,
    alarms: Type.Object(
      { INACT_ACK: Count, ACT_UNACK: Count, ACT_ACK: Count, INACT_UNACK: Count },
      { ...closed, description: 'By state.' },
    ),
  },
  strict('AreaCounts'),
);
export type AreaCounts = Static<typeof AreaCounts>;

export const AreaTree = Type.Record(Type.String(), AreaCounts, {
  title: 'AreaTree',
  description: 'From path to counts; the empty path is the whole plant, with what is in no area.',
});
export type AreaTree = Static<typeof AreaTree>;
