// What a command that calls a method passes, as its property `arguments` says: its value, and what is fixed. Pure, without
// the library.

/** In the list of arguments: the value of the command. */
export const placeholder = '$value';
const maxArguments = 32;
const maxElements = 1000;

export type Fixed = string | number | boolean;
export type Template = readonly (Fixed | readonly Fixed[])[];

/** What is wrong with the property, or nothing. */
export function checkArguments(properties: Readonly<Record<string, string>> | undefined): string | undefined {
  const template = templateOf(properties ?? {});
  return typeof template === 'string' ? template : undefined;
}

/** Undefined where there is none; a text says what is wrong with it. */
export function templateOf(properties: Readonly<Record<string, string>>): Template | string | undefined {
  if (!Object.hasOwn(properties, 'arguments')) return undefined;
  const expected = 'the property arguments is a JSON array of texts, numbers and booleans, such as ["$value", 5]';
  try {
    const read: unknown = JSON.parse(properties.arguments ?? '');
    const isRight = (each: unknown) => isFixed(each) || (isList(each, maxElements) && each.every(isFixed));
    return isList(read, maxArguments) && read.every(isRight) ? (read as Template) : expected;
  } catch {
    return expected;
  }
}

function isList(value: unknown, most: number): value is unknown[] {
  return Array.isArray(value) && value.length <= most;
}

export function isFixed(value: unknown): value is Fixed {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}
