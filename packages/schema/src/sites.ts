// What a centre knows of the sites on its bus.
import Type, { type Static, type TSchema } from 'typebox';
import { AlarmTransition } from './archive.ts';
import { closed, strict } from './closed.ts';
import { LiveAlarm, LiveMeasurement } from './data-access.ts';
import { Timestamp } from './wire-schemas.ts';

const Count = Type.Integer({ minimum: 0 });
const orNull = <const Schema extends TSchema>(type: Schema, description: string) =>
  Type.Union([type, Type.Null()], { description });

export const siteIdPattern = '^[0-9A-Za-z_-]{1,64}$';
/** Of a node of a site, as machines are named: folders are named after it. */
export const nodeNamePattern = '^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$';
const SiteId = Type.String({ description: 'Of the site; never changes.' });
const SiteName = Type.String({ description: 'Of the site, for people.' });

/** How many points of a site are good, uncertain and bad, and how many of them are forced. */
export const SitePoints = Type.Object({ good: Count, uncertain: Count, bad: Count, simulated: Count }, closed);
export type SitePoints = Static<typeof SitePoints>;

/** How many alarms of a site are active, and how many wait to be acknowledged. */
export const SiteAlarms = Type.Object({ active: Count, unacknowledged: Count }, closed);
export type SiteAlarms = Static<typeof SiteAlarms>;

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
    points: orNull(
      SitePoints,
      'By quality, as the site said last; null: it has not said, or not all of it may be viewed.',
    ),
    alarms: orNull(SiteAlarms, 'As the site said last; null: it has not said, or not all of it may be viewed.'),
    uplink: orNull(
      Type.Object(
        {
          error: orNull(Type.String(), 'Why nothing goes to the store; null: it does.'),
          'last-sent': orNull(Timestamp, 'When the store took records last.'),
          'lag-seconds': Type.Number({
            minimum: 0,
            description:
              'How far the store is behind: the age of the oldest record that waits; of a site that is down, of what it said last at the least.',
          }),
          'sent-records': Type.Integer({ minimum: 0, description: 'That the store has of the epoch.' }),
          'waiting-records': Count,
          'oldest-waiting': orNull(Timestamp, 'Of the records that wait.'),
          'stored-records': Type.Integer({ minimum: 0, description: 'That the site has archived so far.' }),
          'dropped-records': Type.Integer({ minimum: 0, description: 'Lost before they were stored at the site.' }),
          'lost-records': Type.Integer({ minimum: 0, description: 'Deleted at the site before the store had them.' }),
          'lost-since': orNull(Timestamp, 'The oldest of these; null: there are none.'),
          'lost-until': orNull(Timestamp, 'The newest of these.'),
        },
        closed,
      ),
      'What of its archive the store has, as the site said last; null: it sends nothing, or not all of it may be viewed.',
    ),
  },
  strict('CentreSite'),
);
export type CentreSite = Static<typeof CentreSite>;

/** Of which an answer about several sites may lack something. */
export const IncompleteSite = Type.Object(
  {
    site: SiteId,
    'site-name': SiteName,
    since: Timestamp,
    error: Type.String({ description: 'What may be missing of it, and why.' }),
  },
  strict('IncompleteSite'),
);
export type IncompleteSite = Static<typeof IncompleteSite>;

const ofSite = { site: SiteId, 'site-name': SiteName };
const incomplete = Type.Array(IncompleteSite, { description: 'The sites of which something may be missing.' });

export const SitesAlarm = Type.Object(
  {
    ...ofSite,
    ...LiveAlarm.properties,
    'is-live': Type.Boolean({ description: 'Otherwise it is what was known last: the site is not there.' }),
  },
  strict('SitesAlarm'),
);
export type SitesAlarm = Static<typeof SitesAlarm>;

export const SitesAlarms = Type.Object(
  {
    alarms: Type.Array(SitesAlarm, { description: 'The most severe first, and of these the newest.' }),
    total: Type.Integer({ minimum: 0, description: 'How many there are: no more than limit are in the answer.' }),
    incomplete,
  },
  strict('SitesAlarms'),
);
export type SitesAlarms = Static<typeof SitesAlarms>;

export const SitesPoint = Type.Object({ ...ofSite, ...LiveMeasurement.properties }, strict('SitesPoint'));
export type SitesPoint = Static<typeof SitesPoint>;

export const SitesPoints = Type.Object(
  {
    points: Type.Array(SitesPoint, { description: 'By the names of their sites, and of each by their own.' }),
    'has-more': Type.Boolean({ description: 'There are, or may be, more than limit.' }),
    incomplete,
  },
  strict('SitesPoints'),
);
export type SitesPoints = Static<typeof SitesPoints>;

export const SitesTransition = Type.Object({ ...ofSite, ...AlarmTransition.properties }, strict('SitesTransition'));
export type SitesTransition = Static<typeof SitesTransition>;

export const SitesTransitions = Type.Object(
  {
    transitions: Type.Array(SitesTransition, {
      description:
        'The newest first; those at the same time in the order of the ids of their sites and of their names.',
    }),
    next: Type.Optional(Type.String({ description: 'For before: there are older ones.' })),
    incomplete,
  },
  strict('SitesTransitions'),
);
export type SitesTransitions = Static<typeof SitesTransitions>;
