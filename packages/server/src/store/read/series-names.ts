// Which series the store has, by name.
import type { Datatype } from '@telltale/schema/values';
import type { Kind } from '../../archive/query/index.ts';
import type { Connections } from '../postgres/connections.ts';
import type { NameInInterval } from './protocol.ts';
import { isStorable, type SiteName } from './site-name.ts';
import type { Interval } from './span-sql.ts';
import { sinceOfWeek, weekOf } from './weeks.ts';

/** Rejects with a `StoreError`. The datatype of the newest one; undefined: there is none. */
export async function newestDatatype(
  connections: Connections,
  kind: Kind,
  { site, name }: SiteName,
): Promise<Datatype | undefined> {
  if (!isStorable({ site, name })) return undefined;
  const sql = `select datatype from telltale.series where site = $1 and kind = $2 and name = $3 order by id desc limit 1`;
  const { rows } = await connections.use((connection) => {
    return connection.query<{ datatype: Datatype }>(sql, [site, kind, name]);
  });
  return rows[0]?.datatype;
}

/** Sorted; without a site those of all, each as `site/name`. Rejects with a `StoreError`. */
export async function seriesNames(connections: Connections, site: string | undefined, kind: Kind): Promise<string[]> {
  if (site !== undefined && !isStorable({ site, name: '' })) return [];
  const { rows } = await connections.use((connection) => {
    return site === undefined
      ? connection.query<{ name: string }>(
          `select distinct site || '/' || name as name from telltale.series where kind = $1`,
          [kind],
        )
      : connection.query<{ name: string }>('select distinct name from telltale.series where site = $1 and kind = $2', [
          site,
          kind,
        ]);
  });
  return rows.map(({ name }) => name).sort();
}

/** Of all sites, sorted, each as `site/name`. Rejects with a `StoreError`. */
export async function namesInInterval(
  connections: Connections,
  kind: Kind,
  { sinceUs, untilUs }: Interval,
): Promise<NameInInterval[]> {
  // No row has records of two weeks.
  const weekUs = sinceOfWeek(weekOf(sinceUs));
  const { rows } = await connections.use((connection) =>
    connection.query<{ name: string; sealed: number }>(
      `select site || '/' || name as name, max(exists (select from telltale.chunk c where c.series = s.id
         and c.first_us >= $2 and c.first_us < $3 and c.last_us >= $4)::integer) as sealed
       from telltale.series s where kind = $1 group by 1`,
      [kind, `${weekUs}`, `${untilUs}`, `${sinceUs}`],
    ),
  );
  return rows.map(({ name, sealed }) => ({ name, isSealed: sealed > 0 })).sort((a, b) => (a.name < b.name ? -1 : 1));
}
