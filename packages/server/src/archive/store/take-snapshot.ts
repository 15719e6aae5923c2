// What an archive has of some series, as a query gets it: of each epoch by itself, so that others can put theirs between.
import type { Series, SimulatedFilter } from '../records.ts';
import { gapsOf } from './gaps.ts';
import type { Memtable } from './memtable.ts';
import { cutOffOf } from './retention.ts';
import type { SeriesSnapshot, Snapshot } from './snapshot.ts';
import type { StoreParts } from './store-parts.ts';
import { tailOf } from './tail.ts';

export interface WantedRecords {
  readonly sinceUs: number;
  readonly untilUs: number;
  readonly needsHead: boolean;
  readonly simulated: SimulatedFilter | undefined;
}

export function takeSnapshot(parts: StoreParts, series: readonly Series[], wanted: WantedRecords): Snapshot {
  const { clock, generations, blocks: list, tombstones, inventory, retention, epochs } = parts;
  const { sinceUs, untilUs, needsHead } = wanted;
  const found = list.within(needsHead ? 0 : sinceUs, untilUs, epochs);
  const nowUs = clock.now();
  const { tables } = generations;
  return {
    series: series.flatMap((each) => {
      const cutOffUs = cutOffOf(retention, each, nowUs);
      const gaps = gapsOf(inventory.lost, { series: each, sinceUs, untilUs, cutOffUs });
      const ofSeries = tombstones.ofSeries(each.number);
      const erasedOf = (table: Memtable) => tombstones.in(table, each.number);
      return found.flatMap(({ span: { epoch, from, to }, blocks }, at): SeriesSnapshot[] => {
        const ofSpan = tables.filter(({ generation }) => generation >= from && generation < to);
        const tail = tailOf(ofSpan, erasedOf, { ...wanted, series: each, cutOffUs });
        // One is always there.
        if (at > 0 && blocks.length === 0 && tail === undefined) return [];
        const applied = ofSeries.filter(({ generation }) => generation >= from);
        const erased = applied.map(({ seq, sinceUs, untilUs }) => ({ seq, sinceUs, untilUs }));
        return [{ series: each, tail, blocks, tombstones: erased, cutOffUs, gaps: at === 0 ? gaps : [], epoch }];
      });
    }),
  };
}
