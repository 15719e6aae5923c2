// Diagnostics on the wire: connectors and providers, how the value of a measurement came about, and what a device has
// to offer. Version 1.
import Type, { type Static, type TSchema } from 'typebox';
import { strict } from './closed.ts';
import { Alarm, Command, Measurement } from './configuration.ts';
import { Simulation, Vt, Vtq } from './data-access.ts';
import { Identifier, PrefixedValue, Timestamp } from './wire-schemas.ts';

const orNull = <const Schema extends TSchema>(type: Schema, description: string) =>
  Type.Union([type, Type.Null()], { description });
const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Measured = (description: string) => Type.Number({ minimum: 0, description });

export const LinkState = Type.Enum(['connecting', 'up', 'down', 'failed', 'disabled'], {
  type: 'string',
  description:
    'down: it is tried again by and by; failed: not before the configuration changes; disabled: not before it is enabled.',
});
export type LinkState = Static<typeof LinkState>;

export const LastError = Type.Object({ text: Type.String(), t: Timestamp }, strict('LastError'));
export type LastError = Static<typeof LastError>;

export const DisabledLink = Type.Object(
  { by: Type.String(), t: Timestamp, reason: orNull(Type.String(), 'Null where none was given.') },
  strict('DisabledLink'),
);
export type DisabledLink = Static<typeof DisabledLink>;

const stateFields = {
  name: Identifier,
  state: LinkState,
  since: Timestamp,
  'last-error': orNull(LastError, 'The newest; null where there was none. It stays when the link is up again.'),
  disabled: orNull(DisabledLink, 'Who disabled it, when and why; null while it is in service.'),
};

const RoundTrip = Type.Object(
  { p50: Measured('Milliseconds; half of the answers came within it.'), p99: Measured('Milliseconds.') },
  strict('RoundTrip'),
);

export const DeviceStatus = Type.Object(
  {
    name: Type.String({ description: 'As the addresses name it.' }),
    state: Type.Enum(['up', 'down'], { type: 'string' }),
    since: Timestamp,
    'last-error': orNull(Type.String(), 'Of the last time that it failed to answer.'),
  },
  strict('DeviceStatus'),
);
export type DeviceStatus = Static<typeof DeviceStatus>;

export const ScanGroupStatus = Type.Object(
  {
    period: Measured('Milliseconds.'),
    points: Count('Measurements that are read in it.'),
    requests: Count('That a scan takes.'),
    scans: Count('So far.'),
    overruns: Count('Scans that were left out, since the one before had not ended.'),
    took: orNull(Type.Number({ minimum: 0 }), 'Milliseconds that the last scan took; null before the first has ended.'),
  },
  strict('ScanGroupStatus'),
);
export type ScanGroupStatus = Static<typeof ScanGroupStatus>;

export const ForwardingStatus = Type.Object(
  {
    sent: Count('Values of outages that were sent, since the start.'),
    'given-up': Count('Values of outages that were not sent, since they were too old by then.'),
    'waiting-since': orNull(Timestamp, 'The archived values since then are still to be sent; null: none.'),
  },
  strict('ForwardingStatus'),
);
export type ForwardingStatus = Static<typeof ForwardingStatus>;

const commonCounters = {
  values: Count('Readings that came, or values that went.'),
  batches: Count('In which they came or went.'),
  connects: Count('How often the link came up.'),
  errors: Count('How often it was lost or could not be made.'),
  conflated: Count('Values passed over for newer ones of their points.'),
};

const ConnectorCounters = Type.Object(
  {
    ...commonCounters,
    dropped: Count('Readings that came without a link, and were passed over.'),
    'writes-accepted': Count('Commands that the device has accepted.'),
    'writes-refused': Count('Commands that the device has refused.'),
    'writes-timed-out': Count('Commands without a clear answer in time: the device may have them.'),
    'writes-not-connected': Count('Commands that were not sent for want of a link.'),
    requests: Count('Requests to devices.'),
    'requests-failed': Count('Of these: without an answer that could be used.'),
    unread: Count(
      'Messages of devices, such as traps, that were lost on this machine: more came than could be stored.',
    ),
  },
  strict('ConnectorCounters'),
);

const ProviderCounters = Type.Object(
  {
    ...commonCounters,
    requests: Count('Requests of clients that were carried out.'),
    held: Count('How often a client had to wait, since it, or all together, asked more often than allowed.'),
    unread: Count(
      'Messages of clients that were lost on this machine: more came than could be stored until their turn.',
    ),
  },
  strict('ProviderCounters'),
);

const PointCounts = (description: string) =>
  Type.Object(
    { good: Type.Integer({ minimum: 0 }), uncertain: Type.Integer({ minimum: 0 }), bad: Type.Integer({ minimum: 0 }) },
    { description, additionalProperties: false },
  );

const statusFields = {
  name: stateFields.name,
  stack: Type.String({ description: 'The protocol stack that it runs.' }),
  state: stateFields.state,
  since: stateFields.since,
  'last-error': stateFields['last-error'],
  disabled: stateFields.disabled,
  thread: Count('The number of the thread that it runs in.'),
  'values-per-second': Measured('Over about 10 s.'),
};

export const LiveConnector = Type.Object(
  {
    ...statusFields,
    'requests-per-second': Measured('Over about 10 s.'),
    'round-trip': orNull(RoundTrip, 'Of the requests of the last minute; null where there were none.'),
    overruns: Count('Scans that were left out, since the one before had not ended.'),
    counters: ConnectorCounters,
    points: PointCounts('Its measurements by what their device makes of them: a simulation changes nothing here.'),
    devices: Type.Array(DeviceStatus, { description: 'Of a connector that has several behind it.' }),
    'scan-groups': Type.Array(ScanGroupStatus, { description: 'Measurements that are read in one rhythm.' }),
    'left-out': Count('Devices and scan groups beyond those that are listed; devices that are down are listed first.'),
  },
  strict('LiveConnector'),
);
export type LiveConnector = Static<typeof LiveConnector>;

export const LiveProvider = Type.Object(
  {
    ...statusFields,
    counters: ProviderCounters,
    points: PointCounts('The measurements that it serves, as it serves them.'),
    clients: orNull(Type.Integer({ minimum: 0 }), 'How many it has; null where the stack does not say.'),
    devices: Type.Array(DeviceStatus, {
      description: 'Of a provider that may use several, such as brokers: those that it has tried.',
    }),
    forwarding: orNull(ForwardingStatus, 'Of values of outages, which are sent afterwards; null where none are.'),
  },
  strict('LiveProvider'),
);
export type LiveProvider = Static<typeof LiveProvider>;

export const connectorFields = Object.keys(LiveConnector.properties) as (keyof LiveConnector)[];
export type ConnectorField = keyof LiveConnector;

export const providerFields = Object.keys(LiveProvider.properties) as (keyof LiveProvider)[];
export type ProviderField = keyof LiveProvider;

/** What the channel reports about a connector or provider. */
export const InstanceState = Type.Object(stateFields, strict('InstanceState'));
export type InstanceState = Static<typeof InstanceState>;

/** How the last reading came about, in the terms of the protocol. */
export const ReadingExplained = Type.Object(
  {
    t: Timestamp,
    request: Type.String({ description: 'Such as read holding registers 100 to 119 of unit 1.' }),
    raw: orNull(Type.String(), 'What came for this point: bytes in hexadecimal, or a text.'),
    value: orNull(
      Type.String(),
      'What was read from it, with the letter of the raw datatype where it fits one; null where nothing could be.',
    ),
    error: orNull(Type.String(), 'What was wrong with it.'),
    device: orNull(Type.String(), 'Of a connector that has several behind it.'),
    'scan-period': orNull(Type.Number({ minimum: 0 }), 'Milliseconds; of its scan group.'),
  },
  strict('ReadingExplained'),
);
export type ReadingExplained = Static<typeof ReadingExplained>;

export const stageNames = ['reading', 'watchdog', 'scaler', 'deduplicator', 'deadband', 'simulation', 'live'] as const;

export const StageExplained = Type.Object(
  {
    stage: Type.Enum([...stageNames], { type: 'string' }),
    effect: Type.Enum(['off', 'passed', 'changed', 'stopped', 'unknown'], {
      type: 'string',
      description:
        'What it did with the last reading: nothing since it is off, let it pass, changed it, stopped it; or it is not known.',
    }),
    value: orNull(PrefixedValue, 'As it left the stage; null where there is none.'),
    text: Type.String({ description: 'The same in words.' }),
  },
  strict('StageExplained'),
);
export type StageExplained = Static<typeof StageExplained>;

const ConnectorExplained = Type.Object({ ...stateFields, stack: Type.String() }, strict('ConnectorExplained'));

const RenderingExplained = Type.Object(
  { revision: Type.Integer({ minimum: 1 }), time: Timestamp, author: Type.String() },
  strict('RenderingExplained'),
);

export const Explanation = Type.Object(
  {
    name: Identifier,
    summary: Type.String({ description: 'Why it is what it is, in a sentence or two.' }),
    vtq: Vtq,
    quality: Type.String({ description: 'In words.' }),
    eu: orNull(Type.String(), 'The engineering unit; null where none is set.'),
    precision: orNull(Type.Integer(), 'How many decimals people are best shown; null where nothing says it.'),
    connector: orNull(ConnectorExplained, 'That reads it, as it is now; null where none does.'),
    address: orNull(Type.String(), 'On the connector.'),
    reading: orNull(ReadingExplained, 'The last one, as the connector remembers it; null where it knows of none.'),
    stages: Type.Array(StageExplained, { description: 'In the order in which a reading passes them.' }),
    device: Type.Object(
      { vtq: Vtq, quality: Type.String() },
      {
        description: 'What the chain gave last, whether a simulation stands before it or not.',
        additionalProperties: false,
      },
    ),
    simulation: orNull(Simulation, 'That stands before the device.'),
    rendering: orNull(RenderingExplained, 'The configuration that runs.'),
  },
  strict('Explanation'),
);
export type Explanation = Static<typeof Explanation>;

export const CommandOrigin = Type.Enum(['written', 'initial', 'never'], {
  type: 'string',
  description: 'Where its value is from: a write, its initialValue, or nowhere, since it was never written.',
});
export type CommandOrigin = Static<typeof CommandOrigin>;

/** The newest write to a command, whatever became of it. */
export const CommandWrite = Type.Object(
  {
    value: Type.String({ description: 'As it was given; a long one is cut.' }),
    t: Timestamp,
    by: orNull(Type.String(), 'Who asked for it; null where that is not known.'),
    outcome: Type.Enum(['underway', 'accepted', 'refused', 'unknown'], {
      type: 'string',
      description:
        'unknown: the device gave no clear answer, or none in time, and may have it. refused: it does not have it.',
    }),
    error: orNull(Type.String(), 'What the device or the service said; null where it had nothing to say.'),
  },
  strict('CommandWrite'),
);
export type CommandWrite = Static<typeof CommandWrite>;

const ProviderExplained = Type.Object(
  { ...stateFields, stack: Type.String(), address: Type.String({ description: 'Under which it is served.' }) },
  strict('ProviderExplained'),
);

export const CommandExplanation = Type.Object(
  {
    name: Identifier,
    summary: Type.String({ description: 'Why it is what it is, in a sentence or two.' }),
    vt: Vt,
    origin: CommandOrigin,
    by: orNull(Type.String(), 'Who wrote vt; null where nobody did, or where it was written before that was stored.'),
    eu: orNull(Type.String(), 'The engineering unit; null where none is set.'),
    precision: orNull(Type.Integer(), 'How many decimals people are best shown; null where nothing says it.'),
    raw: orNull(PrefixedValue, 'What the device is sent for vt; null where there is nothing to send.'),
    'last-write': orNull(CommandWrite, 'The newest since the start of the service, of those that were refused too.'),
    connector: orNull(ConnectorExplained, 'That writes it, as it is now; null: it is a value of the service itself.'),
    address: orNull(Type.String(), 'On the connector.'),
    providers: Type.Array(ProviderExplained, { description: 'That serve it, as they are now.' }),
    rendering: orNull(RenderingExplained, 'The configuration that runs.'),
  },
  strict('CommandExplanation'),
);
export type CommandExplanation = Static<typeof CommandExplanation>;

/** Items of one answer. */
export const maxBrowseItems = 1000;
export const defaultBrowseItems = 100;
const maxPlaceLength = 4096;

export const BrowseRequest = Type.Object(
  {
    path: Type.Optional(
      Type.String({
        maxLength: maxPlaceLength,
        description: 'Where to look, as an earlier answer named it; at the top where not given.',
      }),
    ),
    cursor: Type.Optional(
      Type.String({ maxLength: maxPlaceLength, description: 'Where an earlier answer to the same request ended.' }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxBrowseItems,
        description: `At most so many items; ${defaultBrowseItems} where not given.`,
      }),
    ),
  },
  strict('BrowseRequest'),
);
export type BrowseRequest = Static<typeof BrowseRequest>;

const offer = <const Schema extends typeof Measurement | typeof Command | typeof Alarm>(
  object: Schema,
  title: string,
) =>
  Type.Object(
    {
      object: orNull(object, 'Ready to be put into the configuration as it is; null where one of the others is set.'),
      configured: orNull(Identifier, 'The object of the configuration that has this address already.'),
      refused: orNull(Type.String(), "Why it cannot be configured: what the stack's own check says."),
    },
    strict(title),
  );

export const MeasurementOffer = offer(Measurement, 'MeasurementOffer');
export type MeasurementOffer = Static<typeof MeasurementOffer>;
export const CommandOffer = offer(Command, 'CommandOffer');
export type CommandOffer = Static<typeof CommandOffer>;
export const AlarmOffer = offer(Alarm, 'AlarmOffer');
export type AlarmOffer = Static<typeof AlarmOffer>;

export const BrowsedItem = Type.Object(
  {
    title: Type.String({ description: 'For people.' }),
    path: orNull(Type.String(), 'To look below it; null where nothing is.'),
    measurement: orNull(MeasurementOffer, 'To read it; null where it cannot be read.'),
    command: orNull(CommandOffer, 'To write it; null where it cannot be written.'),
    alarm: orNull(AlarmOffer, 'To follow it as an alarm; null where it is none.'),
  },
  strict('BrowsedItem'),
);
export type BrowsedItem = Static<typeof BrowsedItem>;

export const BrowsedItems = Type.Object(
  {
    items: Type.Array(BrowsedItem),
    cursor: orNull(Type.String(), 'For the next request; null where this was all.'),
  },
  strict('BrowsedItems'),
);
export type BrowsedItems = Static<typeof BrowsedItems>;
