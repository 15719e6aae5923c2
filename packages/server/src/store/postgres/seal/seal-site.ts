// Seals what there is of a site, up to an amount: in one transaction its oldest parcels become chunks.
import { weekOf } from '../../read/weeks.ts';
import { StoreError } from '../../store-error.ts';
import type { Connection } from '../connection.ts';
import { GatheredRecords, GatherMemory } from './gathered-records.ts';
import { nextParcels, type ParcelBatch, type ParcelKey, type SealLimits } from './parcel-batch.ts';
import { sealRecords } from './seal-records.ts';
import { SeriesCache } from './series-cache.ts';
import { type Stretch, Stretches } from './stretch.ts';

/** What is known in a connection: another may be to a store that was put back. */
export class SealSession {
  readonly connection: Connection;
  readonly series = new SeriesCache();
  /** That have a partition. */
  readonly weeks = new Set<number>();
  readonly memory = new GatherMemory();

  constructor(connection: Connection) {
    this.connection = connection;
  }
}

export interface SealedSite {
  readonly parcels: number;
  readonly records: number;
  readonly damaged: ParcelBatch['damaged'];
  /** There was more than this. */
  readonly isMore: boolean;
}

interface SealedRow {
  readonly epoch: number;
  readonly seq: number;
  readonly since: number;
  readonly until: number;
}

class LacksWeeks extends Error {
  readonly weeks: readonly number[];

  constructor(weeks: readonly number[]) {
    super('weeks without a partition');
    this.weeks = weeks;
  }
}

/** Keys are what is asked for, whatever the planner thinks of tables that grow faster than they are analyzed. */
const byIndex = `select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
  set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true)`;
const lockSite = `select epoch, seq, whole_since as since, whole_until as until from telltale.sealed where site = $1
  for update skip locked`;

/** Undefined: somebody else seals this site now, or there is nothing. Rejects with a `StoreError`. */
export async function sealSite(
  session: SealSession,
  site: string,
  limits: SealLimits,
): Promise<SealedSite | undefined> {
  for (;;) {
    const known = session.weeks.size;
    try {
      return await session.connection.transaction(() => seal(session, site, limits));
    } catch (error) {
      // One may have been dropped meanwhile.
      if (known > 0 && isWithoutPartition(error)) session.weeks.clear();
      else if (error instanceof LacksWeeks) await addWeeks(session, error.weeks);
      else throw error;
    }
  }
}

/** Not in the same transaction: whoever needs one as well would wait for it. */
async function addWeeks({ connection, weeks }: SealSession, missing: readonly number[]): Promise<void> {
  for (const week of missing) {
    await connection.query('select telltale.add_week($1)', [week]);
    weeks.add(week);
  }
}

function isWithoutPartition(error: unknown): boolean {
  return error instanceof StoreError && (error.cause as { code?: unknown } | undefined)?.code === '23514';
}

async function seal(session: SealSession, site: string, limits: SealLimits): Promise<SealedSite | undefined> {
  const { connection } = session;
  await connection.query(byIndex);
  const { rows } = await connection.query<SealedRow>(lockSite, [site]);
  const [before] = rows;
  if (before === undefined) return undefined;
  const batch = await nextParcels(connection, site, session.series, limits);
  if (batch === undefined) return undefined;
  const { parcels, damaged, lasts, count, isMore, seriesOf } = batch;
  const stretches = new Stretches(before);
  const sections = parcels.flatMap(({ epoch, sections: own }) => {
    return own.map((section) => stretches.place(epoch, section));
  });
  const erasures = parcels.flatMap(({ epoch, erasures: own }) => {
    return own.map((erasure) => ({ ...erasure, epoch, series: seriesOf(epoch, erasure.series) }));
  });
  const gathered = new GatheredRecords(sections, seriesOf, session.memory);
  checkWeeks(session, gathered);
  await sealRecords(connection, { gathered, erasures, stretch: before });
  for (const { epoch, seq, reason } of damaged) {
    await connection.query(
      `insert into telltale.damaged (site, epoch, seq, received, reason, bytes)
        select site, epoch, seq, received, $4, bytes from telltale.parcel where site = $1 and epoch = $2 and seq = $3`,
      [site, epoch, seq, reason],
    );
  }
  for (const { epoch, seq } of lasts) {
    await connection.query('delete from telltale.parcel where site = $1 and epoch = $2 and seq <= $3', [
      site,
      epoch,
      seq,
    ]);
  }
  // Of an epoch that another node had before, some may come later: the newest one goes on as it was.
  const last = lasts.at(-1) as ParcelKey;
  const newest = last.epoch < before.epoch ? before : last;
  const { since, until } = ofEpoch(stretches.now, newest.epoch);
  await connection.query(
    'update telltale.sealed set epoch = $2, seq = $3, whole_since = $4, whole_until = $5 where site = $1',
    [site, newest.epoch, newest.seq, since, until],
  );
  return { parcels: count, records: gathered.columns.count, damaged, isMore };
}

/** Of an epoch of which there are no records yet there is nothing. */
function ofEpoch(stretch: Stretch, epoch: number): Stretch {
  return stretch.epoch === epoch ? stretch : { epoch, since: 0, until: 0 };
}

function checkWeeks({ weeks }: SealSession, { columns: { times }, slices }: GatheredRecords): void {
  const missing = new Set<number>();
  const check = (timeUs: number) => {
    const week = weekOf(timeUs);
    if (!weeks.has(week)) missing.add(week);
    return week;
  };
  for (const { from, to, isPlain } of slices) {
    // Those that are in order have no others where the first and the last are of one.
    if (isPlain && check(times[from] as number) === check(times[to - 1] as number)) continue;
    for (let at = from; at < to; at++) check(times[at] as number);
  }
  if (missing.size > 0) throw new LacksWeeks([...missing]);
}
