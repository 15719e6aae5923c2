// Which series the numbers of an epoch are. A series stays the same when it is renamed, and when the site begins another epoch.
import type { Series } from '../../archive/index.ts';
import type { Connection } from './connection.ts';

interface Known {
  readonly number: number;
  readonly series: number;
}

interface Candidate {
  readonly id: number;
  readonly at: number;
}

/** Within the transaction that stores their parcel and has locked the site. */
export async function declareSeries(
  connection: Connection,
  site: string,
  epoch: number,
  declared: readonly Series[],
): Promise<void> {
  // The last word on each number counts.
  const series = [...new Map(declared.map((each) => [each.number, each])).values()];
  const { rows: known } = await connection.query<Known>(
    'select number, series from telltale.stream_series where site = $1 and epoch = $2 and number = any($3)',
    [site, epoch, series.map(({ number }) => number)],
  );
  const idOf = new Map(known.map(({ number, series: id }) => [number, id]));
  const renamed = series.filter(({ number }) => idOf.has(number));
  if (renamed.length > 0) {
    await connection.query(
      `update telltale.series set name = given.name from unnest($1::bigint[], $2::text[]) as given (id, name)
        where series.id = given.id`,
      [renamed.map(({ number }) => idOf.get(number)), renamed.map(({ name }) => name)],
    );
  }
  const added = series.filter(({ number }) => !idOf.has(number));
  if (added.length > 0) await add(connection, site, epoch, added);
}

/** Each is one that the site had in another epoch by the same name, or a new one. */
async function add(connection: Connection, site: string, epoch: number, series: readonly Series[]): Promise<void> {
  const columns = [
    series.map(({ kind }) => kind),
    series.map(({ name }) => name),
    series.map(({ datatype }) => datatype),
  ];
  const { rows: candidates } = await connection.query<Candidate>(
    `select series.id, min(wanted.at)::integer as at
      from unnest($3::text[], $4::text[], $5::text[]) with ordinality as wanted (kind, name, datatype, at)
      join telltale.series using (kind, name, datatype)
      where site = $1 and not exists (
        select from telltale.stream_series taken where taken.site = $1 and taken.epoch = $2 and taken.series = series.id)
      group by series.id order by series.id`,
    [site, epoch, ...columns],
  );
  const ids: (number | undefined)[] = series.map(() => undefined);
  for (const { id, at } of candidates) ids[at - 1] ??= id;
  const missing = series.flatMap((_, at) => (ids[at] === undefined ? [at] : []));
  if (missing.length > 0) {
    const { rows } = await connection.query<{ id: number }>(
      "select nextval('telltale.series_id_seq') as id from generate_series(1, $1)",
      [missing.length],
    );
    for (const [index, at] of missing.entries()) ids[at] = rows[index]?.id;
    await connection.query(
      `insert into telltale.series (id, site, kind, name, datatype) overriding system value
        select id, $1, kind, name, datatype from unnest($2::bigint[], $3::text[], $4::text[], $5::text[])
          as given (id, kind, name, datatype)`,
      [site, missing.map((at) => ids[at]), ...columns.map((column) => missing.map((at) => column[at]))],
    );
  }
  await connection.query(
    `insert into telltale.stream_series (site, epoch, number, series)
      select $1, $2, number, series from unnest($3::bigint[], $4::bigint[]) as given (number, series)`,
    [site, epoch, series.map(({ number }) => number), ids],
  );
}
