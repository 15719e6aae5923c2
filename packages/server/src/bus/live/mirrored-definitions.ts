// What a centre is told of points and alarms: what their interface shows, and nothing of how they are read, written or triggered.
import {
  type Alarm,
  Alarm as AlarmSchema,
  type Command,
  Command as CommandSchema,
  checker,
  type Datatype,
  type Measurement,
  Measurement as MeasurementSchema,
  parseText,
  precisionProperty,
} from '@telltale/schema';

type Point = Measurement & Command;

const shown = [
  'name',
  'datatype',
  'rawDatatype',
  'address',
  'connectorName',
  'description',
  'eu',
  'area',
  'euRangeLo',
  'euRangeHi',
  'rawRangeLo',
  'rawRangeHi',
  'deadband',
] as const;
const shownOfAlarm = ['name', 'severity', 'description', 'area'] as const;
/** Texts that are longer are cut. */
const mostText = 4096;

export function shownPoint(point: Measurement | Command): object {
  const precision = point.properties?.[precisionProperty];
  return {
    ...picked(point, shown),
    ...(precision !== undefined && { properties: { [precisionProperty]: precision } }),
  };
}

export function shownAlarm(alarm: Alarm): object {
  return picked(alarm, shownOfAlarm);
}

const measurements = checker(MeasurementSchema);
const commands = checker(CommandSchema);
const alarms = checker(AlarmSchema);

/** Each undefined where it is none. */
export function readMeasurement(definition: object): Measurement | undefined {
  const point = picked(definition, [...shown, 'properties']);
  return measurements.fits(point) ? withReadable(point as Point) : undefined;
}

export function readCommand(definition: object): Command | undefined {
  const { deadband: _, ...point } = picked(definition, [...shown, 'properties']) as Record<string, unknown>;
  return commands.fits(point) ? withReadable(point as Point) : undefined;
}

export function readAlarm(definition: object): Alarm | undefined {
  const alarm = picked(definition, shownOfAlarm);
  return alarms.fits(alarm) ? (alarm as Alarm) : undefined;
}

/** Without ends of ranges that are no values: who configured them there was told so. */
function withReadable(point: Point): Point {
  const { datatype, rawDatatype = datatype } = point;
  const kept: Record<string, unknown> = { ...point };
  const check = (field: keyof Point, of: Datatype) => {
    const text = point[field];
    if (typeof text === 'string' && !isValue(of, text.replace(/%$/, ''))) delete kept[field];
  };
  for (const field of ['euRangeLo', 'euRangeHi', 'deadband'] as const) check(field, datatype);
  for (const field of ['rawRangeLo', 'rawRangeHi'] as const) check(field, rawDatatype);
  return kept as unknown as Point;
}

function isValue(datatype: Datatype, text: string): boolean {
  try {
    parseText(datatype, text);
    return true;
  } catch {
    return false;
  }
}

function picked(object: object, fields: readonly string[]): object {
  const own: Record<string, unknown> = {};
  for (const field of fields) {
    const value = (object as Record<string, unknown>)[field];
    if (value !== undefined) own[field] = typeof value === 'string' ? value.slice(0, mostText) : value;
  }
  return own;
}
