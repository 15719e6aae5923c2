// What a header or a start page shows of the service and its plant: counts, and the most urgent of what waits.
import Type, { type Static, type TSchema } from 'typebox';
import { AreaCounts } from './areas.ts';
import { closed, strict } from './closed.ts';
import { Severity } from './configuration.ts';
import { LiveAlarm } from './data-access.ts';
import type { LinkState } from './diagnostics.ts';
import { familyNames } from './families.ts';
import type { FunctionModuleState } from './function-modules.ts';
import { Timestamp } from './wire-schemas.ts';

/** Any number is a severity: there may be very many. */
export const mostSeverities = 64;

const Count = Type.Integer({ minimum: 0 });
const Rate = (description: string) => Type.Number({ minimum: 0, description });
const orNull = <const Schema extends TSchema>(type: Schema, description: string) =>
  Type.Union([type, Type.Null()], { description });

const linkStates: readonly LinkState[] = ['connecting', 'up', 'down', 'failed', 'disabled'];
const moduleStates: readonly FunctionModuleState[] = ['STOP', 'INIT', 'RUN', 'FAIL'];

/** Another machine does not do its part; the service does its own. */
export const Degradation = Type.Object(
  { since: Timestamp, text: Type.String({ description: 'What is not done, why, and what to do: a sentence or two.' }) },
  strict('Degradation'),
);
export type Degradation = Static<typeof Degradation>;

export const StoreState = Type.Object(
  {
    address: Type.String({ description: 'Without the login.' }),
    site: Type.Object({ id: Type.String(), name: Type.String() }, closed),
    state: Type.Enum(['connecting', 'up', 'down'], { type: 'string' }),
    since: Timestamp,
    error: orNull(Type.String(), 'Why it is down; null where it is not.'),
    epoch: orNull(Count, 'In which the records are sent; null: the store has given none yet.'),
    'sent-records': Type.Integer({ minimum: 0, description: 'In this epoch, those that are sent again included.' }),
    'last-sent': orNull(Timestamp, 'When the store took the newest; null: it has taken none since the start.'),
    'waiting-records': Type.Integer({ minimum: 0, description: 'That the store does not have yet, about.' }),
    'oldest-waiting': orNull(Timestamp, 'Of the oldest of them; null where none waits.'),
    'lost-records': Type.Integer({
      minimum: 0,
      description: 'That were deleted here, for their age or for room, before the store had them.',
    }),
  },
  strict('StoreState'),
);
export type StoreState = Static<typeof StoreState>;

export const BusState = Type.Object(
  {
    address: Type.String({ description: 'Without the login.' }),
    role: Type.Enum(['site', 'centre'], { type: 'string', description: 'What the service is on it.' }),
    state: Type.Enum(['up', 'down'], { type: 'string' }),
    since: Timestamp,
    error: orNull(Type.String(), 'Why it is down, or what it refuses; null where nothing is wrong.'),
  },
  strict('BusState'),
);
export type BusState = Static<typeof BusState>;

export const NodeRecords = Type.Object(
  {
    node: Type.String(),
    state: Type.Enum(['connecting', 'up', 'down'], {
      type: 'string',
      description: 'Whether it takes what this node has recorded.',
    }),
    since: Timestamp,
    error: orNull(Type.String(), 'Why it does not take it now; null where it does.'),
    'waiting-here': Type.Integer({ minimum: 0, description: 'Records of this node that it lacks, about.' }),
    'oldest-here': orNull(Timestamp, 'Of the oldest of them; null where none waits.'),
    heard: orNull(
      Timestamp,
      'When it last sent what it has recorded: what it has recorded since then is not here. Null where it never sent any.',
    ),
    'waiting-there': Type.Integer({
      minimum: 0,
      description: 'Records of its own that it had left to send then, about.',
    }),
    'oldest-there': orNull(Timestamp, 'Of the oldest of them; null where none was left.'),
  },
  strict('NodeRecords'),
);
export type NodeRecords = Static<typeof NodeRecords>;

export const leaseRoles = ['leading', 'standby', 'suspended'] as const;

export const NodeState = Type.Object(
  {
    site: Type.String(),
    node: Type.String({ description: 'The name of this one.' }),
    role: Type.Enum([...leaseRoles], {
      type: 'string',
      description:
        'leading: it acts for the site. standby: another node does, or none yet. suspended: it led, its lease has ended, and no other node is known ' +
        'to lead: it reads, and writes nothing.',
    }),
    since: Timestamp,
    'valid-for-ms': Type.Integer({ minimum: 0, description: 'Of the lease of this node; 0 where it has none.' }),
    leader: orNull(
      Type.Object({ node: Type.String(), epoch: Count, since: Timestamp }, closed),
      'As it was heard of last; null where none is known.',
    ),
    problem: orNull(Type.String(), 'What is wrong with the lease or with etcd; null where nothing is.'),
    nodes: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          version: Type.String(),
          address: Type.String(),
          since: Timestamp,
          'not-ready': orNull(Type.String(), 'Why it could not take over; null where it could, or leads.'),
        },
        closed,
      ),
      { description: 'Those that are there.' },
    ),
    members: Type.Array(
      Type.Object(
        { address: Type.String(), version: orNull(Type.String(), ''), problem: orNull(Type.String(), '') },
        closed,
      ),
      { description: 'Of etcd.' },
    ),
    records: Type.Optional(
      Type.Array(NodeRecords, {
        description:
          'How far the records of this node have come to the other ones that are known here, and those of theirs to this one. A server of before has none.',
      }),
    ),
  },
  strict('NodeState'),
);
export type NodeState = Static<typeof NodeState>;

export const NodeSwitch = Type.Object(
  {
    from: Type.String({ description: 'The node that led.' }),
    to: Type.String({ description: 'The node that the lease was handed to.' }),
    address: Type.String({ description: 'Of that node.' }),
    leads: Type.Boolean({ description: 'Whether it acts for the site; false: it has not said so yet.' }),
    'took-ms': Type.Integer({
      minimum: 0,
      description:
        'From when nothing new was begun here until the other one acted, or until it was given up to wait for that.',
    }),
  },
  strict('NodeSwitch'),
);
export type NodeSwitch = Static<typeof NodeSwitch>;

/** A count for each word. */
const counted = <const Word extends string>(words: readonly Word[], description: string) =>
  Type.Object(Object.fromEntries(words.map((word) => [word, Count])) as Record<Word, typeof Count>, {
    description,
    ...closed,
  });

export const SeverityCounts = Type.Object(
  { severity: Severity, ACT_UNACK: Count, ACT_ACK: Count, INACT_UNACK: Count },
  strict('SeverityCounts'),
);
export type SeverityCounts = Static<typeof SeverityCounts>;

export const Overview = Type.Object(
  {
    service: Type.Object(
      {
        name: Type.String({ description: 'Of the machine that it runs on.' }),
        version: Type.String(),
        started: Timestamp,
      },
      closed,
    ),
    t: Timestamp,
    'time-zone': Type.String({ description: 'Of the plant, such as Europe/Vienna.' }),
    'not-ready': orNull(
      Type.Object({ problem: Type.String(), detail: Type.String() }, closed),
      'Why the service cannot do all of its work, as /readyz says it; null where it can.',
    ),
    warnings: Type.Array(Type.String(), { description: 'What is to be done soon: a sentence each.' }),
    degraded: Type.Array(Degradation, {
      description: 'What other machines do not do for the service, which does its own work all the same.',
    }),
    measurements: AreaCounts.properties.measurements,
    commands: Count,
    alarms: Type.Object(
      {
        ...AreaCounts.properties.alarms.properties,
        severities: Type.Array(SeverityCounts, {
          maxItems: mostSeverities,
          description: `Of those that are active or not acknowledged, by severity: the gravest ${mostSeverities}, the gravest first.`,
        }),
        'most-urgent': orNull(
          LiveAlarm,
          'Of those that are not acknowledged: the gravest, and of these the newest; null where there is none.',
        ),
      },
      closed,
    ),
    connectors: counted(linkStates, 'By state.'),
    providers: counted(linkStates, 'By state.'),
    'function-modules': counted(moduleStates, 'By state.'),
    configuration: orNull(
      Type.Object(
        {
          'up-to-date': Type.Boolean({ description: 'Whether what runs equals the configuration.' }),
          edits: Type.Integer({ minimum: 0, description: 'Objects that are edited and not rendered.' }),
          revision: orNull(
            Type.Object({ id: Type.Integer({ minimum: 1 }), time: Timestamp, author: Type.String() }, closed),
            'What runs; null where nothing was rendered yet.',
          ),
          objects: orNull(counted(familyNames, 'By family.'), 'For whoever may read all of it.'),
        },
        closed,
      ),
      'For whoever may read the configuration; others: null.',
    ),
    plant: orNull(
      Type.Object(
        {
          'values-per-second': Rate('That connectors read, over about 10 s.'),
          'records-per-second': Rate('That the archive stored, over about 10 s.'),
          'channel-clients': Count,
          'disk-bytes': orNull(Count, 'Of the disk of the data folder; null where the system does not say it.'),
          'disk-free-bytes': orNull(Count, 'That the service may still write.'),
          'archive-bytes': Count,
          'archive-max-bytes': orNull(Count, 'Null: without limit.'),
        },
        closed,
      ),
      'For whoever may view all of the plant; others: null.',
    ),
    store: orNull(StoreState, 'For whoever may view all of the plant, where the service has a store; otherwise null.'),
    bus: orNull(BusState, 'For whoever may view all of the plant, where the service is on a bus; otherwise null.'),
    node: orNull(
      NodeState,
      'For whoever may view all of the plant, where the service shares its site with others; otherwise null.',
    ),
    sites: orNull(
      counted(['up', 'down'], 'By state, those that the caller may view.'),
      'Null where the service is no centre.',
    ),
  },
  strict('Overview'),
);
export type Overview = Static<typeof Overview>;
