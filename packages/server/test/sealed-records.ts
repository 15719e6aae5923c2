// What is sealed of a series: by the arrays of its chunks, as servers read them, and by SQL.
import { type Datatype, form, type StoredValue, traitsOf, unstored } from '@telltale/schema';
import { Columns, type Kind, replaces, type SeriesKey } from '../src/archive/index.ts';
import type { Connection } from '../src/store/postgres/connection.ts';
import { CopyReader } from '../src/store/read/copy-reader.ts';
import { appendArrays, arrayColumns, readRowArrays } from '../src/store/read/row-arrays.ts';
import type { PlainRecord } from './store-model.ts';

export interface SealedIdentity {
  readonly id: number;
  readonly kind: Kind;
  readonly name: string;
  readonly datatype: Datatype;
}

export async function seriesOfSite(connection: Connection, site: string): Promise<readonly SealedIdentity[]> {
  const sql = 'select id, kind, name, datatype from telltale.series where site = $1 order by id';
  return (await connection.query<SealedIdentity>(sql, [site])).rows;
}

/** Of some series, as if they were one. */
export async function recordsOfChunks(
  connection: Connection,
  series: readonly SealedIdentity[],
): Promise<PlainRecord[]> {
  const records: (PlainRecord & { readonly rank: readonly number[] })[] = [];
  for (const { id, datatype } of series) {
    const [bytes] = await connection.copyOut(
      `copy (select first_us, epoch, place, part, n, ${arrayColumns} from telltale.chunk where series = ${id}) to stdout (format binary)`,
    );
    const rows = new CopyReader(bytes as Buffer);
    while (rows.nextRow()) {
      const [firstUs, epoch, place, part, count] = [rows.int8(), rows.int8(), rows.int8(), rows.int4(), rows.int4()];
      const columns = new Columns();
      appendArrays(datatype, { firstUs, count }, readRowArrays(rows), columns);
      for (let at = 0; at < count; at++) {
        const time = columns.times[at] as number;
        const quality = (columns.qualities[at] as number) & ~replaces;
        records.push({ time, value: valueAt(datatype, columns, at), quality, rank: [time, epoch, place, part, at] });
      }
    }
  }
  const sorted = records.sort((a, b) => {
    const differs = a.rank.findIndex((part, at) => part !== b.rank[at]);
    return differs < 0 ? 0 : (a.rank[differs] as number) - (b.rank[differs] as number);
  });
  return sorted.map(({ time, value, quality }) => ({ time, value, quality }));
}

export async function recordsOfSql(connection: Connection, series: readonly SealedIdentity[]): Promise<PlainRecord[]> {
  const { rows } = await connection.query<{
    us: number;
    value: number | null;
    whole: string | null;
    text: string | null;
    bits: number;
    datatype: Datatype;
  }>(
    `select us, value, whole::text, text, bits, datatype from telltale.unpacked
      where series = any($1) order by us, epoch, place, part, k`,
    [series.map(({ id }) => id)],
  );
  return rows.map(({ us, value, whole, text, bits, datatype }) => {
    const held = whole !== null ? BigInt(whole) : (text ?? (value as number));
    return { time: us, value: unstored(datatype, held), quality: bits & ~replaces };
  });
}

function valueAt(datatype: Datatype, columns: Columns, at: number) {
  const { form: held } = traitsOf(datatype);
  const column = held === form.text ? columns.texts : held === form.long ? columns.longs : columns.numbers;
  return unstored(datatype, column[at] as StoredValue);
}

export interface SealedHour {
  readonly hourUs: number;
  readonly n: number;
  readonly bad: number;
  readonly notGood: number;
  readonly least: number | null;
  readonly greatest: number | null;
  readonly sum: number | null;
}

export async function hoursOf(connection: Connection, series: SealedIdentity): Promise<readonly SealedHour[]> {
  const { rows } = await connection.query<SealedHour>(
    `select (extract(epoch from hour) * 1000000)::bigint as "hourUs", n, bad, not_good as "notGood", least, greatest, sum
      from telltale.hour where series = $1 order by hour`,
    [series.id],
  );
  return rows;
}

const usAnHour = 3_600_000_000;

/** What the hours of these records have to be. */
export function plainHours({ kind, datatype }: SeriesKey, records: readonly PlainRecord[]): SealedHour[] {
  if (traitsOf(datatype).form === form.text) return [];
  const hours = Map.groupBy(records, ({ time }) => Math.floor(time / usAnHour) * usAnHour);
  return [...hours].map(([hourUs, own]) => {
    const status = ({ quality }: PlainRecord) => (kind === 'measurements' ? quality & 0xc0 : 0xc0);
    const sound = own.filter((record) => status(record) !== 0).map(({ value }) => Number(value));
    const numbers = sound.filter((value) => !Number.isNaN(value));
    return {
      hourUs,
      n: own.length,
      bad: own.length - sound.length,
      notGood: own.filter((record) => status(record) !== 0xc0).length,
      least: numbers.length === 0 ? null : Math.min(...numbers),
      greatest: numbers.length === 0 ? null : Math.max(...numbers),
      sum:
        sound.length > 0 && sound.every((value) => Math.abs(value) < 1e290) ? sound.reduce((a, b) => a + b, 0) : null,
    };
  });
}
