// The resources of the configuration interface, version 2. The order of the fields here is the order in which they are
// stored, rendered and shown.
import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { areaPattern } from './area-path.ts';
import { strict } from './closed.ts';
import type { Family } from './families.ts';
import { maxJsonKeys, maxJsonTextBytes } from './json.ts';
import { Datatype, Identifier } from './wire-schemas.ts';

/** Counts and bit masks: exact in JSON and in SQLite alike. */
const Count = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

/** `x-unit` is for refusals: that of a duration in the place of the number. */
const Milliseconds = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description, 'x-unit': 'ms' });

const Text = (description: string) => Type.String({ description });

const Flag = (description: string) => Type.Boolean({ description });

const Choice = <Words extends string[]>(words: readonly [...Words], description: string) =>
  Type.Enum(words, { description, type: 'string' });

/** A map of non-empty keys to texts, as `properties`, `vars`, `env`, `parameters` and `providerAddresses` are. */
const TextMap = (description: string) =>
  Type.Record(Type.String({ pattern: '^[\\s\\S]+$' }), Type.String(), {
    description,
    maxProperties: maxJsonKeys,
    additionalProperties: false,
  });

export const Severity = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: '0 is the most severe.',
});

const Properties = Type.Optional(TextMap('Free properties of the object.'));
const retention = 'archRetention: how long the archive keeps its records, such as 90d, 1d12h or 2y.';
const confirmation =
  'confirm: how a write is confirmed: none, reason, sign (by password), two-person; confirmExcept: programs that need not, such as ' +
  'module/loop, provider/scada.';
const precision = 'precision: how many decimals people are shown; programs read the exact value.';
const Description = Type.Optional(Text('What it is, for people.'));
const Enabled = Type.Optional(Flag('Whether it takes part; true where not set.'));
const ArchiveMode = Type.Optional(Choice(['none', 'change'], 'Whether changes are archived.'));

export const Area = Type.String({
  pattern: areaPattern,
  description:
    'A path such as works.dosing.line2, of at most 16 parts of 0-9, a-z, A-Z, _ and -: where it belongs in the plant.',
});

export const Alarm = Type.Object(
  {
    name: Identifier,
    description: Description,
    severity: Severity,
    archMode: ArchiveMode,
    ackMode: Type.Optional(Choice(['manual', 'auto'], 'Whether a person acknowledges, or the service at once.')),
    enabled: Enabled,
    trgMeasurement: Type.Optional(
      Text('The measurement that triggers the alarm; with connectorName, the one that it is about.'),
    ),
    trgOperator: Type.Optional(Choice(['lt', 'gt', 'le', 'ge', 'eq', 'ne'], 'How the value is compared.')),
    trgRefValue: Type.Optional(Text('What the value is compared with, as plain text in its datatype.')),
    trgHysteresis: Type.Optional(Text('How far the value must come back before the alarm clears.')),
    groupName: Type.Optional(Text('The group that the alarm is shown in.')),
    connectorName: Type.Optional(Text('The connector whose device raises the alarm, instead of a trigger here.')),
    address: Type.Optional(Text("The alarm's address on the connector, in its stack's syntax.")),
    area: Type.Optional(Area),
    properties: Type.Optional(
      TextMap(
        'Free properties of the object. onDelay, offDelay: for how long the condition must hold, or not hold, in milliseconds or ' +
          `such as 5s, before the alarm is raised, or cleared. ${retention}`,
      ),
    ),
  },
  strict('Alarm'),
);
export type Alarm = Static<typeof Alarm>;

const communicationFields = {
  name: Identifier,
  address: Type.Optional(Text("The address on the connector, in its stack's syntax.")),
  description: Description,
  datatype: Datatype,
  rawDatatype: Type.Optional(Datatype),
  connectorName: Type.Optional(Text('The connector that reads or writes it.')),
  rawRangeLo: Type.Optional(Text('Low end of the raw range, as plain text in the raw datatype.')),
  rawRangeHi: Type.Optional(Text('High end of the raw range, as plain text in the raw datatype.')),
  euRangeLo: Type.Optional(Text('Low end of the engineering range, as plain text in the datatype.')),
  euRangeHi: Type.Optional(Text('High end of the engineering range, as plain text in the datatype.')),
  providerAddresses: Type.Optional(TextMap('Its address at each provider that serves it, by provider name.')),
  archMode: ArchiveMode,
  archPeriod: Type.Optional(
    Milliseconds('Milliseconds after which the value is archived though it did not change; 0: never.'),
  ),
  archValueDeadband: Type.Optional(Text('Smaller moves since the last archived value are not archived.')),
  archTimeDeadband: Type.Optional(Milliseconds('Milliseconds after a record in which no other is archived.')),
  leader: Type.Optional(Text('The measurement or command with which this one is archived.')),
  stackUmask: Type.Optional(
    Count('Stages switched off: 1 watchdog, 2 scaler, 4 deduplicator, 8 deadband, 16 raw limits, 32 limits.'),
  ),
  eu: Type.Optional(Text('The engineering unit.')),
  area: Type.Optional(Area),
  enabled: Enabled,
  properties: Type.Optional(TextMap(`Free properties of the object. ${precision} ${retention}`)),
};

export const Measurement = Type.Object(
  {
    ...communicationFields,
    deadband: Type.Optional(Text('Smaller moves are no change: absolute, or a share of the eu-range such as 1%.')),
  },
  strict('Measurement'),
);
export type Measurement = Static<typeof Measurement>;

export const Command = Type.Object(
  {
    ...communicationFields,
    initialValue: Type.Optional(Text('The value before the first write, as plain text in the datatype.')),
    properties: Type.Optional(TextMap(`Free properties of the object. ${precision} ${retention} ${confirmation}`)),
  },
  strict('Command'),
);
export type Command = Static<typeof Command>;

/** A name of a file: neither . nor .. */
const pathPart =
  '(?:[A-Za-z0-9_ -][A-Za-z0-9_. -]{0,127}|[.][A-Za-z0-9_ -][A-Za-z0-9_. -]{0,126}|[.]{2}[A-Za-z0-9_. -]{1,126})';

export const FunctionModule = Type.Object(
  {
    name: Identifier,
    description: Description,
    executable: Type.Optional(
      Type.String({
        pattern: `^${pathPart}(/${pathPart}){0,7}$`,
        description:
          "The executable's path inside the module's own folder, such as bin/loop.py: at most 8 parts of up to 128 " +
          'characters of 0-9, a-z, A-Z, _, -, . and spaces; none of them is . or ...',
      }),
    ),
    debug: Type.Optional(Flag('Whether the module is asked to log more.')),
    respawn: Type.Optional(Flag('Whether it is started again when it ends.')),
    enabled: Enabled,
    termToKill: Milliseconds('Milliseconds between SIGTERM and SIGKILL.'),
    queryTimeout: Milliseconds('Milliseconds after which an unanswered query counts as silence; 0: it is never asked.'),
    runMode: Type.Optional(
      Text(
        'When it runs: service (kept running, as without it), once (to its end, at each start of the service), or cron ' +
          'and five fields of times, such as cron 0 6 * * mon-fri.',
      ),
    ),
    properties: Properties,
    env: Type.Optional(TextMap('Environment variables of the process; nothing else of the server comes to it.')),
  },
  strict('FunctionModule'),
);
export type FunctionModule = Static<typeof FunctionModule>;

const stackInstanceFields = {
  name: Identifier,
  stackName: Type.Optional(Text('The protocol stack that it runs.')),
  wdtMeasurement: Type.Optional(Text('The boolean measurement that says whether the link is up.')),
  vars: Type.Optional(TextMap("Settings, by the names of the stack's variables.")),
  properties: Properties,
};

export const Connector = Type.Object(stackInstanceFields, strict('Connector'));
export type Connector = Static<typeof Connector>;

export const Provider = Type.Object(stackInstanceFields, strict('Provider'));
export type Provider = Static<typeof Provider>;

/** Characters of an SVG as it comes in; what is left of it fits the object. */
export const maxSvgLength = maxJsonTextBytes;

export const Picture = Type.Object(
  {
    name: Identifier,
    description: Description,
    svg: Type.String({
      maxLength: maxSvgLength,
      description: 'The picture, an SVG document: what is not harmless is removed when it comes in.',
    }),
    parameters: Type.Optional(
      TextMap('Its parameters, each with the text that {parameter} stands for where nobody says another.'),
    ),
    area: Type.Optional(Area),
    properties: Properties,
  },
  strict('Picture'),
);
export type Picture = Static<typeof Picture>;

export const PictureDrawing = Type.Object({ svg: Picture.properties.svg }, strict('PictureDrawing'));
export type PictureDrawing = Static<typeof PictureDrawing>;

export const RemovedName = Type.Object(
  {
    name: Type.String({ description: 'Of an element, such as script, or of an attribute, such as onload=.' }),
    count: Type.Integer({ minimum: 1 }),
  },
  strict('RemovedName'),
);
export type RemovedName = Static<typeof RemovedName>;

export const CleanedPicture = Type.Object(
  {
    svg: Type.String({ description: 'As it would be stored.' }),
    removed: Type.Array(RemovedName, {
      description: 'What is not harmless or not drawn, the first thousand names. Styles become attributes.',
    }),
  },
  strict('CleanedPicture'),
);
export type CleanedPicture = Static<typeof CleanedPicture>;

const AxisName = Type.String({ minLength: 1, maxLength: 64 });

export const Pen = Type.Object(
  {
    kind: Choice(['measurements', 'commands', 'alarms'], 'What it draws.'),
    name: Identifier,
    axis: Type.Optional(AxisName),
    colour: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 16, description: 'The number of its colour; without it, the next one.' }),
    ),
    style: Type.Optional(Choice(['line', 'step'], 'How points are joined; without it, as the datatype wants.')),
    visible: Type.Optional(Flag('Whether it is drawn; true where not set.')),
  },
  strict('Pen'),
);
export type Pen = Static<typeof Pen>;

export const Axis = Type.Object(
  {
    name: AxisName,
    title: Type.Optional(Type.String({ maxLength: 256 })),
    lo: Type.Optional(Type.Number({ description: 'Its low end; without it, that of the values shown.' })),
    hi: Type.Optional(Type.Number({ description: 'Its high end; without it, that of the values shown.' })),
  },
  strict('Axis'),
);
export type Axis = Static<typeof Axis>;

const maxPens = 32;

export const Trend = Type.Object(
  {
    name: Identifier,
    description: Description,
    pens: Type.Array(Pen, {
      maxItems: maxPens,
      description: 'What is drawn, in order. Pens that name the same axis share it; a pen without has one of its own.',
    }),
    axes: Type.Optional(Type.Array(Axis, { maxItems: maxPens, description: 'Those with a title, or ends that stay.' })),
    span: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10 * 366 * 86_400,
        description: 'How many seconds it shows, up to now; 3600 where not set.',
        'x-unit': 's',
      }),
    ),
    area: Type.Optional(Area),
    properties: Properties,
  },
  strict('Trend'),
);
export type Trend = Static<typeof Trend>;

/** By family, in the order in which everything lists them. */
export const families = {
  alarms: Alarm,
  commands: Command,
  measurements: Measurement,
  connectors: Connector,
  providers: Provider,
  'function-modules': FunctionModule,
  pictures: Picture,
  trends: Trend,
} as const satisfies Record<Family, TObject>;

export type FamilyObject = { [F in Family]: Static<(typeof families)[F]> };

/** Schemas have a title as in JSON Schema, but the type of a TypeBox object does not show it. */
export function titleOf(schema: TSchema): string {
  return (schema as { title?: string }).title ?? '';
}

/** The same object in a request body: every field may also be null, which means: not set. */
export function withNulls(schema: TObject): TObject {
  const properties: Record<string, TSchema> = {};
  for (const [field, type] of Object.entries(schema.properties)) {
    properties[field] = schema.required?.includes(field) ? type : Type.Optional(Type.Union([type, Type.Null()]));
  }
  return Type.Object(properties, { title: `${titleOf(schema)}Body`, additionalProperties: false });
}

export const ExecutableStat = Type.Object(
  {
    mode: Type.Optional(Type.Integer({ description: 'File type and permission bits.' })),
    uid: Type.Optional(Type.Integer()),
    gid: Type.Optional(Type.Integer()),
    size: Type.Optional(Type.Integer({ description: 'Bytes.' })),
    atime: Type.Optional(Type.Integer({ description: 'Seconds since the epoch.' })),
    mtime: Type.Optional(Type.Integer({ description: 'Seconds since the epoch.' })),
    ctime: Type.Optional(Type.Integer({ description: 'Seconds since the epoch.' })),
  },
  strict('ExecutableStat'),
);
export type ExecutableStat = Static<typeof ExecutableStat>;

export const RenderStatus = Type.Object(
  {
    up_to_date: Type.Optional(Type.Boolean()),
    missing: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Acknowledged data that was missing at the start, until somebody acknowledges the loss.',
      }),
    ),
  },
  strict('RenderStatus'),
);
export type RenderStatus = Static<typeof RenderStatus>;

/** A collection on the wire: a JSON object from name to object. */
export const Collection = <Item extends TObject>(schema: Item) =>
  Type.Record(Identifier, schema, { title: `${titleOf(schema)}Collection`, additionalProperties: false });

export const Names = Type.Array(Identifier, { title: 'Names', description: 'Sorted.' });
