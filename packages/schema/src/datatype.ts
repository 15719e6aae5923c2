// The datatypes of measurements and commands: one letter each, which is also the prefix of a value on the wire. One
// record per datatype has everything in which datatypes differ: to add a datatype, add a record here.
import {
  decimalPattern,
  formatAnyText,
  formatBoolean,
  formatDouble,
  formatInt32,
  formatInt64,
  formatSingle,
  formatState,
  int32,
  int64,
  integerPattern,
  parseAnyText,
  parseBoolean,
  parseDouble,
  parseInt32,
  parseInt64,
  parseSingle,
  parseState,
  type Value,
} from './value-text.ts';

/** The value of a reading: none (the point retains its value), a number, a 64-bit integer, or a text. */
export const form = { none: 0, number: 1, long: 2, text: 3 } as const;
export type Form = (typeof form)[keyof typeof form];

export interface Traits {
  /** For people. */
  readonly title: string;
  /** A regular expression of the text of a value. */
  readonly pattern: string;
  readonly example: string;
  /** Most values have texts of at most so many characters. */
  readonly usualLength: number;
  /** How a value is stored: in a batch, in the table of live points, and in which column of an archive record. */
  readonly form: Exclude<Form, typeof form.none>;
  /** Of numbers: whole ones, or decimals of single or double precision. */
  readonly precision: 'whole' | 'single' | 'double' | undefined;
  /** Whether every value is a double, without rounding. */
  readonly isExactInDouble: boolean;
  /** In memory true or false; stored as 1 or 0. */
  readonly isBoolean: boolean;
  /** Whether the difference of two values is meaningful: for states it is not, so they have no deadband. */
  readonly isQuantity: boolean;
  /** Of numbers, as they are stored. */
  readonly lowest: number | bigint | undefined;
  readonly highest: number | bigint | undefined;
  /** The value of an object before its first one. */
  readonly zero: Value;
  /** Reads a text without a prefix. Throws ValueError. */
  parse(text: string): Value;
  /** Throws ValueError where it is no value of the datatype. */
  format(value: Value): string;
  /** Less than, equal to or greater than 0, as the first is to the second. Texts are in the order of UTF-16 code units. */
  compare(first: Value, second: Value): number;
}

function compare(first: Value, second: Value): number {
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

const common = {
  form: form.number,
  isExactInDouble: true,
  isBoolean: false,
  isQuantity: true,
  zero: 0,
  compare,
} as const;

const highestSingle = (2 - 2 ** -23) * 2 ** 127;

const records = {
  b: {
    ...common,
    title: 'boolean',
    pattern: '[01]',
    example: '1',
    usualLength: 1,
    precision: 'whole',
    isBoolean: true,
    isQuantity: false,
    lowest: 0,
    highest: 1,
    zero: false,
    parse: parseBoolean,
    format: formatBoolean,
  },
  q: {
    ...common,
    title: 'two-bit state',
    pattern: '[0-3]',
    example: '2',
    usualLength: 1,
    precision: 'whole',
    isQuantity: false,
    lowest: 0,
    highest: 3,
    parse: parseState,
    format: formatState,
  },
  i: {
    ...common,
    title: '32-bit integer',
    pattern: integerPattern,
    example: '-40',
    usualLength: 11,
    precision: 'whole',
    ...int32,
    parse: parseInt32,
    format: formatInt32,
  },
  l: {
    ...common,
    title: '64-bit integer',
    pattern: integerPattern,
    example: '9007199254740993',
    usualLength: 20,
    form: form.long,
    precision: 'whole',
    isExactInDouble: false,
    ...int64,
    zero: 0n,
    parse: parseInt64,
    format: formatInt64,
  },
  f: {
    ...common,
    title: 'single precision number',
    pattern: decimalPattern,
    example: '0.1',
    usualLength: 16,
    precision: 'single',
    lowest: -highestSingle,
    highest: highestSingle,
    parse: parseSingle,
    format: formatSingle,
  },
  d: {
    ...common,
    title: 'double precision number',
    pattern: decimalPattern,
    example: '21.5',
    usualLength: 19,
    precision: 'double',
    lowest: -Number.MAX_VALUE,
    highest: Number.MAX_VALUE,
    parse: parseDouble,
    format: formatDouble,
  },
  s: {
    ...common,
    title: 'text',
    pattern: '[\\s\\S]*',
    example: 'open',
    usualLength: 25,
    form: form.text,
    precision: undefined,
    isExactInDouble: false,
    isQuantity: false,
    lowest: undefined,
    highest: undefined,
    zero: '',
    parse: parseAnyText,
    format: formatAnyText,
  },
} as const satisfies Record<string, Traits>;

export type Datatype = keyof typeof records;

export const datatypes = Object.keys(records) as readonly Datatype[];

/** All of one shape, whatever order a record is written in: the engine then reads any of them as fast as one alone. */
function shaped(traits: Traits): Traits {
  return {
    form: traits.form,
    precision: traits.precision,
    isExactInDouble: traits.isExactInDouble,
    isBoolean: traits.isBoolean,
    isQuantity: traits.isQuantity,
    lowest: traits.lowest,
    highest: traits.highest,
    zero: traits.zero,
    parse: traits.parse,
    format: traits.format,
    compare: traits.compare,
    title: traits.title,
    pattern: traits.pattern,
    example: traits.example,
    usualLength: traits.usualLength,
  };
}

/** By the code of the letter: three times as fast as by the letter itself. */
const byCode: Traits[] = [];
for (const datatype of datatypes) byCode[datatype.charCodeAt(0)] = shaped(records[datatype]);

export function traitsOf(datatype: Datatype): Traits {
  return byCode[datatype.charCodeAt(0)] as Traits;
}

export function isDatatype(text: string): text is Datatype {
  return Object.hasOwn(records, text);
}
