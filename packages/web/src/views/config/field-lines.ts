// A difference between two configurations, line by line: a field, or a key of a map, before and after.
import type { ComparedChange, FieldChange, TableChange } from '@telltale/schema';

export type ShownChange = Pick<ComparedChange, 'name' | 'change' | 'renamedFrom' | 'fields'> &
  Partial<Pick<ComparedChange, 'family'>> &
  Pick<TableChange, 'row'> & { readonly time?: readonly [number, number]; readonly author?: string };

export interface FieldLine {
  readonly field: string;
  /** Undefined: not set. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export function fieldLines(fields: readonly FieldChange[] = []): FieldLine[] {
  return fields.flatMap(({ field, before, after }) => {
    if (!isMap(before) && !isMap(after)) return [{ field, before: textOf(before), after: textOf(after) }];
    const [was, is] = [new Map(entriesOf(before)), new Map(entriesOf(after))];
    const keys = new Set([...was.keys(), ...is.keys()]);
    return [...keys]
      .filter((key) => was.get(key) !== is.get(key))
      .map((key) => ({ field: `${field}.${key}`, before: was.get(key), after: is.get(key) }));
  });
}

const isMap = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

function entriesOf(value: unknown): (readonly [string, string | undefined])[] {
  return isMap(value) ? Object.entries(value).map(([key, each]) => [key, textOf(each)] as const) : [];
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
