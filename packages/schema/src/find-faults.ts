// Says what is wrong with data that does not fit its schema, in words for people: so much and no more, whatever was sent.
// Objects and lists are walked through here, unknown keys first; the library, which would look at everything, is asked
// about single values.
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Errors } from 'typebox/value';
import { faultInWords } from './fault-words.ts';
import { meantField } from './nearest-name.ts';
import { pointerTo } from './pointer.ts';
import type { Fault } from './wire-schemas.ts';

/** More cannot be fixed at once, and twenty make an answer of a few KiB. */
export const maxFaults = 20;

type Path = readonly (string | number)[];

interface Keywords {
  readonly type?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly patternProperties?: Readonly<Record<string, TSchema>>;
  readonly additionalProperties?: TSchema | boolean;
  readonly maxProperties?: number;
  readonly items?: TSchema | readonly TSchema[];
  readonly prefixItems?: readonly TSchema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly anyOf?: readonly TSchema[];
}

export class FaultFinder {
  readonly #schema: TSchema;
  /** Of what there can be many of, the items of lists and the values of maps, and of alternatives. Compiled when first used. */
  readonly #compiled = new Map<TSchema, (data: unknown) => boolean>();

  constructor(schema: TSchema) {
    this.#schema = schema;
  }

  /** At most `most` faults, each with `at` before its path. */
  find(data: unknown, at: string, most: number): Fault[] {
    const search = new Search(at, most, (schema, each) => this.#fits(schema, each));
    search.look(this.#schema, data, []);
    return search.faults;
  }

  #fits(schema: TSchema, data: unknown): boolean {
    const known = this.#compiled.get(schema);
    if (known !== undefined) return known(data);
    const compiled = Compile(schema);
    this.#compiled.set(schema, (each) => compiled.Check(each));
    return compiled.Check(data);
  }
}

class Search {
  readonly faults: Fault[] = [];
  readonly #at: string;
  readonly #most: number;
  readonly #fits: (schema: TSchema, data: unknown) => boolean;
  /** The fields that there are have been listed: once is enough. */
  #hasListed = false;

  constructor(at: string, most: number, fits: (schema: TSchema, data: unknown) => boolean) {
    this.#at = at;
    this.#most = most;
    this.#fits = fits;
  }

  look(schema: TSchema, data: unknown, path: Path): void {
    const { type, anyOf, maxProperties, maxItems }: Keywords = schema;
    if (anyOf !== undefined) {
      if (anyOf.some((each) => this.#fits(each, data))) return;
      for (const each of anyOf) if (!this.#isFull) this.look(each, data, path);
    } else if (type === 'object' && isObject(data)) {
      const keys = Object.keys(data);
      if (keys.length > (maxProperties ?? Infinity)) this.#say(path, `must have at most ${maxProperties} keys`);
      else this.#lookInObject(schema, data, keys, path);
    } else if (type === 'array' && Array.isArray(data)) {
      if (data.length > (maxItems ?? Infinity)) this.#say(path, `must have at most ${maxItems} items`);
      else this.#lookInList(schema, data, path);
    } else {
      const fits = (other: unknown) => this.#fits(schema, other);
      for (const error of Errors(schema, data)) this.#say(path, faultInWords(error, schema, data, fits));
    }
  }

  #lookInObject(schema: Keywords, data: Record<string, unknown>, keys: readonly string[], path: Path): void {
    const { required = [], properties = {}, patternProperties = {}, additionalProperties = true } = schema;
    const patterns = Object.entries(patternProperties).map(([pattern, type]) => ({ form: new RegExp(pattern), type }));
    const others: [key: string, types: TSchema[]][] = [];
    for (const key of keys) {
      if (this.#isFull) return;
      if (Object.hasOwn(properties, key)) continue;
      const types = patterns.filter(({ form }) => form.test(key)).map(({ type }) => type);
      if (types.length === 0 && additionalProperties === false) this.#sayUnknown([...path, key], properties);
      else if (types.length > 0) others.push([key, types]);
      else if (typeof additionalProperties === 'object') others.push([key, [additionalProperties]]);
    }
    for (const key of required) if (!Object.hasOwn(data, key)) this.#say([...path, key], 'is required');
    for (const [key, type] of Object.entries(properties)) {
      if (this.#isFull) return;
      if (Object.hasOwn(data, key) && data[key] !== undefined) this.look(type, data[key], [...path, key]);
    }
    for (const [key, types] of others) {
      if (this.#isFull) return;
      for (const type of types) if (!this.#fits(type, data[key])) this.look(type, data[key], [...path, key]);
    }
  }

  #lookInList(schema: Keywords, data: readonly unknown[], path: Path): void {
    const { items, prefixItems } = schema;
    const tuple = prefixItems ?? (Array.isArray(items) ? (items as readonly TSchema[]) : undefined);
    if (tuple !== undefined) this.#lookAtLength(schema.minItems ?? tuple.length, tuple.length, data, path);
    const length = Math.min(data.length, tuple?.length ?? Infinity);
    for (let index = 0; index < length && !this.#isFull; index++) {
      const type = tuple === undefined ? (items as TSchema | undefined) : tuple[index];
      if (type !== undefined && !this.#fits(type, data[index])) this.look(type, data[index], [...path, index]);
    }
  }

  #lookAtLength(least: number, most: number, { length }: readonly unknown[], path: Path): void {
    if (length >= least && length <= most) return;
    this.#say(path, `must have ${least < most ? `${least} to ` : ''}${most} items`);
  }

  get #isFull(): boolean {
    return this.faults.length >= this.#most;
  }

  #say(path: Path, message: string): void {
    if (!this.#isFull) this.faults.push({ path: this.#at + pointerTo(path), message });
  }

  #sayUnknown(path: Path, properties: object): void {
    const known = Object.keys(properties);
    const isOutermost = path.length === 1 && known.length > 0;
    const meant = isOutermost ? meantField(String(path[0]), known) : undefined;
    if (meant !== undefined) {
      this.#say(path, `is unknown; did you mean ${meant}?`);
      return;
    }
    if (!isOutermost) this.#say(path, 'is not allowed here');
    else this.#say(path, this.#hasListed ? 'is unknown' : `is unknown; known are ${known.join(', ')}`);
    this.#hasListed ||= isOutermost;
  }
}

function isObject(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}
