// What both ways of moving an archive have in common.
import type { Clock } from '@telltale/schema';
import type { Logger } from 'pino';
import { Archive, type Kind } from '../archive/index.ts';
import type { RecordSource } from './name-sums.ts';

export interface Move {
  /** The data folder of a server that is stopped. */
  readonly folder: string;
  /** What the store has of the site; called once, when it is to be read. */
  readonly openStore: () => Promise<StoreRecords>;
  readonly clock: Clock;
  readonly log: Logger;
  /** What was moved before stays. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: MoveProgress) => void;
}

export interface StoreRecords extends RecordSource {
  /** Records, about. */
  readonly total: number;
  close(): Promise<void>;
}

/** How far it is; `waitsFor`: why nothing goes on now. */
export interface MoveProgress {
  readonly step: 'sending' | 'bringing' | 'comparing';
  /** Records. */
  readonly done: number;
  readonly total: number;
  readonly waitsFor?: string | undefined;
}

export interface MoveResult {
  readonly names: number;
  readonly records: number;
  /** Names of which the two do not have the same. */
  readonly differences: readonly MoveDifference[];
}

export interface MoveDifference {
  readonly kind: Kind;
  readonly name: string;
  /** Records in the data folder and in the store. */
  readonly here: number;
  readonly there: number;
}

export const closeMs = 20_000;
/** Of records that wait for the disk: those that are brought wait for it themselves. */
const mostPendingBytes = 1 << 30;

/** Nothing of it expires meanwhile. Rejects with `UnusableArchive`. */
export async function openArchive({ folder, clock, log }: Move, onFailure: (error: Error) => void): Promise<Archive> {
  const archive = new Archive({
    folder,
    clock,
    commitMs: 1,
    maxPendingBytes: mostPendingBytes,
    retention: { ofSeries: new Map() },
    onFailure,
    onFault: () => {},
    onWarning: (text) => log.warn(text),
  });
  await archive.open();
  return archive;
}

/** Counts records of one step, and stops where the move is to stop. */
export function counting({ onProgress, signal }: Move, step: MoveProgress['step'], total: number) {
  let done = 0;
  return (records: number) => {
    signal.throwIfAborted();
    done += records;
    onProgress({ step, done, total });
  };
}
