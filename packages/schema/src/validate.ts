// Checks data against a schema and says what is wrong in words for people. The only validator of the project.
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { Settings } from 'typebox/system';
import { Errors } from 'typebox/value';
import type { Fault } from './wire-schemas.ts';

/** The library stops at 8, which may be all of one kind; nobody reads more than a hundred. */
const mostFaults = 100;
Settings.Set({ maxErrors: 2 * mostFaults });

export interface Checker {
  /** True where the data fits; costs next to nothing. */
  fits(data: unknown): boolean;
  /** What is wrong, each with `at` before its path; at most `most` of it, and never nothing where the data does not fit. */
  faults(data: unknown, at?: string, most?: number): Fault[];
  /** The data with texts read as numbers and booleans where the schema wants those; for query parameters. */
  coerce(data: unknown): unknown;
}

interface Keywords {
  readonly properties?: Record<string, { type?: unknown }>;
  readonly patternProperties?: object;
  readonly additionalProperties?: unknown;
}

export function checker(schema: TSchema): Checker {
  const { properties = {} }: Keywords = schema;
  const fields = Object.keys(properties);
  const fits = compileFits(schema);
  return {
    fits,
    faults: (data, at = '', most = mostFaults) => {
      if (fits(data)) return [];
      const faults: Fault[] = [];
      for (const error of Errors(schema, data)) {
        for (const { path, message } of inWords(error, fields)) {
          if (faults.length < most) faults.push({ path: at + path, message });
        }
      }
      return faults.length > 0 ? faults : [{ path: at, message: 'does not fit its schema' }];
    },
    coerce: (data) => readTexts(data, properties),
  };
}

/** For each field of a closed object the library tries one long regex; a set answers sooner. */
function compileFits(schema: TSchema): (data: unknown) => boolean {
  const { additionalProperties, ...open }: Keywords = schema;
  const isClosed =
    additionalProperties === false && open.properties !== undefined && open.patternProperties === undefined;
  const compiled = Compile(isClosed ? open : schema);
  if (!isClosed) return (data) => compiled.Check(data);
  const known = new Set(Object.keys(open.properties ?? {}));
  return (data) => compiled.Check(data) && Object.keys(data as object).every((field) => known.has(field));
}

function inWords(error: TLocalizedValidationError, fields: string[]): Fault[] {
  const at = error.instancePath;
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((field) => ({ path: `${at}/${field}`, message: 'is required' }));
    case 'boolean': // one for each field that the schema does not have
      return [{ path: at, message: isOutermost(error) && fields.length > 0 ? unknown(fields) : 'is not allowed here' }];
    case 'additionalProperties':
    case 'anyOf':
      return []; // what is wrong inside is told
    case 'enum':
      return [{ path: at, message: `must be one of ${error.params.allowedValues.join(', ')}` }];
    case 'const':
      return [{ path: at, message: `must be ${error.params.allowedValue}` }];
    case 'type':
      return [{ path: at, message: `must be ${[error.params.type].flat().map(withArticle).join(' or ')}` }];
    case 'pattern':
      return [{ path: at, message: `must match ${error.params.pattern}` }];
    case 'minimum':
    case 'maximum':
      return [{ path: at, message: `must be ${error.params.comparison} ${error.params.limit}` }];
    default:
      return [{ path: at, message: error.message }];
  }
}

function isOutermost({ schemaPath }: TLocalizedValidationError): boolean {
  return schemaPath === '#/additionalProperties';
}

function unknown(fields: string[]): string {
  return `is unknown; known are ${fields.join(', ')}`;
}

const textForms: Record<string, RegExp> = {
  integer: /^[+-]?\d{1,20}$/,
  number: /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/,
  boolean: /^(?:0|1|false|true)$/,
};

/** A text of any other form stays a text, for the check to refuse: '' is no 0, and 1.5 no 1. */
function readTexts(data: unknown, properties: Record<string, { type?: unknown }>): unknown {
  const read = ([field, text]: [string, unknown]): [string, unknown] => {
    const type = Object.hasOwn(properties, field) ? String(properties[field]?.type) : '';
    if (typeof text !== 'string' || !textForms[type]?.test(text)) return [field, text];
    return [field, type === 'boolean' ? text === '1' || text === 'true' : Number(text)];
  };
  return Object.fromEntries(Object.entries(data as object).map(read));
}

function withArticle(type: string): string {
  if (type === 'null') return 'null';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** A property name as a part of a JSON pointer (RFC 6901). */
export function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
