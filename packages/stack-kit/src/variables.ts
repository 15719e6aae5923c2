// The variables of a stack, or of anything else that is written as names and texts: described by TypeBox, read strictly
// into typed values. What is wrong is reported by name, all of it.
import {
  booleanForms,
  type DurationUnit,
  durationUnits,
  formatText,
  parseBoolean,
  parseDurationIn,
  parseText,
  ValueError,
} from '@telltale/schema';
import Type, { type Static, type TObject, type TSchema, type TString } from 'typebox';
import { parseEntries } from './entries.ts';

type VariableValue = number | boolean | string;

export interface ParameterDescription {
  title: string;
  description?: string;
  type: 'integer' | 'number' | 'boolean' | 'string';
  default?: VariableValue;
  enum?: string[];
  range?: [number | null, number | null];
  regex?: string;
  /** What the regex expects, in words that go on from "must be". */
  form?: string;
  /** Of a number that is a duration: `5s` and `1h30m` are taken in its place. */
  unit?: DurationUnit;
  /** Not shown to anybody. Of the form `file:NAME`, it is the first line of that file in its folder of secrets. */
  secret?: true;
  /** Part of where the secrets are sent, and how: who changes it must set them anew. */
  destination?: true;
  /** The name of a file with certificates in the folder of the connector or provider. */
  certificate?: CertificateOf;
  /** Of a text that is a list of entries: the variables of each. */
  entries?: Record<string, ParameterDescription>;
  /** True where there is no default and the schema does not call it optional. */
  required: boolean;
}

export interface VariableFault {
  field: string;
  message: string;
}

export type ReadVariables<Values> = { values: Values; faults: [] } | { values: undefined; faults: VariableFault[] };

export interface VariableSet<Values> {
  readonly parameters: Readonly<Record<string, ParameterDescription>>;
  /** The texts that stand for the defaults. */
  readonly defaults: Readonly<Record<string, string>>;
  /** `values` has every variable that is given or has a default; it is undefined as soon as anything is wrong. */
  read(texts: Readonly<Record<string, string>>): ReadVariables<Values>;
}

/** A pattern never sees a longer text. */
const maxPatternText = 1024;

const keywords = [
  ...['type', 'title', 'description', 'default', 'enum', 'minimum', 'maximum', 'pattern', 'form', 'unit', 'secret'],
  ...['certificate', 'entries', 'destination'],
];

export interface SecretOptions {
  readonly title: string;
  readonly description?: string;
  readonly default?: '';
}

/**
 * A password, key or token: a text that is shown nowhere. Where its value is `file:NAME`, the stack is given the first
 * line of the file NAME in its folder of secrets instead, so that the configuration need not hold it.
 */
export function Secret(options: SecretOptions): TString {
  return Type.String({ ...options, secret: true });
}

/** Its own; that of the user as whom it comes, which is in the folder `user`; or those of authorities. */
export type CertificateOf = 'own' | 'user' | 'authority';

export interface CertificateFileOptions {
  readonly title: string;
  readonly description: string;
  readonly of: CertificateOf;
}

export function CertificateFile({ of, ...options }: CertificateFileOptions): TString {
  return Type.String({ ...FileName(options), certificate: of });
}

/** The name of a file in the folder of the connector or provider; empty where there is none. */
export function FileName(options: { readonly title: string; readonly description: string }): TString {
  const pattern = '^(?:[A-Za-z0-9_-][A-Za-z0-9._-]{0,99})?$';
  const form = 'the name of a file, without a folder: at most 100 of 0-9, a-z, A-Z, _, - and .';
  return Type.String({ ...options, default: '', pattern, form });
}

export interface EntriesOptions {
  readonly title: string;
  readonly description: string;
  /** Of each entry. */
  readonly entries: TObject;
}

/** A list of entries with names, each with these variables: `entries.ts` has the form. Empty by default. */
export function Entries(options: EntriesOptions): TString {
  return Type.String({ ...options, default: '' });
}

/** Of a variable made by `Entries` that was read: its check has passed. */
export function readEntries<const V extends TObject>(schema: V, text: string): { name: string; values: Static<V> }[] {
  const variables = defineVariables(schema);
  return parseEntries(text).map(({ name, texts }) => {
    const { values, faults } = variables.read(texts);
    if (values === undefined) throw new ValueError(faultOfEntry(name, faults));
    return { name, values };
  });
}

function faultOfEntry(name: string, faults: readonly VariableFault[]): string {
  return `has an entry ${name} in which ${faults.map(({ field, message }) => `${field} ${message}`).join('; ')}`;
}

/** Throws where the description itself is wrong. */
export function defineVariables<const V extends TObject>(schema: V): VariableSet<Static<V>> {
  const variables = new Map<string, ParameterDescription>();
  const readers = new Map<string, Reader>();
  const defaults: Record<string, string> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    try {
      const parameter = describe(name, property, schema.required?.includes(name) === true);
      const { entries } = property as Keywords;
      const reader = entries === undefined ? readerOf(parameter) : readerOfEntries(entries);
      if (parameter.default !== undefined) {
        defaults[name] = toText(parameter.default);
        reader(defaults[name]);
      }
      variables.set(name, parameter);
      readers.set(name, reader);
    } catch (error) {
      const place = error instanceof ValueError ? 'the default does not fit: ' : '';
      throw new Error(`variable ${name}: ${place}${(error as Error).message}`);
    }
  }
  return {
    parameters: Object.fromEntries(variables),
    defaults,
    read(texts) {
      const faults: VariableFault[] = [];
      const values = new Map<string, VariableValue>();
      for (const field of Object.keys(texts)) {
        if (!variables.has(field)) faults.push({ field, message: `is unknown: ${known([...variables.keys()])}` });
      }
      for (const [field, parameter] of variables) {
        const text = Object.hasOwn(texts, field) ? texts[field] : undefined;
        try {
          const value = text === undefined ? parameter.default : readers.get(field)?.(text);
          if (value !== undefined) values.set(field, value);
          else if (parameter.required) faults.push({ field, message: 'is required' });
        } catch (error) {
          if (!(error instanceof ValueError)) throw error;
          faults.push({ field, message: error.message });
        }
      }
      if (faults.length > 0) return { values: undefined, faults };
      return { values: Object.fromEntries(values) as Static<V>, faults: [] };
    },
  };
}

function known(names: string[]): string {
  return names.length === 0 ? 'there are none' : `one of ${names.join(', ')}`;
}

function describe(name: string, schema: TSchema, mandatory: boolean): ParameterDescription {
  const {
    title,
    description,
    default: value,
    enum: words,
    minimum,
    maximum,
    pattern,
    form,
    unit,
    secret,
    certificate,
    entries,
    destination,
  } = schema as Keywords;
  const foreign = Object.keys(schema).find((keyword) => !keywords.includes(keyword));
  if (foreign !== undefined) throw new Error(`${foreign} is not supported: only ${keywords.join(', ')}`);
  if (!/^[a-zA-Z][_a-zA-Z0-9]{0,63}$/.test(name)) throw new Error('the name must be letters, digits and _');
  if (typeof title !== 'string' || title === '') throw new Error('a title is required');
  const parameter: ParameterDescription = { title, type: typeOf(schema as Keywords), required: mandatory };
  if (description !== undefined) parameter.description = description;
  if (words !== undefined) parameter.enum = words as string[];
  if (secret !== undefined) {
    // The contents of a file are not checked here, and these keywords do not apply to its name.
    if (parameter.type !== 'string' || words !== undefined || pattern !== undefined) {
      throw new Error('a secret must be a text, without enum and pattern');
    }
    parameter.secret = true;
  }
  if (destination !== undefined) {
    if (destination !== true || secret !== undefined) throw new Error('destination is true, and not of a secret');
    parameter.destination = true;
  }
  if (certificate !== undefined) parameter.certificate = certificate;
  if (entries !== undefined) parameter.entries = { ...defineVariables(entries).parameters };
  if (pattern !== undefined) {
    if (typeof pattern !== 'string') throw new Error('the pattern must be a text');
    parameter.regex = pattern;
  }
  if (form !== undefined) {
    if (pattern === undefined || typeof form !== 'string' || form === '') {
      throw new Error('form is a text that says what the pattern expects');
    }
    parameter.form = form;
  }
  if (unit !== undefined) {
    if (!numeric(parameter) || !Object.hasOwn(durationUnits, String(unit))) {
      throw new Error(`unit is ${Object.keys(durationUnits).join(' or ')}, of a number`);
    }
    parameter.unit = unit as DurationUnit;
  }
  if (minimum !== undefined || maximum !== undefined) {
    if (parameter.type !== 'integer' && parameter.type !== 'number') throw new Error('only a number has a range');
    parameter.range = [minimum ?? null, maximum ?? null];
  }
  if (value !== undefined) {
    if (typeof value !== (numeric(parameter) ? 'number' : parameter.type)) {
      throw new Error(`the default ${JSON.stringify(value)} is not of type ${parameter.type}`);
    }
    parameter.required = false;
    parameter.default = value;
  }
  return parameter;
}

interface Keywords {
  type?: unknown;
  title?: unknown;
  description?: string;
  default?: VariableValue;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  pattern?: unknown;
  form?: unknown;
  unit?: unknown;
  secret?: unknown;
  certificate?: CertificateOf;
  entries?: TObject;
  destination?: unknown;
}

function typeOf({ type, enum: words }: Keywords): ParameterDescription['type'] {
  if (words !== undefined) {
    if ((type !== undefined && type !== 'string') || words.length === 0 || !words.every((w) => typeof w === 'string')) {
      throw new Error('an enum must be of texts');
    }
    return 'string';
  }
  if (type === 'integer' || type === 'number' || type === 'boolean' || type === 'string') return type;
  throw new Error('the type must be Integer, Number, Boolean, String or Enum');
}

function numeric({ type }: ParameterDescription): boolean {
  return type === 'integer' || type === 'number';
}

function toText(value: VariableValue): string {
  return typeof value === 'number' ? formatText('d', value) : String(value);
}

/** Throws a ValueError that says what is expected. */
type Reader = (text: string) => VariableValue;

function readerOf({ title, type, range = [null, null], enum: words, regex, form, unit }: ParameterDescription): Reader {
  switch (type) {
    case 'integer':
    case 'number': {
      const readNumber = type === 'integer' ? readInteger : (text: string) => parseText('d', text) as number;
      return (text) => within(range, (unit && readDuration(type, unit, text)) ?? readNumber(text));
    }
    case 'boolean':
      return readBoolean;
    case 'string': {
      const pattern = regex === undefined ? undefined : new RegExp(regex, 'u');
      return (text) => {
        if (words?.includes(text) === false) {
          throw new ValueError(`must be one of ${words.join(', ')}, not ${quoted(text)}`);
        }
        if (pattern === undefined) return text;
        if (text.length > maxPatternText) throw new ValueError(`must have at most ${maxPatternText} characters`);
        if (!pattern.test(text)) {
          throw new ValueError(`must be ${form ?? `what its title says, ${title}`}, not ${quoted(text)}`);
        }
        return text;
      };
    }
  }
}

function readerOfEntries(entries: TObject): Reader {
  return (text) => {
    readEntries(entries, text);
    return text;
  };
}

function within([minimum, maximum]: [number | null, number | null], value: number): number {
  if (minimum !== null && value < minimum) throw new ValueError(`must be at least ${minimum}, not ${value}`);
  if (maximum !== null && value > maximum) throw new ValueError(`must be at most ${maximum}, not ${value}`);
  return value;
}

function readBoolean(text: string): boolean {
  const value = parseBoolean(text);
  if (value === undefined) throw new ValueError(`must be ${booleanForms}, not ${quoted(text)}`);
  return value;
}

/** Undefined where it is no duration. */
function readDuration(type: 'integer' | 'number', unit: DurationUnit, text: string): number | undefined {
  const value = parseDurationIn(unit, text);
  if (value === undefined || type === 'number' || Number.isInteger(value)) return value;
  throw new ValueError(`must be whole ${unit}, not ${quoted(text)}`);
}

function readInteger(text: string): number {
  const value = Number(parseText('l', text));
  if (!Number.isSafeInteger(value)) throw new ValueError(`must be between -(2^53 - 1) and 2^53 - 1, not ${text}`);
  return value;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
