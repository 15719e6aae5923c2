// What hours have, as rows of the store: what is added to them, and which are counted anew, since something was taken out.
import { form, traitsOf } from '@telltale/schema/values';
import type { Columns } from '../../../archive/index.ts';
import { firstFrom } from '../../../archive/query/index.ts';
import { sinceOfWeek, weekOf } from '../../read/weeks.ts';
import type { Connection } from '../connection.ts';
import type { SealedSeries } from './chunk-rows.ts';
import { type Tally, tallyOf, tooLarge } from './tally.ts';

const usAnHour = 3_600_000_000;

interface HourTally {
  readonly hourUs: number;
  tally: Tally;
}

/** Half-open. */
interface Recount {
  readonly series: number;
  readonly sinceUs: number;
  readonly untilUs: number;
}

const addTallies = `insert into telltale.hour as old (series, hour, n, bad, not_good, least, greatest, sum)
  select series, to_timestamp(us / 1000000), n, bad, not_good, least, greatest, sum
  from unnest($1::bigint[], $2::bigint[], $3::integer[], $4::integer[], $5::integer[], $6::float8[], $7::float8[], $8::float8[])
    as new (series, us, n, bad, not_good, least, greatest, sum)
  on conflict (series, hour) do update set
    n = old.n + excluded.n, bad = old.bad + excluded.bad, not_good = old.not_good + excluded.not_good,
    least = least(old.least, excluded.least), greatest = greatest(old.greatest, excluded.greatest),
    sum = case when old.bad = old.n then excluded.sum when excluded.bad = excluded.n then old.sum else old.sum + excluded.sum end`;

const wanted = 'unnest($1::bigint[], $2::bigint[], $3::bigint[]) as wanted (series, since_us, until_us)';
const removeTallies = `delete from telltale.hour using ${wanted} where hour.series = wanted.series
  and hour >= to_timestamp(since_us / 1000000) and hour < to_timestamp(until_us / 1000000)`;
const isSound = "quality is distinct from 'bad'";
const isTooLarge = `abs(value) >= ${tooLarge}`;
const countAgain = `insert into telltale.hour (series, hour, n, bad, not_good, least, greatest, sum)
  select series, to_timestamp(us / ${usAnHour} * ${usAnHour / 1_000_000}), count(*), count(*) filter (where quality = 'bad'), count(*) filter (where quality <> 'good'),
    min(value) filter (where ${isSound} and value <> 'NaN'), max(value) filter (where ${isSound} and value <> 'NaN'),
    case when not bool_or(${isSound} and ${isTooLarge}) then sum(value) filter (where ${isSound} and not ${isTooLarge}) end
  from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) as wanted (id, since_us, until_us, first_us_since)
  join telltale.unpacked on series = id and first_us >= first_us_since and first_us < until_us and last_us >= since_us
    and us >= since_us and us < until_us
  group by 1, 2`;

export class HourTallies {
  readonly #added = new Map<number, HourTally[]>();
  readonly #recounts = new Map<number, Recount[]>();

  /** Records in order of time that are new. */
  add({ id, kind, datatype }: SealedSeries, columns: Columns, from: number, to: number): void {
    if (traitsOf(datatype).form === form.text) return;
    const hours = this.#added.get(id) ?? [];
    this.#added.set(id, hours);
    for (let at = from; at < to; ) {
      const hourUs = hourOf(columns.times[at] as number);
      const end = firstFrom(columns.times, at, to, hourUs + usAnHour);
      const tally = tallyOf(kind, datatype, columns, at, end);
      const known = hours.findLast((hour) => hour.hourUs === hourUs);
      if (known === undefined) hours.push({ hourUs, tally });
      else known.tally = together(known.tally, tally);
      at = end;
    }
  }

  /** Something in [sinceUs, untilUs) was taken out. */
  recount({ id, datatype }: SealedSeries, sinceUs: number, untilUs: number): void {
    if (traitsOf(datatype).form === form.text) return;
    const recounts = this.#recounts.get(id) ?? [];
    this.#recounts.set(id, recounts);
    const next = { series: id, sinceUs: hourOf(sinceUs), untilUs: hourOf(untilUs - 1) + usAnHour };
    const last = recounts.at(-1);
    if (last === undefined || next.sinceUs < last.sinceUs || next.sinceUs > last.untilUs) recounts.push(next);
    else if (next.untilUs > last.untilUs) recounts[recounts.length - 1] = { ...last, untilUs: next.untilUs };
  }

  /** When the chunks are as they will be. */
  async write(connection: Connection): Promise<void> {
    const recounts = this.#recounts.values().toArray().flatMap(joined);
    const rows = [...this.#added].flatMap(([series, hours]) => hours.map((hour) => ({ series, ...hour })));
    const added = rows.filter(({ series, hourUs }) => {
      const own = this.#recounts.get(series);
      return own === undefined || !own.some(({ sinceUs, untilUs }) => hourUs >= sinceUs && hourUs < untilUs);
    });
    if (added.length > 0) {
      const of = (take: (tally: Tally) => number | undefined) => added.map(({ tally }) => take(tally));
      await connection.query(addTallies, [
        added.map(({ series }) => series),
        added.map(({ hourUs }) => hourUs),
        of(({ count }) => count),
        of(({ bad }) => bad),
        of(({ notGood }) => notGood),
        of(({ least }) => least),
        of(({ greatest }) => greatest),
        of(({ sum }) => sum),
      ]);
    }
    if (recounts.length === 0) return;
    const [series, since] = [recounts.map((each) => each.series), recounts.map(({ sinceUs }) => sinceUs)];
    const until = recounts.map(({ untilUs }) => untilUs);
    await connection.query(removeTallies, [series, since, until]);
    await connection.query(countAgain, [series, since, until, since.map((us) => sinceOfWeek(weekOf(us)))]);
  }
}

function hourOf(timeUs: number): number {
  return Math.floor(timeUs / usAnHour) * usAnHour;
}

/** In order, without those that overlap. */
function joined(recounts: readonly Recount[]): Recount[] {
  const all: Recount[] = [];
  for (const next of recounts.toSorted((a, b) => a.sinceUs - b.sinceUs)) {
    const last = all.at(-1);
    if (last !== undefined && next.sinceUs <= last.untilUs) {
      all[all.length - 1] = { ...last, untilUs: Math.max(last.untilUs, next.untilUs) };
    } else all.push(next);
  }
  return all;
}

function together(a: Tally, b: Tally): Tally {
  const [hasA, hasB] = [a.bad < a.count, b.bad < b.count];
  const sum = a.sum === undefined || b.sum === undefined ? undefined : a.sum + b.sum;
  return {
    count: a.count + b.count,
    bad: a.bad + b.bad,
    notGood: a.notGood + b.notGood,
    least: lesser(a.least, b.least, Math.min),
    greatest: lesser(a.greatest, b.greatest, Math.max),
    sum: hasA && hasB ? sum : hasA ? a.sum : b.sum,
  };
}

function lesser(a: number | undefined, b: number | undefined, choose: (a: number, b: number) => number) {
  return a === undefined ? b : b === undefined ? a : choose(a, b);
}
