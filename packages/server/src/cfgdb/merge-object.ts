// The three-way rule for an object that a type has made: what people changed since stays, all else is what the type says now.
import { isDeepStrictEqual } from 'node:util';
import { type KeptField, parseJson } from '@telltale/schema';

export interface Merged {
  readonly object: Readonly<Record<string, unknown>>;
  /** What stays because people changed it. */
  readonly kept: KeptField[];
}

/** A field, or a key of a field that is a map. An empty map is a field of its own. */
type Leaves = ReadonlyMap<
  string,
  { readonly field: string; readonly key: string | undefined; readonly value: unknown }
>;

/** Canonical texts: as it was made, as it is, and as the type makes it now. */
export function mergeObject(before: string, present: string, type: string): Merged {
  const [old, now, next] = [leavesOf(before), leavesOf(present), leavesOf(type)];
  const kept: KeptField[] = [];
  const fields = new Map<string, unknown>();
  for (const id of new Set([...next.keys(), ...now.keys(), ...old.keys()])) {
    const [b, h, t] = [old.get(id)?.value, now.get(id)?.value, next.get(id)?.value];
    const isByHand = !isDeepStrictEqual(h, b) && !isDeepStrictEqual(h, t);
    const leaf = (isByHand ? now : next).get(id);
    if (leaf !== undefined) put(fields, leaf);
    if (!isByHand) continue;
    kept.push({
      field: id.replace('\0', '.'),
      ...(h !== undefined && { byHand: h }),
      ...(b !== undefined && { before: b }),
      ...(t !== undefined && { type: t }),
    });
  }
  const object = Object.fromEntries(
    Array.from(fields, ([field, value]) => [field, value instanceof Map ? Object.fromEntries(value) : value]),
  );
  return { object, kept };
}

function leavesOf(text: string): Leaves {
  const leaves = new Map<string, { field: string; key: string | undefined; value: unknown }>();
  for (const [field, value] of Object.entries(parseJson(text) as Record<string, unknown>)) {
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    const entries = isMap ? Object.entries(value) : [];
    if (entries.length === 0) leaves.set(field, { field, key: undefined, value });
    for (const [key, item] of entries) leaves.set(`${field}\0${key}`, { field, key, value: item });
  }
  return leaves;
}

function put(fields: Map<string, unknown>, leaf: { field: string; key: string | undefined; value: unknown }): void {
  const { field, key, value } = leaf;
  const present = fields.get(field);
  if (key === undefined) {
    if (!(present instanceof Map)) fields.set(field, value); // an empty map beside keys is one with these keys
  } else if (present instanceof Map) present.set(key, value);
  else fields.set(field, new Map([[key, value]]));
}
