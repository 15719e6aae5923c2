// What a centre knows of the sites on its bus.
import Type, { type Static, type TSchema } from 'typebox';
import { closed, strict } from './closed.ts';
import { Timestamp } from './wire-schemas.ts';

const Count = Type.Integer({ minimum: 0 });
const orNull = <const Schema extends TSchema>(type: Schema, description: string) =>
  Type.Union([type, Type.Null()], { description });

export const CentreSite = Type.Object(
  {
    id: Type.String({ description: 'Never changes.' }),
    name: Type.String(),
    state: Type.Enum(['up', 'down'], { type: 'string' }),
    since: Timestamp,
    error: orNull(Type.String(), 'Why it is down; null where it is not.'),
    version: orNull(Type.String(), 'Of its service.'),
    epoch: orNull(Count, 'Who acts for it: another one after each change.'),
    'clock-ahead-seconds': Type.Number({
      description: 'How far its time of day is ahead of that of the centre; the way of the message is in it.',
    }),
    'is-twice': Type.Boolean({ description: 'Two servers say that they are this site.' }),
    uplink: orNull(
      Type.Object(
        {
          error: orNull(Type.String(), 'Why nothing goes to the store; null: it does.'),
          'last-sent': orNull(Timestamp, 'When the store took records last.'),
          'sent-records': Count,
          'waiting-records': Count,
          'oldest-waiting': orNull(Timestamp, 'Of the records that wait.'),
          'stored-records': Count,
          'dropped-records': Type.Integer({ minimum: 0, description: 'Lost before they were stored at the site.' }),
          'lost-records': Type.Integer({ minimum: 0, description: 'Deleted at the site before the store had them.' }),
        },
        closed,
      ),
      'What of its archive the store has, as the site said last; null: it sends nothing.',
    ),
  },
  strict('CentreSite'),
);
export type CentreSite = Static<typeof CentreSite>;
