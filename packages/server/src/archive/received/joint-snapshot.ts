// What several archives have of a name, as one: series of the same datatype are one series, and what is of a later epoch came later.
import type { Kind, Series, SimulatedFilter } from '../records.ts';
import type { ArchiveStore } from '../store/archive-store.ts';
import type { Snapshot } from '../store/snapshot.ts';

export interface JointRequest {
  readonly sinceUs: number;
  readonly untilUs: number;
  readonly needsHead: boolean;
  readonly simulated?: SimulatedFilter | undefined;
}

interface Found {
  readonly store: ArchiveStore;
  readonly series: readonly Series[];
}

/** Those that have series of the name; the one that has recorded last is the last one. */
export function storesWith(stores: readonly ArchiveStore[], kind: Kind, name: string): Found[] {
  const found = stores.map((store) => ({ store, series: store.find(kind, name) }));
  return found.filter(({ series }) => series.length > 0).sort((a, b) => a.store.epoch - b.store.epoch);
}

/** Undefined: none of them has the name. */
export function jointSnapshot(
  stores: readonly ArchiveStore[],
  kind: Kind,
  name: string,
  { sinceUs, untilUs, needsHead, simulated }: JointRequest,
): Snapshot | undefined {
  const found = storesWith(stores, kind, name);
  if (found.length === 0) return undefined;
  const identities = identitiesOf(found);
  return {
    series: found.flatMap(({ store, series }) => {
      const parts = store.snapshot(series, sinceUs, untilUs, needsHead, simulated).series;
      return parts.map((part) => ({ ...part, identity: identities.get(part.series) as number }));
    }),
  };
}

/** In the order of the newest one of each. */
function identitiesOf(found: readonly Found[]): Map<Series, number> {
  const order = new Set<string>();
  const names = new Map<Series, string>();
  for (const { series } of found) {
    for (const [at, each] of series.entries()) {
      // A name may have two of one datatype, where the number of one was lost once.
      const nth = series.slice(0, at).filter(({ datatype }) => datatype === each.datatype).length;
      const text = `${each.datatype} ${nth}`;
      names.set(each, text);
      order.delete(text);
      order.add(text);
    }
  }
  const all = [...order];
  return new Map(Array.from(names, ([series, text]) => [series, all.indexOf(text)]));
}
