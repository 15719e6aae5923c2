// What a centre and its thread that takes parcels ask each other.
import type { ArchiverCounts, BusState } from '../bus/index.ts';
import type { StoredSite } from './named-sites.ts';
import type { BusSettings } from './open-bus.ts';

export interface ArchiverThread {
  open(options: OpenArchiver): void;
  /** For people. */
  nameSite(site: string, name: string): void;
  /** Resolves when what it has taken is answered. */
  close(): void;
}

export interface OpenArchiver {
  /** Of PostgreSQL. */
  readonly store: string;
  readonly bus: Pick<BusSettings, 'address' | 'files'>;
  /** As others on the bus see it. */
  readonly name: string;
}

export interface ArchiverClient {
  state(state: ArchiverState): void;
  /** What the store calls its sites, the oldest first: once it is there, and again from time to time. */
  sites(sites: readonly StoredSite[]): void;
  /** Something is wrong here; it goes on. */
  fault(error: Error): void;
}

export interface ArchiverState {
  readonly bus: BusState;
  readonly counts: ArchiverCounts;
}
