// Random measurements, what happens to them and selectors of them, for properties of what is selected; and a plain filter,
// written without the code under test.
import assert from 'node:assert/strict';
import {
  type Alarm,
  Batch,
  type Command,
  type Measurement,
  ProblemError,
  quality,
  type Selector,
} from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import fc from 'fast-check';
import { Alarms } from '../src/alarms/index.ts';
import { Commands, Measurements } from '../src/points/index.ts';

const nothing = async () => {};
const store = { saveSimulation: nothing, deleteSimulation: nothing };
const connectors = ['plc', 'rtu'] as const;

export function newMeasurements() {
  const clock = new ManualClock();
  const measurements = new Measurements({ clock, store });
  for (const connector of connectors) {
    measurements.putLink('connector', connector, undefined);
    measurements.setLink('connector', connector, true, clock.now());
  }
  return { clock, measurements };
}

export function run<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

export interface Configured extends Pick<Measurement, 'name' | 'description' | 'area' | 'connectorName'> {
  readonly datatype?: Measurement['datatype'];
}

/** By what is configured. */
export function isMeant(point: Configured, { names, area, connector, datatype, search }: Selector): boolean {
  const text = `${point.name}\n${point.description ?? ''}`.toLowerCase();
  return (
    (names?.some((each) => new RegExp(`^${each.replaceAll('*', '.*')}$`).test(point.name)) ?? true) &&
    (area?.some((path) => `${point.area}.`.startsWith(`${path}.`)) ?? true) &&
    (connector?.includes(point.connectorName ?? '') ?? true) &&
    (datatype?.some((letter) => letter === point.datatype) ?? true) &&
    (search
      ?.toLowerCase()
      .split(' ')
      .every((word) => text.includes(word)) ??
      true)
  );
}

export function isSelected(point: Measurement, status: number, selector: Selector): boolean {
  const word = { 192: 'good', 64: 'uncertain' }[status & 0xc0] ?? 'bad';
  const { quality: words } = selector;
  const isOfQuality = words?.some((each) => each === word || (each === 'simulated' && status >= 0x8000)) ?? true;
  return isMeant(point, selector) && isOfQuality;
}

const part = fc.constantFrom('pump', 'tank', '1', '2', '12', '_', 'speed', 'x');
/** Few, so that most steps are about one that is there. */
export const name = fc.constantFrom('pump1_speed', 'pump2_speed', 'pump12', 'tank1_x', 'tank_2', 'x');
const pattern = fc
  .array(fc.oneof(part, fc.constant('*')), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join(''));
export const description = fc.constantFrom(undefined, 'Speed of the pump', 'level, Überlauf', 'x', 'the tank');
export const area = fc.constantFrom(undefined, '', 'works', 'works.dosing', 'works.dosing.line2', 'works2', 'office');
export const connectorName = fc.constantFrom('plc', 'plc', 'rtu', undefined);
export const datatype = fc.constantFrom('d', 'd', 'd', 'b', 's');
const anyQuality = fc.constantFrom(
  quality.good,
  quality.uncertain.subnormal,
  quality.bad.deviceFailure,
  0x80,
  quality.good | quality.limit.high,
);
const ofAlarms = {
  area: fc.array(fc.constantFrom('works', 'works.dosing', 'works.dos', 'office', 'line2'), { maxLength: 2 }),
  names: fc.array(fc.oneof(name, pattern, fc.constantFrom('*', 'pump*', '*2*')), { maxLength: 3 }),
  search: fc.constantFrom('pump', 'SPEED pump', 'ÜBER', 'x', 'tank 1', 'nowhere'),
};
const ofCommands = {
  ...ofAlarms,
  connector: fc.array(fc.constantFrom('plc', 'rtu', 'nobody'), { maxLength: 2 }),
  datatype: fc.array(fc.constantFrom('d', 'b', 'l'), { maxLength: 2 }),
};
const ofMeasurements = {
  ...ofCommands,
  quality: fc.array(fc.constantFrom('good', 'uncertain', 'bad', 'simulated'), { maxLength: 2 }),
};

/** Mostly of one or two criteria, so that many match something. */
function selectorOf(criteria: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Selector> {
  const few = fc
    .subarray(Object.entries(criteria), { minLength: 1, maxLength: 2 })
    .chain((chosen) => fc.record(Object.fromEntries(chosen)));
  return fc.oneof(
    { weight: 4, arbitrary: few },
    { weight: 1, arbitrary: fc.record(criteria, { requiredKeys: [] }) },
  ) as fc.Arbitrary<Selector>;
}

export const alarmSelector = selectorOf(ofAlarms);
export const commandSelector = selectorOf(ofCommands);
export const selector = selectorOf(ofMeasurements);

/** What happens to measurements. */
export const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ put: fc.record({ name, datatype, connectorName, description, area }) }),
  },
  fc.record({ remove: name }),
  { weight: 4, arbitrary: fc.record({ read: name, quality: anyQuality }) },
  fc.record({ simulate: name, quality: anyQuality }),
  fc.record({ stop: name }),
  fc.record({ link: fc.constantFrom(...connectors), isUp: fc.boolean() }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What is not set is left out. */
export function configured<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

export async function take({ clock, measurements }: ReturnType<typeof newMeasurements>, each: Step): Promise<void> {
  if ('put' in each) {
    const address = each.put.connectorName === undefined ? undefined : 'a';
    measurements.put(configured({ ...each.put, address }) as Measurement);
  } else if ('remove' in each) measurements.remove(each.remove);
  else if ('read' in each) {
    const handle = measurements.find(each.read);
    const batch = new Batch(1);
    if (handle >= 0) batch.number(handle, 1, each.quality, clock.now());
    for (const connector of connectors) measurements.readings(connector, batch);
  } else if ('simulate' in each) {
    const handle = measurements.find(each.simulate);
    const letter = handle < 0 ? 's' : measurements.datatypeOf(handle);
    const value = letter === 's' ? 's' : `${letter}1`;
    const simulated = measurements.simulate(each.simulate, { value, quality: each.quality, by: 'test' } as never);
    await simulated.catch((error) => assert.ok(error instanceof ProblemError));
  } else if ('stop' in each) await measurements.stopSimulation(each.stop).catch(() => undefined);
  else measurements.setLink('connector', each.link, each.isUp, clock.now());
  clock.advance(20_000);
}

export function newCommands(): Commands {
  const store = { saveCommand: nothing, deleteCommand: nothing };
  return new Commands({ clock: new ManualClock(), store: store as never, writeToDevice: nothing });
}

export function newAlarms(): Alarms {
  const { clock, measurements } = newMeasurements();
  return new Alarms({ clock, store: { saveAlarm: nothing, deleteAlarm: nothing }, measurements });
}

/** What happens to commands and alarms. */
export const itemStep = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ put: fc.record({ name, datatype, connectorName, description, area }) }),
  },
  fc.record({ remove: name }),
  fc.record({ change: name }),
);
type ItemStep = typeof itemStep extends fc.Arbitrary<infer T> ? T : never;

export async function takeItem(items: Commands | Alarms, each: ItemStep): Promise<void> {
  if ('put' in each) {
    const { datatype: letter, connectorName: connector, ...alarm } = each.put;
    if (items instanceof Alarms) items.put(configured({ ...alarm, severity: 1 }) as Alarm);
    else items.put(configured({ ...alarm, datatype: letter, connectorName: connector }) as Command);
  } else if ('remove' in each) items.remove(each.remove);
  else if (items.find(each.change) < 0) return;
  else if (items instanceof Alarms) await items.operate(each.change, 'activate', 'operator');
  else {
    const letter = items.definitionOf(items.find(each.change)).datatype;
    await items.write(each.change, letter === 's' ? 's' : `${letter}1`);
  }
}
