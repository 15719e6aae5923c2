// A type as a client sends it into one that can be expanded: every text is parsed once, and everything that is wrong with it is
// found, with its place in the type.
import {
  type DurationUnit,
  type Family,
  type Fault,
  families,
  familyNames,
  maxFaults,
  maxTypicalObjects,
  numericTexts,
  pointerTo,
  type Typical,
} from '@telltale/schema';
import { didYouMean } from '@telltale/schema/nearest-name';
import type { TObject } from 'typebox';
import { shown, Template, TemplateFault } from './template.ts';

/** How a field of an object is made. */
export interface FieldMaker {
  readonly field: string;
  readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'map' | 'list';
  /** Of a number that is a duration: a template may become one, such as 5m. */
  readonly unit: DurationUnit | undefined;
  /** A template, a value as it is, the keys and values of a map, or the items of a list. */
  readonly value: Template | Literal | readonly (readonly [key: Template, value: Template])[] | ListItems;
}

type FieldForm = Omit<FieldMaker, 'value'>;

/** Of all templates together: texts and placeholders. */
const mostParts = 1_000_000;

export class Literal {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** Of each object in a list, its fields; what is no object is there as it is. */
export class ListItems {
  readonly items: readonly (Literal | readonly (readonly [field: string, value: Template | Literal])[])[];

  constructor(items: ListItems['items']) {
    this.items = items;
  }
}

export interface ObjectMaker {
  readonly family: Family;
  /** As the type writes it. */
  readonly key: string;
  readonly name: Template;
  readonly fields: readonly FieldMaker[];
}

export interface ReadType {
  readonly name: string;
  /** From parameter to its default; undefined: every instance has a value. */
  readonly parameters: ReadonlyMap<string, string | undefined>;
  readonly instance: Template;
  readonly objects: readonly ObjectMaker[];
}

/** Of a type that fits its schema. Undefined where it pushed faults. */
export function readType(type: Typical, faults: Fault[]): ReadType | undefined {
  return new TypeReader(type, faults).read();
}

/** Where in the request. */
export function placeInType(...path: readonly string[]): string {
  return pointerTo(['type', ...path]);
}

class TypeReader {
  readonly #type: Typical;
  readonly #faults: Fault[];
  readonly #parameters: ReadonlyMap<string, string | undefined>;
  #parts = 0;

  constructor(type: Typical, faults: Fault[]) {
    this.#type = type;
    this.#faults = faults;
    this.#parameters = new Map(Object.entries(type.parameters).map(([name, { default: value }]) => [name, value]));
  }

  read(): ReadType | undefined {
    const { name } = this.#type;
    const [first = ''] = this.#parameters.keys();
    const instance = this.#template(this.#type.instance ?? `{${first}}`, ['instance']);
    const objects: ObjectMaker[] = [];
    for (const family of familyNames) {
      for (const [key, fields] of Object.entries(this.#type.objects[family] ?? {})) {
        const maker = this.#object(family, key, fields);
        if (maker !== undefined) objects.push(maker);
      }
    }
    if (objects.length > maxTypicalObjects) this.#fault(['objects'], `has more than ${maxTypicalObjects} objects`);
    if (objects.length === 0)
      this.#fault(['objects'], 'has no object: write one, such as {"measurements": {"{pump}_speed": {…}}}');
    if (this.#faults.length > 0 || instance === undefined) return undefined;
    return { name, parameters: this.#parameters, instance, objects };
  }

  #object(family: Family, key: string, fields: object): ObjectMaker | undefined {
    const path = ['objects', family, key];
    const name = this.#template(key, path);
    const { properties: known }: TObject = families[family];
    const makers: FieldMaker[] = [];
    for (const [field, value] of Object.entries(fields)) {
      if (field === 'name') {
        this.#fault([...path, field], 'is not written here: the object has the name under which it stands');
        continue;
      }
      if (!Object.hasOwn(known, field)) {
        const hint = () => didYouMean(field.slice(0, 80), Object.keys(known));
        if (value !== null) this.#fault([...path, field], () => `is no field of ${family}.${hint()}`);
        continue;
      }
      const maker = this.#field(formOf(field, known[field]), value, [...path, field]);
      if (maker !== undefined) makers.push(maker);
    }
    return name && { family, key, name, fields: makers };
  }

  #field(form: FieldForm, value: unknown, path: string[]): FieldMaker | undefined {
    if (value === null) return undefined;
    if (form.kind === 'map' && typeof value === 'object') {
      const entries = Object.entries(value).flatMap(([key, text]: [string, unknown]) => {
        if (text === null) return [];
        if (typeof text !== 'string') return this.#fault([...path, key], 'must be a string') ?? [];
        const [name, made] = [this.#template(key, [...path, key]), this.#template(text, [...path, key])];
        return name && made ? [[name, made] as const] : [];
      });
      return { ...form, value: entries };
    }
    if (form.kind === 'list' && Array.isArray(value)) return { ...form, value: this.#items(value, path) };
    if (typeof value !== 'string') return { ...form, value: new Literal(value) };
    const template = this.#template(value, path);
    if (template === undefined) return undefined;
    const isPlain = template.parameters.size === 0;
    return { ...form, value: isPlain ? new Literal(template.expand(new Map())) : template };
  }

  #items(list: readonly unknown[], path: readonly string[]): ListItems {
    const items = list.map((item, index) => {
      if (typeof item !== 'object' || item === null) return new Literal(item);
      return Object.entries(item).map(([field, value]: [string, unknown]) => {
        const template = typeof value === 'string' ? this.#template(value, [...path, String(index), field]) : undefined;
        return [field, template ?? new Literal(value)] as const;
      });
    });
    return new ListItems(items);
  }

  #template(text: string, path: string[]): Template | undefined {
    if (this.#parts > mostParts) return undefined;
    try {
      const template = new Template(text);
      for (const parameter of template.parameters) {
        if (!this.#parameters.has(parameter)) this.#fault(path, () => this.#unknown(parameter));
      }
      this.#parts += template.size;
      return this.#parts > mostParts ? this.#fault(path, 'is too much: the type has too many placeholders') : template;
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error;
      this.#fault(path, error.message);
      return undefined;
    }
  }

  #unknown(parameter: string): string {
    const names = [...this.#parameters.keys()];
    const hint = didYouMean(parameter, names) || ` Known are ${names.slice(0, 20).join(', ')}.`;
    return `${shown(parameter)} is no parameter of the type.${hint}`;
  }

  /** A message with a hint takes its time: it is made where it is told. */
  #fault(path: readonly string[], message: string | (() => string)): undefined {
    if (this.#faults.length >= maxFaults) return;
    this.#faults.push({ path: placeInType(...path), message: typeof message === 'string' ? message : message() });
  }
}

function formOf(field: string, schema: { type?: unknown; 'x-unit'?: DurationUnit } = {}): FieldForm {
  return { field, kind: kindOf(field, schema.type), unit: schema['x-unit'] };
}

function kindOf(field: string, type: unknown): FieldMaker['kind'] {
  if (numericTexts.has(field)) return 'number';
  if (type === 'object') return 'map';
  if (type === 'array') return 'list';
  return type === 'integer' || type === 'boolean' ? type : 'text';
}
