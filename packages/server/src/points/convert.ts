// Values between datatypes, where they fit: numbers are rounded to whole ones where a whole one is wanted; texts are
// read and written in the form of the configuration. What does not fit is no value.
import { fits, form, formatText, type StoredValue, stored, type Traits, ValueError } from '@telltale/schema';

/** The value as the datatype keeps it; undefined where it does not fit. */
export function converted(traits: Traits, value: StoredValue): StoredValue | undefined {
  const { form: held, precision } = traits;
  let result: StoredValue | undefined;
  if (held === form.text) result = textOf(value);
  else if (typeof value === 'string') return parsed(traits, value);
  else if (held === form.long) result = longOf(value);
  else if (precision === 'whole')
    result = Math.round(Number(value)) + 0; // no negative zero
  else result = precision === 'single' ? Math.fround(Number(value)) : Number(value);
  return result !== undefined && fits(traits, result) ? result : undefined;
}

function textOf(value: StoredValue): string | undefined {
  if (typeof value !== 'number') return String(value);
  return Number.isFinite(value) ? formatText('d', value) : undefined;
}

function longOf(value: number | bigint): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return Number.isFinite(value) ? BigInt(Math.round(value)) : undefined;
}

function parsed(traits: Traits, text: string): StoredValue | undefined {
  try {
    return stored(traits.parse(text));
  } catch (error) {
    if (error instanceof ValueError) return undefined;
    throw error;
  }
}
