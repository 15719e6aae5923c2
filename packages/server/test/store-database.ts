// Databases of a PostgreSQL for tests of the store, connections to them, and parcels to send there.
import { systemClock } from '@telltale/schema';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import type { Postgres } from '../../../test/engines/postgres.ts';
import type { Series } from '../src/archive/index.ts';
import { encodeParcel, type Parcel } from '../src/archive/parcel/index.ts';
import { readAddress } from '../src/store/postgres/address.ts';
import type { Connection } from '../src/store/postgres/connection.ts';
import { Connections } from '../src/store/postgres/connections.ts';

let databases = 0;

/** Empty; the address of its owner. */
export async function freshDatabase(postgres: Postgres): Promise<string> {
  const database = `store_${++databases}`;
  await postgres.query(`create database ${database} strategy file_copy`);
  return postgres.url('owner', { database });
}

/** One of its own, which ends with the scope. */
export async function connectTo(
  scope: Scope,
  address: string,
  session: 'any' | 'read-write' = 'any',
): Promise<Connection> {
  const connections = new Connections({ address: readAddress(address), clock: systemClock, session, most: 1 });
  cleanupOf(scope).defer(() => connections.close());
  return connections.use(async (connection) => connection);
}

export const noCounters: Parcel['counters'] = {
  stored: 0,
  dropped: 0,
  discarded: 0,
  discardedSinceUs: 0,
  discardedUntilUs: 0,
  backlog: 0,
  oldestUnsentUs: 0,
};

/** Of the site `here`, without records unless it is given some. */
export function parcelBytes(
  { epoch, seq, ...rest }: Partial<Parcel> & Pick<Parcel, 'epoch' | 'seq'>,
  known: readonly Series[] = [],
): Buffer {
  const usual = { site: 'here', madeUs: 1, counters: noCounters, series: [], erasures: [], sections: [] };
  const parcel = { ...usual, epoch, seq, position: `at ${epoch}.${seq}`, ...rest };
  const all = [...known, ...parcel.series];
  return encodeParcel(parcel, (number) => {
    const series = all.find((each) => each.number === number);
    if (series === undefined) throw new RangeError(`series ${number}`);
    return series.datatype;
  });
}
