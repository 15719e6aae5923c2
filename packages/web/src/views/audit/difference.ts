// What differs between the two values that a record has: field by field where both are objects, as texts otherwise.

export interface DifferentField {
  /** Empty where the values as a whole differ. */
  readonly path: string;
  /** Undefined: it was not there before, or is not there any more. */
  readonly old: string | undefined;
  readonly new: string | undefined;
}

/** More than anybody reads; the export has all. */
export const mostFields = 200;
const deepest = 8;
const longest = 2000;

/** At most `mostFields` and one more, which says that there are others. */
export function differenceOf(before: unknown, after: unknown): DifferentField[] {
  const fields: DifferentField[] = [];
  collect('', before, after, 0, fields);
  return fields;
}

function collect(path: string, before: unknown, after: unknown, depth: number, fields: DifferentField[]): void {
  if (fields.length > mostFields) return;
  const isOpen = (value: unknown) => value === undefined || isObject(value);
  if (depth < deepest && isOpen(before) && isOpen(after) && (isObject(before) || isObject(after))) {
    const names = new Set([...namesOf(before), ...namesOf(after)]);
    for (const name of names) {
      const inside = path === '' ? name : `${path}.${name}`;
      collect(inside, memberOf(before, name), memberOf(after, name), depth + 1, fields);
    }
    return;
  }
  const [old, now] = [textOf(before), textOf(after)];
  if (old !== now) fields.push({ path, old, new: now });
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const namesOf = (value: unknown) => (isObject(value) ? Object.keys(value) : []);

/** Names come from people: none of them is that of a prototype. */
function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

export function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
