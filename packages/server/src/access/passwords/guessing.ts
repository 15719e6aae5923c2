// Slows down who guesses passwords: each failure makes the next try wait longer, by account and by source. A browser that
// has signed in before has a count of its own, so that nobody locks its user out; nobody is banned.
import { createHmac, randomBytes } from 'node:crypto';
import { type Clock, ProblemError } from '@telltale/schema';

export interface Attempted {
  /** The name that was said; whether there is such a user makes no difference. */
  readonly account: string;
  /** The address that it comes from. */
  readonly source: string;
  /** Of a browser that has signed in to this account before. */
  readonly device: string | undefined;
}

export interface Attempt {
  succeeded(): void;
  /** It came to nothing that anybody could learn from: it does not count. */
  withdrawn(): void;
}

/** How many failures cost nothing: people mistype, and many may share an address. */
const free = { account: 5, source: 20, device: 10 } as const;
const firstMs = 1000;
/** About 60 tries an hour remain. */
const mostMs = 60_000;
/** After so long without a failure, those before are forgotten. */
const forgetMs = 60 * 60_000;
/** Of each kind. Names and addresses that share one by chance share their delay. */
const counters = 1 << 16;

type Kind = keyof typeof free;

/** Fixed in size: whoever makes up names or addresses pushes nobody else's count out. */
class Counters {
  readonly failures = new Uint32Array(counters);
  readonly lastMs = new Float64Array(counters);
}

export class Guessing {
  readonly #clock: Clock;
  readonly #key: Buffer;
  readonly #of: Readonly<Record<Kind, Counters>> = {
    account: new Counters(),
    source: new Counters(),
    device: new Counters(),
  };

  /** The key spreads names over counters, so that nobody knows who shares one. */
  constructor(clock: Clock, key: Buffer = randomBytes(32)) {
    this.#clock = clock;
    this.#key = key;
  }

  /** Counts as a failure until it succeeds, so that many at once gain nothing. Throws `too-many-attempts`. */
  begin({ account, source, device }: Attempted): Attempt {
    const places: [Kind, number][] =
      device === undefined
        ? [
            ['account', this.#place(account)],
            ['source', this.#place(networkOf(source))],
          ]
        : [['device', this.#place(device)]];
    const waitMs = Math.max(...places.map(([kind, place]) => this.#waitMs(kind, place)));
    if (waitMs > 0) throw tooMany(waitMs);
    const counted = places.map(([kind, place]) => ({ kind, place, takeBack: this.#count(kind, place) }));
    return {
      succeeded: () => {
        for (const { kind, place, takeBack } of counted) {
          takeBack();
          // The earlier failures of the source stay: whoever has one account could guess at others in between.
          if (kind !== 'source') this.#of[kind].failures[place] = 0;
        }
      },
      withdrawn: () => {
        for (const { takeBack } of counted) takeBack();
      },
    };
  }

  #place(text: string): number {
    return createHmac('sha256', this.#key).update(text).digest().readUInt32BE(0) % counters;
  }

  /** One more failure; returns what takes it back. */
  #count(kind: Kind, place: number): () => void {
    const { failures, lastMs } = this.#of[kind];
    const [nowMs, beforeMs] = [this.#clock.monotonicMs(), lastMs[place] ?? 0];
    failures[place] = nowMs - beforeMs >= forgetMs ? 1 : (failures[place] ?? 0) + 1;
    lastMs[place] = nowMs;
    return () => {
      failures[place] = Math.max(0, (failures[place] ?? 0) - 1);
      if (lastMs[place] === nowMs) lastMs[place] = beforeMs;
    };
  }

  #waitMs(kind: Kind, place: number): number {
    const { failures, lastMs } = this.#of[kind];
    const beyond = (failures[place] ?? 0) - free[kind];
    if (beyond < 0) return 0;
    const delayMs = Math.min(mostMs, firstMs * 2 ** beyond);
    return Math.max(0, (lastMs[place] ?? 0) + delayMs - this.#clock.monotonicMs());
  }
}

/** An IPv6 host has as many addresses as it likes in its network of 64 bits. */
function networkOf(source: string): string {
  const address = source.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - groups.length - after.length)).fill('0');
  const all = [...groups, ...zeros, ...after].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${all.join(':')}::/64`;
}

function tooMany(waitMs: number): ProblemError {
  const seconds = Math.ceil(waitMs / 1000);
  return new ProblemError('too-many-attempts', `Try again in ${seconds} s.`, undefined, seconds);
}
