// Takes what is erased out of the chunks of the store.

import { comparePlaces } from '../../read/place.ts';
import { type Erased, takeOut } from '../../read/section-layers.ts';
import { sinceOfWeek, weekOf } from '../../read/weeks.ts';
import type { Connection } from '../connection.ts';
import type { ChunkChanges } from './chunk-changes.ts';
import type { SealedSeries } from './chunk-rows.ts';
import type { HourTallies } from './hour-tallies.ts';
import { readChunks, type StoredChunk } from './stored-chunks.ts';

export interface SeriesErasure extends Erased {
  readonly series: SealedSeries;
}

/** A statement takes no longer than others. */
const mostRemoved = 10_000;
const mostRead = 128;

const erasures = `unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
  as e (series, since_us, until_us, epoch, place, first_us_since)`;
const isErased = `c.series = e.series and c.first_us >= e.first_us_since and c.first_us < e.until_us and c.last_us >= e.since_us
  and (c.epoch, c.place) <= (e.epoch, e.place)`;
const removeWhole = `with whole as (
    select c.series, c.first_us, c.epoch, c.place, c.part from ${erasures} join telltale.chunk c on ${isErased}
    where c.first_us >= e.since_us and c.last_us < e.until_us limit ${mostRemoved}
  )
  delete from telltale.chunk c using whole w
  where c.series = w.series and c.first_us = w.first_us and c.epoch = w.epoch and c.place = w.place and c.part = w.part`;
const findPartly = `select distinct c.series, c.first_us as "firstUs", c.last_us as "lastUs", c.epoch, c.place, c.part, c.n as count, c.flags
  from ${erasures} join telltale.chunk c on ${isErased}`;
const keep = `insert into telltale.erasure (series, since_us, until_us, epoch, place)
  select series, since_us, until_us, epoch, place from ${erasures} on conflict do nothing`;

export async function eraseChunks(
  connection: Connection,
  changes: ChunkChanges,
  hours: HourTallies,
  erased: readonly SeriesErasure[],
): Promise<void> {
  const all = erased.filter(({ sinceUs, untilUs }) => sinceUs < untilUs);
  if (all.length === 0) return;
  const of = (take: (erasure: SeriesErasure) => number) => all.map(take);
  const values = [
    of(({ series }) => series.id),
    of(({ sinceUs }) => sinceUs),
    of(({ untilUs }) => untilUs),
    of(({ epoch }) => epoch),
    of(({ place }) => place),
    of(({ sinceUs }) => sinceOfWeek(weekOf(sinceUs))),
  ];
  await connection.query(keep, values);
  for (let removed = mostRemoved; removed === mostRemoved; ) {
    removed = (await connection.query(removeWhole, values)).count;
  }
  const { rows } = await connection.query<StoredChunk>(findPartly, values);
  const bySeries = Map.groupBy(all, ({ series }) => series.id);
  for (const [week, chunks] of Map.groupBy(rows, ({ firstUs }) => weekOf(firstUs))) {
    for (let at = 0; at < chunks.length; at += mostRead) {
      const some = chunks.slice(at, at + mostRead);
      const own = some.map(({ series }) => bySeries.get(series) as SeriesErasure[]);
      const read = await readChunks(
        connection,
        week,
        some,
        own.map(([first]) => first as SeriesErasure),
      );
      for (const [index, chunk] of some.entries()) {
        const columns = read[index];
        const [{ series }] = own[index] as [SeriesErasure];
        if (columns === undefined) continue;
        const before = columns.count;
        takeOut(
          series.datatype,
          columns,
          0,
          (own[index] as SeriesErasure[]).filter((each) => comparePlaces(each, chunk) >= 0),
        );
        if (columns.count < before) changes.replace(series, chunk, columns);
      }
      await changes.writeMany();
    }
  }
  await changes.write();
  for (const { series, sinceUs, untilUs } of all) hours.recount(series, sinceUs, untilUs);
}
