// The plant of the traffic test: what is configured of each point, and the operations that make one configuration of
// another. Each place of a device has a number of its own that every scaling keeps recognisable.
import type { Datatype, Operation } from '@telltale/schema';
import { put } from './live-plant.ts';

export const names = Array.from({ length: 10 }, (_, at) => `p${at}`);
export const placesOfDevice = 5;
export const factors = [1, 10, 100, 1000] as const;
/** Between the points by name, so that a rendering takes many slices. */
const fillersOfPoint = 60;

export type ConnectorName = 'modbus_a' | 'modbus_b' | 'lines' | 'pages' | 'simulator' | 'broker';

/** Measurements of `simulator` are functions that nothing is written to. */
const writable: readonly ConnectorName[] = ['modbus_a', 'modbus_b', 'lines', 'pages', 'broker'];
export const isWritable = (name: ConnectorName) => writable.includes(name);

export interface ConnectorDefinition {
  /** Another one has other variables, and of most connectors another device: `mediumOf`. */
  readonly variant: 0 | 1;
  /** A property that changes nothing but that the connector is started again. */
  readonly mark: number;
}

export interface PointDefinition {
  readonly connector: ConnectorName;
  readonly place: number;
  readonly datatype: Datatype;
  /** Engineering for raw. */
  readonly factor: number;
  /** The raw range is so many times as wide as it need be. */
  readonly span: 1 | 2;
  /** A label of the metric that serves it. */
  readonly slot: number;
}

export interface AlarmDefinition {
  readonly operator: 'gt' | 'le' | 'eq' | 'ne';
  readonly limit: number;
}

type ByName<Definition> = Readonly<Record<string, Definition | undefined>>;

export interface Plant {
  readonly connectors: Readonly<Partial<Record<ConnectorName, ConnectorDefinition>>>;
  readonly measurements: ByName<PointDefinition>;
  readonly commands: ByName<PointDefinition>;
  readonly alarms: ByName<AlarmDefinition>;
  /** What the fillers say of themselves; undefined: there are none. */
  readonly fillers: number | undefined;
}

const connectorNames: readonly ConnectorName[] = ['modbus_a', 'modbus_b', 'lines', 'pages', 'simulator', 'broker'];

/** Which device a connector of this variant has, as a number. */
export function mediumOf(connector: ConnectorName, variant: 0 | 1): number {
  const isOneDevice = connector === 'simulator' || connector === 'broker';
  return 2 * connectorNames.indexOf(connector) + (isOneDevice ? 0 : variant);
}

/** 11 to 79, never with a zero at the end: times any factor, it is no other times another factor. */
export function rawAt(medium: number, place: number): number {
  const at = placesOfDevice * medium + place;
  return 11 + 10 * Math.floor(at / 9) + (at % 9);
}

export function mediumUnder(plant: Plant, { connector }: PointDefinition): number {
  return mediumOf(connector, plant.connectors[connector]?.variant ?? 0);
}

export function engineeringUnder(plant: Plant, definition: PointDefinition): number {
  return rawAt(mediumUnder(plant, definition), definition.place) * definition.factor;
}

export function holds({ operator, limit }: AlarmDefinition, value: number): boolean {
  if (operator === 'gt') return value > limit;
  if (operator === 'le') return value <= limit;
  return (value === limit) === (operator === 'eq');
}

/** What anybody may read of the definition. */
export const alarmText = ({ operator, limit }: AlarmDefinition) => `${operator} ${limit}`;

export function measurementAddress({ connector, place }: PointDefinition): string {
  if (connector === 'lines') return `r${place}`;
  if (connector === 'pages') return `/value/${place}`;
  if (connector === 'broker') return `value/${place}`;
  if (connector !== 'simulator') return `hr${100 + 2 * place}:int32`;
  const raw = rawAt(mediumOf(connector, 0), place);
  return `square(low=${raw}, high=${raw})`;
}

export function commandAddress({ connector, place }: PointDefinition): string {
  if (connector === 'lines') return `w${place}`;
  if (connector === 'pages') return `PUT /set/${place}`;
  if (connector === 'broker') return `set/${place}`;
  return `hr${500 + 2 * place}:int32`;
}

/** Where the two providers have the point of a name. */
export const servedAt = {
  measurement: (name: string) => 5 * names.indexOf(name),
  command: (name: string) => 4 * names.indexOf(name),
};

/** Ends of the raw and the engineering range. */
export function rangesOf(
  { factor, span }: PointDefinition,
  kind: 'measurement' | 'command',
): readonly [number, number] {
  return kind === 'measurement' ? [100 * span, 100 * span * factor] : [(1e9 * span) / factor, 1e9 * span];
}

function point(definition: PointDefinition, kind: 'measurement' | 'command'): Record<string, unknown> {
  const { connector, datatype } = definition;
  const [raw, engineering] = rangesOf(definition, kind);
  const ranges = { rawRangeLo: '0', rawRangeHi: String(raw), euRangeLo: '0', euRangeHi: String(engineering) };
  return { connectorName: connector, datatype, rawDatatype: 'i', ...ranges };
}

export type Variables = (connector: ConnectorName, variant: 0 | 1) => Record<string, string>;

function objectsOf(plant: Plant, variables: Variables): Map<string, Operation> {
  const stacks = {
    modbus_a: 'modbus',
    modbus_b: 'modbus',
    lines: 'line_device',
    pages: 'http',
    broker: 'mqtt',
  } as const;
  const objects: Operation[] = [];
  for (const [name, { variant, mark }] of Object.entries(plant.connectors) as [ConnectorName, ConnectorDefinition][]) {
    const stackName = name === 'simulator' ? name : stacks[name];
    objects.push(
      put('connectors', name, { stackName, vars: variables(name, variant), properties: { mark: `${mark}` } }),
    );
  }
  for (const name of names) {
    const [measurement, command, alarm] = [plant.measurements[name], plant.commands[name], plant.alarms[name]];
    if (measurement !== undefined) {
      const at = servedAt.measurement(name);
      const registers = `ir${at}:float64;quality=ir${at + 4}`;
      const metric = `traffic{name="${name}",slot="${measurement.slot}"}`;
      objects.push(
        put('measurements', name, {
          ...point(measurement, 'measurement'),
          address: measurementAddress(measurement),
          providerAddresses: { panel: registers, metrics: metric },
        }),
      );
    }
    if (command !== undefined) {
      const served = { panel: `hr${servedAt.command(name)}:float64` };
      objects.push(
        put('commands', name, {
          ...point(command, 'command'),
          address: commandAddress(command),
          providerAddresses: served,
        }),
      );
    }
    if (alarm !== undefined) {
      const trigger = { trgMeasurement: name, trgOperator: alarm.operator, trgRefValue: String(alarm.limit) };
      objects.push(put('alarms', name, { severity: 1, description: alarmText(alarm), ...trigger }));
    }
    for (let at = 0; plant.fillers !== undefined && at < fillersOfPoint; at++) {
      objects.push(put('measurements', `${name}_${at}`, { datatype: 'd', description: `${plant.fillers}` }));
    }
  }
  return new Map(objects.map((object) => [`${object.family} ${object.name}`, object]));
}

/** What makes one plant of another. `isDeletedFirst`: what is another is deleted before it is put. */
export function operationsBetween(
  before: Plant | undefined,
  after: Plant,
  variables: Variables,
  isDeletedFirst: boolean,
): Operation[] {
  const old = before === undefined ? new Map<string, Operation>() : objectsOf(before, variables);
  const now = objectsOf(after, variables);
  const operations: Operation[] = [];
  for (const [key, object] of now) {
    const known = old.get(key);
    if (JSON.stringify(known) === JSON.stringify(object)) continue;
    if (isDeletedFirst && known !== undefined) operations.push(deletionOf(known));
    operations.push(object);
  }
  for (const [key, object] of old) if (!now.has(key)) operations.push(deletionOf(object));
  return operations;
}

const deletionOf = ({ family, name }: Operation): Operation => ({ operation: 'delete', family, name });
