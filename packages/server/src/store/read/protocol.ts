// What the service asks the thread that reads the store.
import type { Datatype } from '@telltale/schema/values';
import type { Begin, Kind, ReaderClient } from '../../archive/query/index.ts';
import type { StoreReadRequest } from './store-source.ts';

export interface StoreReaderThread {
  /** First. */
  open(options: OpenStoreReader): void;
  /** Answered by pages and problems. */
  read(begin: Begin<StoreReadRequest>): void;
  cancel(id: number): void;
  /** So many more pages may be made. A page was taken, and its buffer can serve again. */
  credit(id: number, pages: number, buffer: ArrayBuffer | undefined): void;
  /** Both reject with a problem where the store cannot be read. Without a site, names are `site/name`. */
  names(site: string | undefined, kind: Kind): string[];
  /** Of all sites, each as `site/name`. Rejects as these. */
  namesIn(kind: Kind, sinceUs: number, untilUs: number): NameInInterval[];
  datatypeOf(site: string | undefined, kind: Kind, name: string): Datatype | undefined;
  /** Last. */
  close(): void;
}

export interface StoreReaderClient extends ReaderClient {
  /** Of a site: it is not sealed, cannot be read, and is left out of answers. It may be told again. */
  damaged(parcel: DamagedParcel): void;
}

export interface DamagedParcel {
  readonly site: string;
  readonly epoch: number;
  readonly seq: number;
  readonly reason: string;
}

/** A name, and whether there surely are records of it in the interval: what is not sealed is not looked at. */
export interface NameInInterval {
  readonly name: string;
  readonly isSealed: boolean;
}

export interface OpenStoreReader {
  readonly address: string;
  /** An answer of the store that takes longer is given up; undefined: as usual. */
  readonly limitMs: number | undefined;
}
