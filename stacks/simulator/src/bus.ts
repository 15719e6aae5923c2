// What connectors and providers of one bus say to each other. It travels by a BroadcastChannel, which reaches every
// thread of the server's process and keeps no state of its own.

import { BroadcastChannel } from 'node:worker_threads';
import type { BatchMessage, Value } from '@telltale/schema';
import type { WriteResult } from '@telltale/stack-kit';

export interface ServedTag {
  readonly tag: string;
  readonly writable: boolean;
}

export type BusMessage =
  /** From a new connector: asks all providers for their tags. */
  | { readonly kind: 'ask' }
  /** All tags of a provider, in the order that its values number them by. */
  | { readonly kind: 'serve'; readonly provider: string; readonly tags: readonly ServedTag[] }
  | { readonly kind: 'values'; readonly provider: string; readonly batch: BatchMessage }
  /** Every second: a provider that ends without a word is missed. */
  | { readonly kind: 'alive'; readonly provider: string }
  | { readonly kind: 'gone'; readonly provider: string }
  | {
      readonly kind: 'write';
      readonly provider: string;
      readonly write: string;
      readonly tag: string;
      readonly value: Value;
    }
  | { readonly kind: 'written'; readonly write: string; readonly result: WriteResult };

export const aliveMs = 1000;
/** A provider that is silent for so long is gone. */
export const silenceMs = 3000;

export interface Bus {
  say(message: BusMessage): void;
  close(): void;
}

/** Hears everybody on the bus but itself. */
export function openBus(name: string, hear: (message: BusMessage) => void): Bus {
  const channel = new BroadcastChannel(`telltale.simulator.bus.${name}`);
  channel.onmessage = (event: unknown) => hear((event as { data: BusMessage }).data);
  return {
    say: (message) => channel.postMessage(message),
    close: () => channel.close(),
  };
}
