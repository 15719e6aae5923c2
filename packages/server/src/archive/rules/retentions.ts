// The retention of the records of an object that has its own: `properties.archRetention`.
import { parseDuration } from '@telltale/schema';
import type { Kind, SeriesRename } from '../records.ts';

interface Stored {
  readonly name: string;
  readonly properties?: Record<string, string> | undefined;
}

/** Microseconds; undefined where the object says nothing. A text that is no duration was refused at rendering. */
export function retentionOf({ properties = {} }: Stored): number | undefined {
  const text = Object.hasOwn(properties, 'archRetention') ? properties.archRetention : undefined;
  return text === undefined ? undefined : parseDuration(text);
}

/** Of an object that is no longer configured, what it said last: its records end with it. */
export class Retentions {
  /** Microseconds by `kind/name`. */
  readonly ofSeries = new Map<string, number>();
  #isChanged = false;

  put(kind: Kind, object: Stored): void {
    if (this.isSame(kind, object)) return;
    this.#isChanged = true;
    const key = `${kind}/${object.name}`;
    const us = retentionOf(object);
    if (us === undefined) this.ofSeries.delete(key);
    else this.ofSeries.set(key, us);
  }

  rename({ kind, from }: SeriesRename): void {
    if (this.ofSeries.delete(`${kind}/${from}`)) this.#isChanged = true; // the new name gets what its object says
  }

  /** Whether what the object says is known. */
  isSame(kind: Kind, object: Stored): boolean {
    const us = retentionOf(object);
    if (us === undefined && this.ofSeries.size === 0) return true;
    return this.ofSeries.get(`${kind}/${object.name}`) === us;
  }

  /** Those of before the start; before the first object is put. */
  restore(ofSeries: ReadonlyMap<string, number>): void {
    for (const [key, us] of ofSeries) this.ofSeries.set(key, us);
  }

  /** Whether any is another one since the last time. */
  takeChanged(): boolean {
    const isChanged = this.#isChanged;
    this.#isChanged = false;
    return isChanged;
  }
}
