// How a measurement is read from messages: its address, and its properties over the connector's variables. Pure.
import { type Datatype, form, parseMilliseconds, traitsOf } from '@telltale/schema';
import { defineVariables, type Static, Type } from '@telltale/stack-kit';
import { type Address, parseAddress, parseSelector, type Selector } from './address.ts';

export const timeFormats = ['iso', 's', 'ms', 'us', 'ns'] as const;
export type TimeFormat = (typeof timeFormats)[number];

/** Variables of the connector which a measurement may have as properties of its own. */
/** The longest delay of a timer. */
const maxStaleMs = 2_147_483_647;

export const measurementVariables = {
  time: Type.String({
    title: 'Position of the time in a JSON payload',
    description: 'A JSON pointer or path, such as /ts. Empty: the time at which the message arrived.',
    default: '',
  }),
  timeFormat: Type.Enum([...timeFormats], {
    title: 'Time format',
    description: 'ISO 8601, or a number since 1970 in seconds (fractions allowed), milli-, micro- or nanoseconds.',
    default: 'ms',
  }),
  quality: Type.String({
    title: 'Position of the quality in a JSON payload',
    description: 'A JSON pointer or path. True, good, or an OPC quality of at least 192 is good; see README.',
    default: '',
  }),
  missing: Type.Enum(['bad', 'keep'], {
    title: 'What a message without the selected part does',
    description: 'bad: the measurement becomes bad, configuration error. keep: the message is ignored.',
    default: 'bad',
  }),
  retained: Type.Enum(['auto', 'good', 'uncertain', 'ignore'], {
    title: 'Quality of retained messages',
    description:
      'A retained message may be of any age. auto: good if the payload has its own time or the status topic reports the device online, else uncertain, last usable value.',
    default: 'auto',
  }),
  staleAfter: Type.Integer({
    title: 'Milliseconds without a message after which a measurement becomes uncertain, last usable value',
    description: '0: never.',
    unit: 'ms',
    default: 0,
    minimum: 0,
    maximum: maxStaleMs,
  }),
};

const schema = Type.Object(measurementVariables);
export type MeasurementVariables = Static<typeof schema>;
/** Each has one. */
export const measurementDefaults = defineVariables(schema).read({}).values as MeasurementVariables;

export interface MeasurementSettings extends Omit<MeasurementVariables, 'time' | 'quality'> {
  readonly address: Address;
  readonly datatype: Datatype;
  readonly time: readonly string[] | undefined;
  readonly quality: readonly string[] | undefined;
  /** Messages in which this part is not this text are not for the measurement. */
  readonly where: { readonly path: readonly string[]; readonly text: string } | undefined;
  /** Texts that stand for 1 and 0. */
  readonly on: string | undefined;
  readonly off: string | undefined;
  readonly device: string | undefined;
}

export type ReadSettings = { settings: MeasurementSettings; fault?: never } | { settings?: never; fault: string };

export const measurementProperties =
  'Properties of a measurement: `time`, `timeFormat`, `quality`, `missing`, `retained` and `staleAfter`, as the ' +
  'variables of the same name, for this measurement only; `where`, such as `/id=7`: only messages whose JSON payload has ' +
  'that text in that part; `on` and `off`: texts that stand for 1 and 0; `device`: the device that it belongs to, ' +
  'see `statusTopic`.';

interface PointLike {
  readonly datatype: Datatype;
  readonly properties: Readonly<Record<string, string>>;
}

/** The fault says which property is wrong. */
export function readMeasurement(text: string, point: PointLike, defaults: MeasurementVariables): ReadSettings {
  const { address, fault } = parseAddress(text);
  if (address === undefined) return { fault };
  const { selector } = address;
  if (selector.kind === 'binary' && traitsOf(point.datatype).form === form.text)
    return { fault: `${selector.type} is not a text` };
  const own = (name: string) => (Object.hasOwn(point.properties, name) ? point.properties[name] : undefined);
  const settings = { ...defaults };
  for (const name of ['timeFormat', 'missing', 'retained'] as const) {
    const value = own(name);
    const words: readonly string[] = measurementVariables[name].enum;
    if (value === undefined) continue;
    if (!words.includes(value))
      return { fault: `the property ${name} is ${value}; it must be one of ${words.join(', ')}` };
    Object.assign(settings, { [name]: value });
  }
  const staleAfter = own('staleAfter');
  if (staleAfter !== undefined) {
    const ms = parseMilliseconds(staleAfter);
    if (ms === undefined || ms > maxStaleMs)
      return {
        fault: `the property staleAfter is ${staleAfter}; it must be a number of milliseconds, or a duration such as 5m`,
      };
    settings.staleAfter = ms;
  }
  const isJson = selector.kind === 'json';
  const paths: Partial<Record<'time' | 'quality', readonly string[]>> = {};
  for (const name of ['time', 'quality'] as const) {
    const value = own(name) ?? (isJson ? settings[name] : '');
    if (value === '') continue;
    const path = jsonPathOf(value, selector);
    if (typeof path === 'string') return { fault: `the property ${name}: ${path}` };
    paths[name] = path;
  }
  const where = own('where');
  let condition: MeasurementSettings['where'];
  if (where !== undefined) {
    const at = where.indexOf('=');
    const path = jsonPathOf(where.slice(0, Math.max(0, at)), selector);
    if (at < 0 || typeof path === 'string')
      return { fault: `the property where is ${where}; it must have the form /id=7` };
    condition = { path, text: where.slice(at + 1) };
  }
  return {
    settings: {
      address,
      datatype: point.datatype,
      timeFormat: settings.timeFormat,
      missing: settings.missing,
      retained: settings.retained,
      staleAfter: settings.staleAfter,
      time: paths.time,
      quality: paths.quality,
      where: condition,
      on: own('on'),
      off: own('off'),
      device: own('device'),
    },
  };
}

/** Or what is wrong. */
function jsonPathOf(text: string, { kind }: Selector): readonly string[] | string {
  if (kind !== 'json')
    return 'only a measurement of a JSON payload can have it: its address must have the form topic#/part';
  const { selector, fault } = parseSelector(text);
  if (selector?.kind !== 'json') return fault ?? `${text} is not in a JSON payload`;
  return selector.path;
}
