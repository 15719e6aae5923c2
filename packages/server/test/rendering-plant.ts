// Random plants for the model of renderings: few names, devices and addresses, so that one rendering differs from the
// next in all the ways in which objects can. What a definition means is here, in plain words.
import type { Alarm, Command, Connector, Datatype, Measurement, Provider } from '@telltale/schema';
import fc from 'fast-check';
import type { Objects } from './runtime-bench.ts';

export const names = ['m0', 'm1', 'm2', 'm3', 'm4'];
const addresses = ['p', 'q', 'r'];
/** Of which a device says that it is there. */
export const aliveAddress = 'alive';
export const rawRangeHi = 1_000_000;

/** Of a measurement, and of the command and the alarm that belong to it. */
export interface Definition {
  readonly enabled: boolean;
  readonly connector: 0 | 1;
  readonly address: string;
  readonly datatype: 'd' | 'l' | 'i' | 's';
  /** Engineering for raw; 1: there are no ranges. */
  readonly factor: number;
  readonly description: string;
  readonly hasCommand: boolean;
  readonly initial: number | undefined;
  readonly hasAlarm: boolean;
  /** What is more raises the alarm. */
  readonly limit: number;
  /** By provider, the address there. */
  readonly served: readonly [string | undefined, string | undefined];
  /** With its changes, or with those of another. */
  readonly archived: 'no' | 'changes' | string;
}

interface ConnectorDefinition {
  readonly device: 0 | 1;
  /** A property: another one starts it again. */
  readonly writeTimeout: string;
  /** A measurement that the service drives, or the device; or one that is nobody's watchdog. */
  readonly watchdog: 'none' | 'service' | 'device' | 'idle';
}

export interface Plant {
  readonly points: Readonly<Record<string, Definition | undefined>>;
  readonly connectors: readonly [ConnectorDefinition, ConnectorDefinition | undefined];
  /** What each is started with. */
  readonly providers: readonly [string | undefined, string | undefined];
  /** So many others, which are changed by every rendering: preparing takes several slices. */
  readonly others: number;
}

export const emptyPlant: Plant = {
  points: {},
  connectors: [{ device: 0, writeTimeout: '5000', watchdog: 'none' }, undefined],
  providers: [undefined, undefined],
  others: 0,
};

const sometimes = <T>(arbitrary: fc.Arbitrary<T>, freq = 5) => fc.option(arbitrary, { nil: undefined, freq });
const mostly = fc.integer({ min: 0, max: 4 }).map((number) => number > 0);

const anyDefinition: fc.Arbitrary<Definition> = fc
  .record({
    enabled: mostly,
    connector: fc.constantFrom<0 | 1>(0, 1),
    address: fc.constantFrom(...addresses),
    datatype: fc.constantFrom<Definition['datatype']>('d', 'd', 'l', 'i', 's'),
    factor: fc.constantFrom(1, 10, 1000),
    description: fc.constantFrom('here', 'there'),
    hasCommand: mostly,
    initial: sometimes(fc.constantFrom(5, 25), 2),
    hasAlarm: mostly,
    limit: fc.constantFrom(3, 30, 3000),
    served: fc.tuple(sometimes(fc.constantFrom('x', 'y'), 2), sometimes(fc.constantFrom('x', 'y'), 2)),
    archived: fc.constantFrom('no', 'changes', 'changes', ...names),
  })
  .map((definition) => (definition.datatype === 's' ? { ...definition, factor: 1 } : definition));

const anyConnector: fc.Arbitrary<ConnectorDefinition> = fc.record({
  device: fc.constantFrom<0 | 1>(0, 0, 0, 1),
  writeTimeout: fc.constantFrom('5000', '5000', '5000', '6000'),
  watchdog: fc.constantFrom('none', 'none', 'service', 'device', 'idle'),
});

const anyProvider = sometimes(fc.constantFrom('one', 'one', 'two'));

export const anyPlant: fc.Arbitrary<Plant> = fc
  .record({
    points: fc.record(Object.fromEntries(names.map((name) => [name, sometimes(anyDefinition)]))),
    connectors: fc.tuple(anyConnector, sometimes(anyConnector)),
    providers: fc.tuple(anyProvider, anyProvider),
    others: fc.constantFrom(0, 0, 3000),
  })
  .map(checked);

/** As the configuration would be accepted: nothing refers to what is not there. */
function checked(plant: Plant): Plant {
  const points = Object.entries(plant.points).map(([name, definition]) => {
    if (definition === undefined) return [name, definition];
    const { connector, served, archived } = definition;
    const leads = plant.points[archived]?.archived === 'changes' && archived !== name;
    return [
      name,
      {
        ...definition,
        connector: plant.connectors[connector] === undefined ? 0 : connector,
        served: served.map((address, at) => (plant.providers[at] === undefined ? undefined : address)),
        archived: archived === 'no' || archived === 'changes' || leads ? archived : 'no',
      },
    ];
  });
  return { ...plant, points: Object.fromEntries(points) };
}

/** Undefined where it is disabled as well. */
export function liveIn(plant: Plant, name: string): Definition | undefined {
  const definition = plant.points[name];
  return definition?.enabled === true ? definition : undefined;
}

/** What each device has at its addresses: no two the same. */
export function valuesOf(device: 0 | 1): Record<string, number> {
  const values = addresses.map((address, at) => [address, 1 + 3 * device + at]);
  return { ...Object.fromEntries(values), [aliveAddress]: 1 };
}

export function deviceOf(plant: Plant, { connector }: Definition): 0 | 1 {
  return plant.connectors[connector]?.device ?? 0;
}

/** What a good reading is, with its prefix. */
export function readingOf(plant: Plant, definition: Definition): string {
  const raw = valuesOf(deviceOf(plant, definition))[definition.address] as number;
  return `${definition.datatype}${raw * definition.factor}`;
}

/** Whether the alarm is to be active at a value, which has its prefix. */
export function isHigh({ datatype, limit }: Definition, value: string): boolean {
  const text = value.slice(1);
  return datatype === 's' ? text > String(limit) : Number(text) > limit;
}

/** Of which there is one in each rendering: who sees it knows which one this is. */
export const markOf = (version: number) => `version${version}`;

/** What a provider is to be given, in no order. */
export function servedBy(plant: Plant, version: number, provider: number): string[] {
  const points = provider === 0 ? [`measurement ${markOf(version)} mark d `] : [];
  for (const name of names) {
    const { served, datatype, description, hasCommand } = liveIn(plant, name) ?? {};
    const address = served?.[provider];
    if (address === undefined) continue;
    points.push(`measurement ${name} ${address} ${datatype} ${description}`);
    if (hasCommand) points.push(`command ${name}_set ${address} ${datatype} ${description}`);
  }
  return points.sort();
}

export function objectsOf(
  plant: Plant,
  version: number,
  ports: readonly string[],
  panelPorts: readonly string[],
): Objects {
  const objects = { measurements: [] as Measurement[], commands: [] as Command[], alarms: [] as Alarm[] };
  const connectors: Connector[] = [];
  for (const [at, connector] of plant.connectors.entries()) {
    if (connector === undefined) continue;
    const { device, writeTimeout, watchdog } = connector;
    const isWatched = watchdog === 'service' || watchdog === 'device';
    connectors.push({
      name: `c${at}`,
      stackName: 'line_device',
      vars: { port: ports[device] as string },
      properties: { writeTimeout },
      ...(isWatched && { wdtMeasurement: `w${at}` }),
    });
    const driven =
      watchdog === 'device' ? { connectorName: `c${at}`, address: aliveAddress, rawDatatype: 'd' as Datatype } : {};
    if (watchdog !== 'none') objects.measurements.push({ name: `w${at}`, datatype: 'b', ...driven });
  }
  const providers = plant.providers.flatMap((word, at): Provider[] =>
    word === undefined
      ? []
      : [{ name: `p${at}`, stackName: 'line_panel', vars: { port: panelPorts[at] as string, word } }],
  );
  for (const name of names) addObjects(objects, name, plant.points[name], providers);
  for (let at = 0; at < plant.others; at++) {
    objects.measurements.push({ name: `other${at}`, datatype: 'd', description: `${version}` });
  }
  const mark = providers[0]?.name === 'p0' ? { providerAddresses: { p0: 'mark' } } : {};
  objects.measurements.push({ name: markOf(version), datatype: 'd', ...mark });
  return { connectors, providers, ...objects };
}

function addObjects(
  { measurements, commands, alarms }: { measurements: Measurement[]; commands: Command[]; alarms: Alarm[] },
  name: string,
  definition: Definition | undefined,
  providers: readonly Provider[],
): void {
  if (definition === undefined) return;
  const { enabled, connector, address, datatype, factor, description, initial, limit, served, archived } = definition;
  const range = {
    rawRangeLo: '0',
    rawRangeHi: String(rawRangeHi),
    euRangeLo: '0',
    euRangeHi: String(rawRangeHi * factor),
  };
  const addressesThere = served.flatMap((there, at) => (there === undefined ? [] : [[`p${at}`, there]]));
  const point = {
    enabled,
    connectorName: `c${connector}`,
    address,
    datatype,
    rawDatatype: 'd' as const,
    description,
    ...(factor !== 1 && range),
    ...(providers.length > 0 && { providerAddresses: Object.fromEntries(addressesThere) }),
  };
  const isLed = archived !== 'no' && archived !== 'changes';
  const archiving = isLed
    ? { leader: archived }
    : { archMode: archived === 'no' ? ('none' as const) : ('change' as const) };
  measurements.push({ name, ...point, ...archiving });
  if (definition.hasCommand) {
    commands.push({ name: `${name}_set`, ...point, ...(initial !== undefined && { initialValue: String(initial) }) });
  }
  if (!definition.hasAlarm) return;
  const trigger = { trgMeasurement: name, trgOperator: 'gt', trgRefValue: String(limit) } as const;
  alarms.push({ name: `${name}_high`, severity: 1, description: `above ${limit}`, archMode: 'change', ...trigger });
}
