// The messages of the channel: what a client may ask and what it is answered. One JSON text a message. What it is told
// unasked is in channel-notifications.ts.
import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { AlarmRecord, ArchiveTime, archiveKinds, archiveOptions, CommandRecord, MeasurementRecord } from './archive.ts';
import { Collection } from './configuration.ts';
import {
  Authority,
  alarmFields,
  alarmOperations,
  commandFields,
  LiveAlarm,
  LiveCommand,
  LiveMeasurement,
  measurementFields,
  Simulation,
  ValidFor,
} from './data-access.ts';
import {
  BrowsedItem,
  BrowseRequest,
  connectorFields,
  Explanation,
  LiveConnector,
  LiveProvider,
  providerFields,
} from './diagnostics.ts';
import { functionModuleFields, functionModuleOperations, LiveFunctionModule } from './function-modules.ts';
import { declarationOf, type Effect, type OperationName, type Resource } from './operations/index.ts';
import { PrefixedValue, Problem, Quality } from './wire-schemas.ts';

const closed = { additionalProperties: false } as const;

/** Comes back as `request_id`. */
export const RequestId = Type.Union([Type.Integer(), Type.String({ maxLength: 64 })], {
  description: 'Chosen by the client; the answer carries it as request_id.',
});
export type RequestId = Static<typeof RequestId>;

/** Names are texts here: an impossible one is an unknown one, and fails alone. */
const Name = Type.String({ description: 'A name.' });
const NameList = Type.Array(Name);
/** Each item is answered by itself, so that more would make an answer that nobody can take. */
export const maxBatchItems = 10_000;
const items = { maxItems: maxBatchItems, description: `At most ${maxBatchItems}.` };
const WatchList = Type.Union([NameList, Type.Literal('all')], {
  description: 'Names, or "all": what there is now and what will be.',
});

const fieldsOf = <const Field extends string>(words: readonly Field[]) =>
  Type.Optional(
    Type.Array(Type.Enum([...words], { type: 'string' }), {
      maxItems: 100,
      description: 'Only these fields of each object.',
    }),
  );

const read = <const Field extends string>(words: readonly Field[]) => ({
  names: Type.Optional(Type.Array(Name, { description: 'Only these; unknown names are left out.' })),
  fields: fieldsOf(words),
});

/** Of what there are few of. */
const readFew = <const Field extends string>(words: readonly Field[]) => ({
  names: Type.Optional(
    Type.Array(Name, { ...items, description: `Only these, at most ${maxBatchItems}; unknown names are left out.` }),
  ),
  fields: fieldsOf(words),
});

/** With `fields`, each object has those alone; to the types, which cannot know them, it has all. */
const some = <T extends TObject>(type: T) => Collection(Type.Partial(type) as unknown as T);

const interval = {
  archive: Type.Enum([...archiveKinds], { type: 'string' }),
  name: Name,
  t_since: ArchiveTime,
  t_until: ArchiveTime,
};

const Choice = Type.Union([Type.Literal('all'), NameList]);

/** One item of a batch that was carried out, or why not. */
export const ItemResult = Type.Object(
  { name: Type.String(), result: Type.Boolean(), error: Type.Optional(Problem) },
  { title: 'ItemResult', ...closed },
);
export type ItemResult = Static<typeof ItemResult>;

interface RequestDeclaration {
  readonly summary: string;
  /** Which operations of the catalogue it asks for; none: one of the channel alone. */
  readonly operations: readonly OperationName[];
  readonly effect: Effect;
  readonly audited: boolean;
  readonly fields: Record<string, TSchema>;
  /** What a good answer has besides `request_id` and `result`. */
  readonly answer?: Record<string, TSchema>;
  /** Carried out item by item, and told so in `results`. */
  readonly batch?: true;
}

const declare = <const D extends RequestDeclaration>(declaration: D) => declaration;

/** It asks for one of these operations, which do the same kind of thing, for one object or for several. */
const asks = (...names: readonly [OperationName, ...OperationName[]]) => {
  const { effect, audited } = declarationOf(names[0]);
  return { operations: names, effect, audited };
};

const reads = (resource: Resource) =>
  ({ operations: [], effect: { action: 'read', resource }, audited: false }) as const;

export const channelRequests = {
  Heartbeat: declare({ ...reads('service'), summary: 'Asks whether the service is there.', fields: {} }),
  WatchMeasurements: declare({
    ...reads('measurements'),
    summary: 'The answer, then one notification with the present values, then every change.',
    fields: { measurements: WatchList },
    batch: true,
  }),
  UnwatchMeasurements: declare({
    ...reads('measurements'),
    summary: 'Ends the watch.',
    fields: { measurements: WatchList },
  }),
  WatchCommands: declare({
    ...reads('commands'),
    summary: 'The answer, then one notification with the present values, then every change.',
    fields: { commands: WatchList },
    batch: true,
  }),
  UnwatchCommands: declare({ ...reads('commands'), summary: 'Ends the watch.', fields: { commands: WatchList } }),
  WatchAlarms: declare({
    ...reads('alarms'),
    summary: 'The answer, then one notification with the present states, then every transition.',
    fields: { alarms: WatchList },
    batch: true,
  }),
  UnwatchAlarms: declare({ ...reads('alarms'), summary: 'Ends the watch.', fields: { alarms: WatchList } }),
  WatchFunctionModules: declare({
    ...reads('function-modules'),
    summary: 'The answer, then one notification with the present states, then every change.',
    fields: { function_modules: WatchList },
    batch: true,
  }),
  UnwatchFunctionModules: declare({
    ...reads('function-modules'),
    summary: 'Ends the watch.',
    fields: { function_modules: WatchList },
  }),
  WatchFunctionModuleLogs: declare({
    ...reads('function-modules'),
    summary:
      'The answer, then what the modules print from now on; GET /function-modules/:name/log has what they printed ' +
      'before. The watch of a name stays where the module is removed, and comes to life again with it.',
    fields: { function_modules: WatchList },
    batch: true,
  }),
  UnwatchFunctionModuleLogs: declare({
    ...reads('function-modules'),
    summary: 'Ends the watch.',
    fields: { function_modules: WatchList },
  }),
  WatchConnectors: declare({
    ...reads('connectors'),
    summary: 'The answer, then one notification with the present states, then every change of a state.',
    fields: { connectors: WatchList },
    batch: true,
  }),
  UnwatchConnectors: declare({ ...reads('connectors'), summary: 'Ends the watch.', fields: { connectors: WatchList } }),
  WatchProviders: declare({
    ...reads('providers'),
    summary: 'The answer, then one notification with the present states, then every change of a state.',
    fields: { providers: WatchList },
    batch: true,
  }),
  UnwatchProviders: declare({ ...reads('providers'), summary: 'Ends the watch.', fields: { providers: WatchList } }),
  WriteCommands: declare({
    ...asks('writeCommand'),
    summary: 'Writes commands; each is answered as PUT /commands/:name answers.',
    fields: {
      writes: Type.Array(Type.Object({ name: Name, value: PrefixedValue }, closed), items),
    },
    batch: true,
  }),
  SimulateMeasurements: declare({
    ...asks('simulateMeasurement'),
    summary: 'Forces values, as PUT /measurements/:name does.',
    fields: {
      simulations: Type.Array(
        Type.Object(
          {
            name: Name,
            value: PrefixedValue,
            quality: Type.Optional(Quality),
            'valid-for': Type.Optional(ValidFor),
          },
          closed,
        ),
        items,
      ),
    },
    batch: true,
  }),
  StopSimulation: declare({
    ...asks('stopSimulation'),
    summary: 'Gives the device its say again, as DELETE /measurements/:name does.',
    fields: { measurements: Type.Array(Name, items) },
    batch: true,
  }),
  ReadSimulations: declare({
    ...asks('listSimulations'),
    summary: 'Everything that is forced now.',
    fields: {},
    answer: { simulations: Collection(Simulation) },
  }),
  ReadMeasurements: declare({
    ...asks('listMeasurements'),
    summary: 'What GET /measurements/ gives.',
    fields: read(measurementFields),
    answer: { measurements: some(LiveMeasurement) },
  }),
  ReadCommands: declare({
    ...asks('listCommands'),
    summary: 'What GET /commands/ gives.',
    fields: read(commandFields),
    answer: { commands: some(LiveCommand) },
  }),
  ReadAlarms: declare({
    ...asks('listAlarms'),
    summary: 'What GET /alarms/ gives.',
    fields: read(alarmFields),
    answer: { alarms: some(LiveAlarm) },
  }),
  ReadConnectors: declare({
    ...asks('listConnectors'),
    summary: 'What GET /connectors/ gives.',
    fields: readFew(connectorFields),
    answer: { connectors: some(LiveConnector) },
  }),
  ReadProviders: declare({
    ...asks('listProviders'),
    summary: 'What GET /providers/ gives.',
    fields: readFew(providerFields),
    answer: { providers: some(LiveProvider) },
  }),
  ReadFunctionModules: declare({
    ...asks('listFunctionModules'),
    summary: 'What GET /function-modules/ gives.',
    fields: readFew(functionModuleFields),
    answer: { function_modules: some(LiveFunctionModule) },
  }),
  ExplainMeasurement: declare({
    ...asks('explainMeasurement'),
    summary: 'Why a measurement is what it is, as GET /measurements/:name/explain says.',
    fields: { name: Name },
    answer: { explanation: Explanation },
  }),
  BrowseConnector: declare({
    ...asks('browseConnector'),
    summary: 'What the device of a connector has to offer, as POST /connectors/:name/browse gives it.',
    fields: { name: Name, ...BrowseRequest.properties },
    answer: { items: Type.Array(BrowsedItem), cursor: Type.Union([Type.String(), Type.Null()]) },
  }),
  OperateAlarms: declare({
    ...asks('activateAlarm', 'deactivateAlarm', 'acknowledgeAlarm'),
    summary: 'Activates, deactivates and acknowledges alarms.',
    fields: {
      operations: Type.Array(
        Type.Object({ name: Name, opcode: Type.Enum([...alarmOperations], { type: 'string' }) }, closed),
        items,
      ),
      authority: Type.Optional(Authority),
    },
    batch: true,
  }),
  AckAlarms: declare({
    ...asks('acknowledgeAlarm'),
    summary: 'Acknowledges alarms.',
    fields: { alarms: Type.Array(Name, items), authority: Type.Optional(Authority) },
    batch: true,
  }),
  OperateFunctionModules: declare({
    ...asks('startFunctionModule', 'stopFunctionModule', 'restartFunctionModule'),
    summary: 'Starts and stops function modules; each is answered as POST /function-modules/:name/start answers.',
    fields: {
      operations: Type.Array(
        Type.Object({ name: Name, opcode: Type.Enum([...functionModuleOperations], { type: 'string' }) }, closed),
        items,
      ),
    },
    batch: true,
  }),
  ReadDatabase: declare({
    ...reads('measurements'),
    summary: 'Live objects of several kinds in one answer, as arrays.',
    fields: {
      select: Type.Object(
        {
          measurements: Type.Optional(Choice),
          commands: Type.Optional(Choice),
          alarms: Type.Optional(Choice),
        },
        closed,
      ),
    },
    answer: {
      database: Type.Object({
        measurements: Type.Optional(Type.Array(LiveMeasurement)),
        commands: Type.Optional(Type.Array(LiveCommand)),
        alarms: Type.Optional(Type.Array(LiveAlarm)),
      }),
    },
  }),
  ReadArchive: declare({
    ...asks('readMeasurementArchive', 'readCommandArchive', 'readAlarmArchive', 'readActiveAlarmArchive'),
    summary:
      'Records of an interval, in time order, as GET /archive/:archive/:name/:t_since/:t_until gives them. An answer ' +
      'of more than 32 MiB is refused: HTTP has no limit.',
    fields: {
      ...interval,
      ...archiveOptions,
      active: Type.Optional(Type.Boolean({ description: 'Of alarms: only transitions into an active state.' })),
    },
    answer: { records: Type.Array(Type.Union([MeasurementRecord, CommandRecord, AlarmRecord])) },
  }),
  EraseArchive: declare({
    ...asks('eraseMeasurementArchive', 'eraseCommandArchive', 'eraseAlarmArchive'),
    summary: 'Erases the records of an interval, as DELETE does. The answer comes when that is on disk.',
    fields: interval,
  }),
  AnswerQuery: declare({
    ...reads('function-modules'),
    summary:
      "A function module's answer to a FunctionModuleQuery of its supervisor; only from a connection that was made " +
      "with the module's token.",
    fields: {
      query_id: Type.Integer(),
      status: Type.Optional(
        Type.String({ description: 'What it has to say of itself; of more than 1024 characters the rest is cut off.' }),
      ),
    },
  }),
} as const;

export type ChannelRequestName = keyof typeof channelRequests;
export const channelRequestNames = Object.keys(channelRequests) as ChannelRequestName[];

/** The whole message of a request. */
export function requestSchema(name: ChannelRequestName): TObject {
  const { fields }: RequestDeclaration = channelRequests[name];
  return Type.Object({ request: Type.Literal(name), id: RequestId, ...fields }, { title: `${name}Request`, ...closed });
}

/** The whole message of an answer, good or not. */
export function answerSchema(name: ChannelRequestName): TObject {
  const { answer = {}, batch }: RequestDeclaration = channelRequests[name];
  const more = Object.fromEntries(Object.entries(answer).map(([field, type]) => [field, Type.Optional(type)]));
  return Type.Object(
    {
      request_id: Type.Union([RequestId, Type.Null()]),
      result: Type.Boolean({ description: 'Whether all of it was carried out.' }),
      error: Type.Optional(Problem),
      ...(batch && { results: Type.Optional(Type.Array(ItemResult)) }),
      ...more,
    },
    { title: `${name}Answer`, ...closed },
  );
}

type FieldsOf<N extends ChannelRequestName> = (typeof channelRequests)[N]['fields'];

/** The fields of a request besides `request` and `id`, as a client gives them. */
export type ChannelRequestFields<N extends ChannelRequestName> = Static<TObject<FieldsOf<N>>>;

type AnswerFields<N extends ChannelRequestName> = (typeof channelRequests)[N] extends {
  answer: infer A extends Record<string, TSchema>;
}
  ? Static<TObject<A>>
  : unknown;

/** What a good answer carries. */
export type ChannelAnswer<N extends ChannelRequestName> = AnswerFields<N>;

/** Codes with which the service closes a channel. */
export const closeCode = {
  goingAway: 1001,
  unsupportedData: 1003,
  invalidText: 1007,
  tokenRevoked: 1008,
  messageTooBig: 1009,
  tryAgainLater: 1013,
} as const;
