// The store on PostgreSQL, as sites see it: takes parcels, and answers when they are committed. Sealing them is not its part.
import type { Clock } from '@telltale/schema';
import { BadParcel, decodeParcelFront, type ParcelFront } from '../../archive/parcel/index.ts';
import type { Claimed, ParcelStore, Received } from '../parcel-store.ts';
import { StoreError } from '../store-error.ts';
import { type PostgresAddress, readAddress } from './address.ts';
import type { Connection, Statement } from './connection.ts';
import { Connections } from './connections.ts';
import { declareSeries } from './declare-series.ts';
import { install } from './install.ts';

export interface PostgresStoreOptions {
  readonly address: string | PostgresAddress;
  readonly clock: Clock;
  /** Parcels that are on their way to the disk at once: of as many sites. */
  readonly most?: number;
  /** An answer that takes longer is given up. */
  readonly limitMs?: number;
}

interface StreamRow {
  readonly seq: number;
  readonly position: string;
  readonly isOver: boolean;
}

const usualMost = 8;

export class PostgresStore implements ParcelStore {
  readonly #connections: Connections;

  /** Nothing is connected before it is needed. Throws `BadAddress`. */
  constructor({ address, clock, most = usualMost, limitMs }: PostgresStoreOptions) {
    this.#connections = new Connections({
      address: typeof address === 'string' ? readAddress(address) : address,
      clock,
      session: 'read-write',
      most,
      limitMs,
      prepare: install,
    });
  }

  async newest(site: string, epoch: number): Promise<Received | undefined> {
    const stream = await this.#connections.use((connection) => streamOf(connection, site, epoch));
    return stream && received(stream);
  }

  claim(site: string, given?: number): Promise<Claimed> {
    return this.#connections.use((connection) => connection.transaction(() => begin(connection, site, given)));
  }

  async send(site: string, epoch: number, seq: number, parcel: Uint8Array): Promise<Received> {
    const front = frontOf(parcel);
    if (front.site !== site || front.epoch !== epoch || front.seq !== seq) {
      throw new StoreError('refused', `a parcel of ${front.site} came as one of ${site}: the store did not take it`);
    }
    return this.#connections.use(async (connection) => {
      if (await store(connection, front, parcel)) return { seq, position: front.position };
      const stream = await streamOf(connection, site, epoch);
      if (stream?.isOver === false) return received(stream);
      throw new StoreError(
        'epoch',
        `epoch ${epoch} of ${site} is over, or the store does not know it: another is begun`,
      );
    });
  }

  /** What sites are called, the one first that came first. */
  async sites(): Promise<readonly { readonly id: string; readonly name: string }[]> {
    const sql = 'select id, name from telltale.site order by first_seen, id';
    const { rows } = await this.#connections.use((connection) => connection.query<{ id: string; name: string }>(sql));
    return rows;
  }

  /** For people: it may change at any time. */
  async nameSite(site: string, name: string): Promise<void> {
    const sql = 'update telltale.site set name = $2 where id = $1 and name <> $2';
    await this.#connections.use((connection) => connection.query(sql, [site, name]));
  }

  close(): void {
    this.#connections.close();
  }
}

function frontOf(parcel: Uint8Array): ParcelFront {
  try {
    return decodeParcelFront(parcel);
  } catch (error) {
    if (!(error instanceof BadParcel)) throw error;
    throw new StoreError('refused', `the store did not take a parcel: ${error.message}`, error);
  }
}

function received({ seq, position, isOver }: StreamRow): Received {
  return { seq, position, isOver };
}

async function streamOf(connection: Connection, site: string, epoch: number): Promise<StreamRow | undefined> {
  const { rows } = await connection.query<StreamRow>(
    'select seq, position, ended is not null as "isOver" from telltale.stream where site = $1 and epoch = $2',
    [site, epoch],
  );
  return rows[0];
}

/** See `ParcelStore.claim`. In the transaction that has begun. */
export async function begin(connection: Connection, site: string, given: number | undefined): Promise<Claimed> {
  await connection.query('insert into telltale.site (id, name) values ($1, $1) on conflict do nothing', [site]);
  await connection.query('select from telltale.site where id = $1 for update', [site]);
  const { rows } = await connection.query<{ newest: number }>(
    'select coalesce(max(epoch), 0) as newest from telltale.stream where site = $1',
    [site],
  );
  const { newest = 0 } = rows[0] ?? {};
  const epoch = given !== undefined && (await isFree(connection, site, given)) ? given : newest + 1;
  if (given === undefined) {
    // Waits for what is being sent in the one that ends.
    await connection.query('update telltale.stream set ended = clock_timestamp() where site = $1 and ended is null', [
      site,
    ]);
  }
  await connection.query('insert into telltale.stream (site, epoch) values ($1, $2) on conflict do nothing', [
    site,
    epoch,
  ]);
  const known = await connection.query('select from telltale.stream where site = $1 and seq > 0 limit 1', [site]);
  return { epoch, isKnown: known.count > 0 };
}

/** Nothing was sent in it. */
async function isFree(connection: Connection, site: string, epoch: number): Promise<boolean> {
  const { count } = await connection.query(
    'select from telltale.stream where site = $1 and epoch = $2 and (seq > 0 or ended is not null)',
    [site, epoch],
  );
  return count === 0;
}

/** In one statement, so that it is one round trip: the parcel comes next, or nothing is changed. */
const insertParcel: Statement = {
  name: 'telltale-parcel',
  text: `with next as (
      update telltale.stream set seq = $3, position = $4, made_us = $5, received = now(), stored = $6, dropped = $7,
        discarded = $8, discarded_since_us = $9, discarded_until_us = $10, backlog = $11, oldest_unsent_us = $12
      where site = $1 and epoch = $2 and seq = $3 - 1 and ended is null
      returning site, epoch, seq, received
    )
    insert into telltale.parcel (site, epoch, seq, received, bytes) select site, epoch, seq, received, $13 from next`,
};

async function store(connection: Connection, front: ParcelFront, parcel: Uint8Array): Promise<boolean> {
  if (front.series.length === 0) return insert(connection, front, parcel);
  return connection.transaction(() => storeHere(connection, front, parcel));
}

/** In the transaction that has begun. False: another comes next. */
export async function storeHere(connection: Connection, front: ParcelFront, parcel: Uint8Array): Promise<boolean> {
  // Another node of the site may declare the same series in its epoch.
  await connection.query('select from telltale.site where id = $1 for update', [front.site]);
  const isNext = await insert(connection, front, parcel);
  if (isNext) await declareSeries(connection, front.site, front.epoch, front.series);
  return isNext;
}

async function insert(connection: Connection, front: ParcelFront, parcel: Uint8Array): Promise<boolean> {
  const { site, epoch, seq, position, madeUs, counters } = front;
  const { stored, dropped, discarded, discardedSinceUs, discardedUntilUs, backlog, oldestUnsentUs } = counters;
  const { count } = await connection.query(insertParcel, [
    site,
    epoch,
    seq,
    position,
    madeUs,
    stored,
    dropped,
    discarded,
    discardedSinceUs,
    discardedUntilUs,
    backlog,
    oldestUnsentUs,
    parcel,
  ]);
  return count === 1;
}
