// Under which name an object runs that somebody knows by another one.
import type { Database } from '../database.ts';
import { edited } from '../go-back.ts';
import type { Rename } from '../renamed-references.ts';
import { keyOf } from '../renames.ts';
import { removalsIn, renamesIn } from '../stored-changes.ts';

export interface NamedPoint {
  readonly family: Rename['family'];
  readonly name: string;
}

/** Of those that no object has: what became of it since, as far as revisions tell. One that was removed is not among them. */
export function laterNames({ rendered, revisions }: Database, asked: readonly NamedPoint[]): Rename[] {
  const unknown = asked.filter(({ family, name }) => !rendered[family].has(name));
  if (unknown.length === 0) return [];
  const found = new Map<string, Rename>();
  for (const text of revisions.changesBetween(0, edited)) {
    const renamed = new Map(renamesIn(text).map(({ family, from, to }) => [keyOf(family, from), to]));
    const removed = new Set(removalsIn(text).map(({ family, name }) => keyOf(family, name)));
    for (const { family, name: from } of unknown) {
      const key = keyOf(family, from);
      const present = keyOf(family, found.get(key)?.to ?? from);
      const to = renamed.get(key) ?? renamed.get(present);
      if (to !== undefined) found.set(key, { family, from, to });
      else if (removed.has(key) || removed.has(present)) found.delete(key);
    }
  }
  return [...found.values()].filter(({ family, to }) => rendered[family].has(to));
}
