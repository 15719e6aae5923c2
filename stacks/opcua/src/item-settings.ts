// How a node is sampled and reported: the settings of the connector, and what properties of a point say instead.
import { booleanForms, parseBoolean, parseMilliseconds } from '@telltale/schema';

export interface ItemSettings {
  readonly samplingIntervalMs: number;
  readonly publishingIntervalMs: number;
  readonly queueSize: number;
  readonly discardOldest: boolean;
  readonly deadband: Deadband | undefined;
}

export interface Deadband {
  readonly kind: 'absolute' | 'percent';
  readonly value: number;
}

type Properties = Readonly<Record<string, string>>;

/** Each is a property of a point, and how its text is read; undefined: it is wrong. */
const readers = {
  samplingInterval: (text: string) => within(parseMilliseconds(text), 0, 3_600_000),
  publishingInterval: (text: string) => within(parseMilliseconds(text), 10, 60_000),
  queueSize: (text: string) => within(/^[0-9]{1,9}$/.test(text) ? Number(text) : undefined, 1, 10_000),
  discardOldest: parseBoolean,
  deviceDeadband: (text: string) => parseDeadband(text),
} as const;

const expected: Readonly<Record<keyof typeof readers, string>> = {
  samplingInterval: 'milliseconds, 0 to 3600000, or a duration such as 5s',
  publishingInterval: 'milliseconds, 10 to 60000, or a duration such as 5s',
  queueSize: 'a whole number, 1 to 10000',
  discardOldest: booleanForms,
  deviceDeadband: 'a number such as 0.5, or a share of the range such as 1%',
};

/** Properties that are wrong were refused at rendering; here they count as not given. */
export function settingsOf(properties: Properties, connector: ItemSettings): ItemSettings {
  return {
    samplingIntervalMs: read(properties, 'samplingInterval') ?? connector.samplingIntervalMs,
    publishingIntervalMs: read(properties, 'publishingInterval') ?? connector.publishingIntervalMs,
    queueSize: read(properties, 'queueSize') ?? connector.queueSize,
    discardOldest: read(properties, 'discardOldest') ?? connector.discardOldest,
    deadband: read(properties, 'deviceDeadband') ?? connector.deadband,
  };
}

export function checkSettings(properties: Properties | undefined): string | undefined {
  for (const name of Object.keys(readers) as (keyof typeof readers)[]) {
    if (properties === undefined || !Object.hasOwn(properties, name)) continue;
    if (read(properties, name) === undefined) {
      return `the property ${name} is ${expected[name]}, not ${JSON.stringify(properties[name])}`;
    }
  }
  return undefined;
}

export const deadbandPattern = '^(?:[0-9]{1,15}(?:[.][0-9]{1,15})?%?)?$';
const deadbandForm = new RegExp(deadbandPattern);

export function parseDeadband(text: string): Deadband | undefined {
  if (text === '' || !deadbandForm.test(text)) return undefined;
  const value = Number.parseFloat(text);
  if (!text.endsWith('%')) return { kind: 'absolute', value };
  return value <= 100 ? { kind: 'percent', value } : undefined;
}

function read<Name extends keyof typeof readers>(properties: Properties, name: Name) {
  const text = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return (text === undefined ? undefined : readers[name](text)) as ReturnType<(typeof readers)[Name]> | undefined;
}

function within(number: number | undefined, low: number, high: number): number | undefined {
  return number !== undefined && number >= low && number <= high ? number : undefined;
}
