// A sealer with a connection of its own.
import type { Clock } from '@telltale/schema';
import { readAddress } from '../address.ts';
import { Connections } from '../connections.ts';
import { install } from '../install.ts';
import { Sealer, type SealerOptions } from './sealer.ts';

export interface SealingOptions extends Omit<SealerOptions, 'connections'> {
  readonly address: string;
  readonly clock: Clock;
  /** An answer that takes longer is given up. */
  readonly limitMs?: number;
}

export class Sealing {
  readonly sealer: Sealer;
  readonly #connections: Connections;

  /** Nothing is connected before it is needed. Throws `BadAddress`. */
  constructor({ address, limitMs, ...options }: SealingOptions) {
    const session = 'read-write' as const;
    const { clock } = options;
    this.#connections = new Connections({
      address: readAddress(address),
      clock,
      session,
      most: 1,
      limitMs,
      prepare: install,
    });
    this.sealer = new Sealer({ ...options, connections: this.#connections });
  }

  /** What is under way is given up: it is done again by whoever seals next. */
  async end(): Promise<void> {
    const stopped = this.sealer.stop();
    this.#connections.close();
    await stopped;
  }
}
