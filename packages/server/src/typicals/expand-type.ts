// The objects that a type makes of an instance, as a client would have sent them.
import type { Family } from '@telltale/schema';
import { booleanIn, integerIn, notBoolean, notInteger, withDecimalPoint } from '../sheets/index.ts';
import type { Instance } from './read-instances.ts';
import { type FieldMaker, ListItems, Literal, type ObjectMaker, type ReadType } from './read-type.ts';
import { longestText, Template, TemplateFault, type Values } from './template.ts';

export interface ExpandedObject {
  readonly family: Family;
  readonly name: string;
  readonly object: Readonly<Record<string, unknown>>;
  readonly maker: ObjectMaker;
  readonly instance: Instance;
  /** Of all its texts. */
  readonly characters: number;
}

/** One that cannot be made is a fault instead: at a place of the instance, about a field of the type. */
export interface ExpansionFault {
  readonly maker: ObjectMaker;
  readonly field: string;
  readonly path: string;
  readonly message: string;
}

export function* expandType({ objects }: ReadType, instance: Instance): Generator<ExpandedObject | ExpansionFault> {
  for (const maker of objects) {
    let field = '';
    try {
      const { family } = maker;
      const texts = new Texts(instance.values);
      const name = texts.expand(maker.name);
      const made: [string, unknown][] = [['name', name]];
      for (const each of maker.fields) {
        field = each.field;
        const value = fieldValue(each, texts, instance);
        if (value !== undefined) made.push([field, value]);
      }
      yield { family, name, object: Object.fromEntries(made), maker, instance, characters: texts.characters };
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error;
      yield { maker, field, path: instance.place(error.parameter), message: error.message };
    }
  }
}

/** Those of one object, which is refused before it has grown. */
class Texts {
  readonly #values: Values;
  characters = 0;

  constructor(values: Values) {
    this.#values = values;
  }

  expand(template: Template): string {
    return this.take(template.expand(this.#values));
  }

  take(text: string): string {
    this.characters += text.length;
    if (this.characters > longestText) throw new TemplateFault(`becomes longer than ${longestText} characters`);
    return text;
  }
}

/** Undefined: not set, as with an empty cell of a table. */
function fieldValue({ kind, unit, value }: FieldMaker, texts: Texts, { mayHaveDecimalComma }: Instance): unknown {
  if (value instanceof Literal) return typeof value.value === 'string' ? texts.take(value.value) : value.value;
  if (value instanceof ListItems) return listOf(value, texts);
  if (!(value instanceof Template)) return mapOf(value, texts);
  const text = texts.expand(value);
  if (text === '') return undefined;
  switch (kind) {
    case 'integer':
      return given(integerIn(text, unit), () => notInteger(text, unit));
    case 'boolean':
      return given(booleanIn(text), () => notBoolean(text));
    case 'number':
      return mayHaveDecimalComma ? withDecimalPoint(text) : text;
    default:
      return text;
  }
}

function mapOf(entries: readonly (readonly [Template, Template])[], texts: Texts): object {
  const made = entries.map(([key, value]) => [texts.expand(key), texts.expand(value), value] as const);
  return Object.fromEntries(
    made.filter(([key, text, { parameters }]) => key !== '' && (text !== '' || parameters.size === 0)),
  );
}

function listOf({ items }: ListItems, texts: Texts): unknown[] {
  return items.map((item) => {
    if (item instanceof Literal) return item.value;
    return Object.fromEntries(
      item.map(([field, value]) => [field, value instanceof Template ? texts.expand(value) : value.value]),
    );
  });
}

function given<T>(value: T | undefined, fault: () => string): T {
  if (value === undefined) throw new TemplateFault(fault());
  return value;
}
