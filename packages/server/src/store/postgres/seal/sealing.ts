// What a server does for a store beside sending: seals what came, and drops what has expired, with a connection of its own.
import type { Clock } from '@telltale/schema';
import { readAddress } from '../address.ts';
import { Connections } from '../connections.ts';
import { install } from '../install.ts';
import { Retention } from '../retention.ts';
import { Sealer, type SealerOptions, type SealerState } from './sealer.ts';

export interface SealingState extends SealerState {
  /** Why weeks that have expired are there still; undefined: none are. */
  readonly notDropped: string | undefined;
}

export interface SealingOptions extends Omit<SealerOptions, 'connections' | 'onState'> {
  readonly address: string;
  readonly clock: Clock;
  /** An answer that takes longer is given up. */
  readonly limitMs?: number;
  /** See `Retention`. Undefined: nothing expires. */
  readonly keepUs?: number | undefined;
  readonly onState: (state: SealingState) => void;
}

export class Sealing {
  readonly sealer: Sealer;
  readonly #connections: Connections;
  readonly #retention: Retention | undefined;

  /** Nothing is connected before it is needed. Throws `BadAddress`. */
  constructor({ address, limitMs, keepUs, onState, ...options }: SealingOptions) {
    const session = 'read-write' as const;
    const { clock } = options;
    const connections = new Connections({
      address: readAddress(address),
      clock,
      session,
      most: 1,
      limitMs,
      prepare: install,
    });
    let sealed: SealerState = { failure: undefined, parcels: 0, records: 0, damaged: 0 };
    let notDropped: string | undefined;
    const tell = () => onState({ ...sealed, notDropped });
    this.#connections = connections;
    this.sealer = new Sealer({
      ...options,
      connections,
      onState(state) {
        sealed = state;
        tell();
      },
    });
    if (keepUs === undefined) return;
    this.#retention = new Retention({
      connections,
      clock,
      keepUs,
      onFailure(failure) {
        notDropped = failure;
        tell();
      },
    });
  }

  start(): void {
    this.sealer.start();
    this.#retention?.start();
  }

  /** What is under way is given up: it is done again by whoever comes next. */
  async end(): Promise<void> {
    const stopped = [this.sealer.stop(), this.#retention?.stop()];
    this.#connections.close();
    await Promise.all(stopped);
  }
}
