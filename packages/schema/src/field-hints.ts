// What forms need to know of the fields of configured objects beside their schemas: a short title, the group that a field is shown
// in, what it names, and in which form its text is. A field without its line here does not compile.
import Type, { type Static, type TSchema } from 'typebox';
import { closed } from './closed.ts';
import { type FamilyObject, families } from './configuration.ts';
import { type Family, familyNames, numericTexts } from './families.ts';

/** In the order in which people are shown them. */
const groups = {
  general: 'General',
  source: 'Source',
  range: 'Range and scaling',
  trigger: 'Trigger',
  process: 'Process',
  archive: 'Archive',
  serving: 'Served by providers',
  variables: 'Settings of the stack',
  advanced: 'Advanced',
} as const;
export type FieldGroup = keyof typeof groups;

/** The kinds of names that a field, or the keys of a map, may have. */
const references = [
  'measurements',
  'commands',
  'connectors',
  'providers',
  'areas',
  'connector-stacks',
  'provider-stacks',
] as const;
export type FieldReference = (typeof references)[number];

export interface FieldHint {
  readonly title: string;
  readonly group: FieldGroup;
  /** What its text names; what several kinds may have, of any of them. */
  readonly reference?: readonly FieldReference[];
  /** Of a map: what its keys name. */
  readonly keyReference?: readonly FieldReference[];
  /** Of a text: the field with the datatype that it is a value of, or with the measurement of that datatype. */
  readonly inDatatypeOf?: string;
  /** Of an address: the field with the connector whose stack has its syntax; of a map, its keys. */
  readonly addressOf?: string;
  /** Of a map: the keys that mean something to the service. */
  readonly keys?: Readonly<Record<string, string>>;
}

type Hints<F extends Family> = { readonly [Field in keyof Required<FamilyObject[F]>]: FieldHint };

const general = (title: string, more: Omit<FieldHint, 'title' | 'group'> = {}): FieldHint => ({
  title,
  group: 'general',
  ...more,
});
const named = { name: general('Name') } as const;
const described = { description: general('Description') } as const;
const area = { area: general('Area', { reference: ['areas'] }) } as const;
const enabled = { enabled: general('Enabled') } as const;
const areaKey = { area: 'Where it belongs in the plant, such as works.dosing.' };
const retentionKey = { archRetention: 'How long the archive keeps its records, such as 90d, 1d12h or 2y.' };
const precisionKey = { precision: 'How many decimals people are shown.' };

const communication = {
  ...named,
  ...described,
  ...area,
  ...enabled,
  datatype: general('Datatype'),
  eu: general('Unit'),
  connectorName: { title: 'Connector', group: 'source', reference: ['connectors'] },
  address: { title: 'Address', group: 'source', addressOf: 'connectorName' },
  rawDatatype: { title: 'Raw datatype', group: 'source' },
  rawRangeLo: { title: 'Raw low', group: 'range', inDatatypeOf: 'rawDatatype' },
  rawRangeHi: { title: 'Raw high', group: 'range', inDatatypeOf: 'rawDatatype' },
  euRangeLo: { title: 'Low', group: 'range', inDatatypeOf: 'datatype' },
  euRangeHi: { title: 'High', group: 'range', inDatatypeOf: 'datatype' },
  archMode: { title: 'Archive', group: 'archive' },
  archPeriod: { title: 'Archive at least every', group: 'archive' },
  archValueDeadband: { title: 'Archive deadband', group: 'archive', inDatatypeOf: 'datatype' },
  archTimeDeadband: { title: 'Archive at most every', group: 'archive' },
  leader: { title: 'Archived with', group: 'archive', reference: ['measurements', 'commands'] },
  providerAddresses: {
    title: 'Addresses at providers',
    group: 'serving',
    keyReference: ['providers'],
    addressOf: 'providerAddresses',
  },
  stackUmask: { title: 'Stages switched off', group: 'advanced' },
} as const satisfies Record<string, FieldHint>;

const stackInstance = (stacks: 'connector-stacks' | 'provider-stacks') =>
  ({
    ...named,
    stackName: general('Stack', { reference: [stacks] }),
    wdtMeasurement: general('Watchdog measurement', { reference: ['measurements'] }),
    vars: { title: 'Settings', group: 'variables' },
    properties: { title: 'Properties', group: 'advanced', keys: areaKey },
  }) as const satisfies Record<string, FieldHint>;

const hints: { readonly [F in Family]: Hints<F> } = {
  alarms: {
    ...named,
    ...described,
    severity: general('Severity'),
    ...area,
    ...enabled,
    groupName: general('Group'),
    ackMode: general('Acknowledged by'),
    trgMeasurement: { title: 'Measurement', group: 'trigger', reference: ['measurements'] },
    trgOperator: { title: 'Operator', group: 'trigger' },
    trgRefValue: { title: 'Threshold', group: 'trigger', inDatatypeOf: 'trgMeasurement' },
    trgHysteresis: { title: 'Hysteresis', group: 'trigger', inDatatypeOf: 'trgMeasurement' },
    connectorName: { title: 'Connector', group: 'source', reference: ['connectors'] },
    address: { title: 'Address', group: 'source', addressOf: 'connectorName' },
    archMode: { title: 'Archive', group: 'archive' },
    properties: {
      title: 'Properties',
      group: 'advanced',
      keys: {
        onDelay: 'For how long the condition must hold before the alarm is raised: milliseconds, or such as 5s.',
        offDelay: 'For how long it must not hold before the alarm clears: milliseconds, or such as 5s.',
        ...retentionKey,
      },
    },
  },
  commands: {
    ...communication,
    initialValue: general('Initial value', { inDatatypeOf: 'datatype' }),
    properties: {
      title: 'Properties',
      group: 'advanced',
      keys: {
        ...precisionKey,
        ...retentionKey,
        confirm: 'How a write is confirmed: none, reason, sign (by password) or two-person.',
        confirmExcept: 'Programs that need not confirm, such as module/loop, provider/scada.',
      },
    },
  },
  measurements: {
    ...communication,
    deadband: { title: 'Deadband', group: 'range', inDatatypeOf: 'datatype' },
    properties: { title: 'Properties', group: 'advanced', keys: { ...precisionKey, ...retentionKey } },
  },
  connectors: stackInstance('connector-stacks'),
  providers: stackInstance('provider-stacks'),
  'function-modules': {
    ...named,
    ...described,
    ...enabled,
    executable: { title: 'Executable', group: 'process' },
    runMode: { title: 'Runs', group: 'process' },
    respawn: { title: 'Start again', group: 'process' },
    termToKill: { title: 'Time to end', group: 'process' },
    queryTimeout: { title: 'Query timeout', group: 'process' },
    debug: { title: 'Debug', group: 'process' },
    env: { title: 'Environment', group: 'process' },
    properties: {
      title: 'Properties',
      group: 'advanced',
      keys: {
        ...areaKey,
        writes: 'Names, or beginnings with *, that it may write, comma-separated.',
        reads: 'Names, or beginnings with *, that it may read, comma-separated.',
        sha256: 'Of the executable: another one is not started.',
        memoryLimit: 'Most memory, such as 256M.',
        cpuLimit: 'Most cores, such as 0.5.',
        maxProcesses: 'Most processes.',
      },
    },
  },
  pictures: {
    ...named,
    ...described,
    ...area,
    svg: general('SVG'),
    parameters: general('Parameters'),
    properties: { title: 'Properties', group: 'advanced' },
  },
  trends: {
    ...named,
    ...described,
    ...area,
    span: general('Span'),
    pens: general('Pens'),
    axes: general('Axes'),
    properties: { title: 'Properties', group: 'advanced' },
  },
};

export const FamilySchema = Type.Object(
  {
    schema: Type.Unknown({
      description:
        'The JSON Schema of an object. Each property has title, description and x-group, and where it applies x-unit (of a number: a ' +
        'duration such as 5s may stand for it), x-numeric (a text that is a number), x-reference and x-key-reference (kinds of ' +
        'objects that it, or a key of it, names), x-value-of (the field with the datatype, or the measurement, that its text is a ' +
        'value of), x-address-of (the field with the connector or providers whose stack has the syntax) and x-keys (keys that ' +
        'mean something to the service, with what).',
    }),
    groups: Type.Array(
      Type.Object(
        { name: Type.String(), title: Type.String(), fields: Type.Array(Type.String()) },
        { description: 'Fields that people are shown together.', ...closed },
      ),
    ),
  },
  { title: 'FamilySchema', ...closed },
);
export type FamilySchema = Static<typeof FamilySchema>;

export const FamilySchemas = Type.Object(
  Object.fromEntries(familyNames.map((family) => [family, FamilySchema])) as Record<Family, typeof FamilySchema>,
  { title: 'FamilySchemas', ...closed },
);
export type FamilySchemas = Static<typeof FamilySchemas>;

/** The schemas of all families, for forms. */
export function familySchemas(): FamilySchemas {
  return Object.fromEntries(familyNames.map((family) => [family, familySchema(family)])) as FamilySchemas;
}

function familySchema(family: Family): FamilySchema {
  const { properties } = families[family];
  const ofFields = Object.entries<FieldHint>(hints[family]);
  const annotated = Object.fromEntries(
    ofFields.map(([field, hint]) => [field, annotate(field, (properties as Record<string, TSchema>)[field], hint)]),
  );
  const words = Object.keys(groups) as FieldGroup[];
  const shown = words.map((name) => ({
    name,
    title: groups[name],
    fields: ofFields.filter(([, { group }]) => group === name).map(([field]) => field),
  }));
  return {
    schema: { ...families[family], properties: annotated },
    groups: shown.filter(({ fields }) => fields.length > 0),
  };
}

function annotate(field: string, schema: TSchema | undefined, hint: FieldHint): object {
  const { title, group, reference, keyReference, inDatatypeOf, addressOf, keys } = hint;
  return {
    ...schema,
    title,
    'x-group': group,
    ...(numericTexts.has(field) && { 'x-numeric': true }),
    ...(reference && { 'x-reference': reference }),
    ...(keyReference && { 'x-key-reference': keyReference }),
    ...(inDatatypeOf && { 'x-value-of': inDatatypeOf }),
    ...(addressOf && { 'x-address-of': addressOf }),
    ...(keys && { 'x-keys': keys }),
  };
}
