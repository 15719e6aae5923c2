// Checks data by a schema. The only validator of the project; find-faults.ts finds the faults.
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { parseBoolean } from './boolean-text.ts';
import { FaultFinder, maxFaults } from './find-faults.ts';
import type { Fault } from './wire-schemas.ts';

export interface Checker {
  /** True where the data fits; costs next to nothing. */
  fits(data: unknown): boolean;
  /** What is wrong, each with `at` before its path; at most `most` of it, and never nothing where the data does not fit. */
  faults(data: unknown, at?: string, most?: number): Fault[];
  /** The data with texts converted to numbers and booleans where the schema requires them; for query parameters. */
  coerce(data: unknown): unknown;
}

interface Typed {
  readonly type?: unknown;
  readonly anyOf?: readonly Typed[];
}

interface Keywords {
  readonly properties?: Record<string, Typed>;
  readonly patternProperties?: object;
  readonly additionalProperties?: unknown;
}

export function checker(schema: TSchema): Checker {
  const { properties = {} }: Keywords = schema;
  const fits = compileFits(schema);
  const finder = new FaultFinder(schema);
  return {
    fits,
    faults: (data, at = '', most = maxFaults) => {
      if (fits(data)) return [];
      const faults = finder.find(data, at, most);
      return faults.length > 0 ? faults : [{ path: at, message: 'does not fit its schema' }];
    },
    coerce: (data) => readTexts(data, properties),
  };
}

/** A set is faster than the library's regex for closed objects. Compiled at first use: most schemas are never used. */
function compileFits(schema: TSchema): (data: unknown) => boolean {
  const { additionalProperties, ...open }: Keywords = schema;
  const isClosed =
    additionalProperties === false && open.properties !== undefined && open.patternProperties === undefined;
  const known = new Set(Object.keys(open.properties ?? {}));
  let compiled: ReturnType<typeof Compile> | undefined;
  return (data) => {
    compiled ??= Compile(isClosed ? open : schema);
    if (!compiled.Check(data)) return false;
    return !isClosed || Object.keys(data as object).every((field) => known.has(field));
  };
}

const integer = /^[+-]?\d+$/;
const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Undefined where the text is not of the type. */
const readers: Record<string, (text: string) => number | boolean | undefined> = {
  integer: (text) => (integer.test(text) ? numberOf(text) : undefined),
  number: (text) => (number.test(text) ? numberOf(text) : undefined),
  boolean: parseBoolean,
};

/** Several where it is one of some. */
function typesOf({ type, anyOf = [] }: Typed): string[] {
  return [type, ...anyOf.map((each) => each.type)].map(String);
}

/** A text of any other form stays a text, for the check to refuse: '' is no 0, and 1.5 no 1. */
function readTexts(data: unknown, properties: Record<string, Typed>): unknown {
  const read = ([field, text]: [string, unknown]): [string, unknown] => {
    if (typeof text !== 'string' || !Object.hasOwn(properties, field)) return [field, text];
    for (const type of typesOf(properties[field] as Typed)) {
      const value = readers[type]?.(text);
      if (value !== undefined) return [field, value];
    }
    return [field, text];
  };
  return Object.fromEntries(Object.entries(data as object).map(read));
}

/** A number of any length: beyond the last double it is that. */
function numberOf(text: string): number {
  const value = Number(text);
  return Number.isFinite(value) ? value : Math.sign(value) * Number.MAX_VALUE;
}
