// The objects that a type makes of an instance, as a client would have sent them.
import type { Family } from '@telltale/schema';
import type { Instance } from './read-instances.ts';
import { type FieldMaker, Literal, type ObjectMaker, type ReadType } from './read-type.ts';
import { shown, Template, TemplateFault, type Values } from './template.ts';

export interface ExpandedObject {
  readonly family: Family;
  readonly name: string;
  readonly object: Readonly<Record<string, unknown>>;
  readonly maker: ObjectMaker;
  readonly instance: Instance;
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
      const name = maker.name.expand(instance.values);
      const made: [string, unknown][] = [['name', name]];
      for (const each of maker.fields) {
        field = each.field;
        const value = fieldValue(each, instance);
        if (value !== undefined) made.push([field, value]);
      }
      yield { family, name, object: Object.fromEntries(made), maker, instance };
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error;
      yield { maker, field, path: instance.place(error.parameter), message: error.message };
    }
  }
}

/** Undefined: not set, as with an empty cell of a table. */
function fieldValue({ kind, value }: FieldMaker, { values, mayHaveDecimalComma }: Instance): unknown {
  if (value instanceof Literal) return value.value;
  if (!(value instanceof Template)) return mapOf(value, values);
  const text = value.expand(values);
  if (text === '') return undefined;
  switch (kind) {
    case 'integer':
      if (!/^\s*[+-]?\d{1,16}\s*$/.test(text)) throw new TemplateFault(`${shown(text)} is no whole number`);
      return Number(text);
    case 'boolean':
      return booleanOf(text);
    case 'number':
      return mayHaveDecimalComma && /^[+-]?\d*,\d+%?$/.test(text) ? text.replace(',', '.') : text;
    default:
      return text;
  }
}

function mapOf(entries: readonly (readonly [Template, Template])[], values: Values): object {
  const made = entries.map(([key, value]) => [key.expand(values), value.expand(values), value] as const);
  return Object.fromEntries(
    made.filter(([key, text, { parameters }]) => key !== '' && (text !== '' || parameters.size === 0)),
  );
}

function booleanOf(text: string): boolean {
  const word = text.trim().toLowerCase();
  if (['true', 'yes', 'on', '1'].includes(word)) return true;
  if (['false', 'no', 'off', '0'].includes(word)) return false;
  throw new TemplateFault(`${shown(text)} is neither true nor false: write true or false`);
}
