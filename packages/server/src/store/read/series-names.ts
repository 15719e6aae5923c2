// Which series the store has, by name.
import type { Datatype } from '@telltale/schema/values';
import type { Kind } from '../../archive/query/index.ts';
import type { Connections } from '../postgres/connections.ts';
import { isStorable, type SiteName } from './site-name.ts';

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
