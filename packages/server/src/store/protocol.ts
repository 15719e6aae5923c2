// What the service and the thread of the store ask each other.
import type { MessagePort } from 'node:worker_threads';
import type { LinkedStoreAccess } from './linked-store.ts';
import type { SealingState } from './postgres/seal/sealing.ts';
import type { SenderState } from './sender.ts';

export interface StoreThread {
  /** `archive` leads to the thread that writes the archive. */
  open(options: OpenStore, archive: MessagePort): void;
  /** See `Sender`. */
  retry(): void;
  /** Resolves when what is under way has ended. */
  close(): void;
}

export interface OpenStore {
  /** Undefined: whoever opens it speaks to the store. */
  readonly address: string | undefined;
  readonly site: Site;
  /** See `SenderOptions`. */
  readonly areEpochsGiven: boolean;
  /** How long records are gathered for a parcel, where none wait. */
  readonly gatherMs: number;
  /** How long the store keeps records; undefined: for good. */
  readonly keepUs: number | undefined;
}

export interface Site {
  /** Never changes. */
  readonly id: string;
  /** For people. */
  readonly name: string;
}

export interface StoreClient extends LinkedStoreAccess {
  state(state: SenderState): void;
  sealing(state: SealingState): void;
}
