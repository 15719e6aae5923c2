// What can befall bytes between a client and a device, in one direction.

export type Fault =
  | { readonly kind: 'pass' }
  /** Everything comes this much later. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Nothing comes; all of it does when the fault ends. */
  | { readonly kind: 'stall' }
  /** Nothing comes, and nothing ever will: half-open where the connection stays. */
  | { readonly kind: 'discard' }
  /** A byte at a time, so many milliseconds apart; a datagram comes whole. */
  | { readonly kind: 'drip'; readonly ms: number }
  /** One bit of it is flipped. */
  | ({ readonly kind: 'garble' } & Chance)
  /** Worse: bytes are replaced, a part is missing though more follows, or it is there twice at once. */
  | ({ readonly kind: 'mangle' } & Chance)
  /** Only the first part of it comes; a connection then ends. */
  | ({ readonly kind: 'truncate' } & Chance)
  /** A second copy comes a little later. */
  | ({ readonly kind: 'duplicate' } & Chance);

/** Which chunks or datagrams it befalls: one in so many, as the seed has it. */
export interface Chance {
  readonly oneIn: number;
  readonly seed: number;
}

export interface Faults {
  readonly toDevice?: Fault;
  readonly toClient?: Fault;
}

export type Direction = 'toDevice' | 'toClient';

export const secondCopyMs = 10;

export const pass: Fault = { kind: 'pass' };

export interface FaultCounts {
  readonly bytes: Record<Direction, number>;
  /** Chunks or datagrams that were garbled, mangled, truncated or duplicated. */
  readonly struck: number;
}

/** The fault of one direction, with its dice; what it has struck is counted. */
export class FaultDice {
  readonly fault: Fault;
  struck = 0;
  #state: number;

  constructor(fault: Fault) {
    this.fault = fault;
    this.#state = 'seed' in fault ? fault.seed >>> 0 : 0;
  }

  /** Whether this chunk is struck; counted where it is. */
  strikes(): boolean {
    if (!('oneIn' in this.fault)) return false;
    const isStruck = this.below(this.fault.oneIn) === 0;
    if (isStruck) this.struck++;
    return isStruck;
  }

  /** A whole number from 0 on (Mulberry32: the same seed, the same faults). */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  /** A copy with one bit flipped. */
  garbled(bytes: Buffer): Buffer {
    const copy = Buffer.from(bytes);
    const bit = this.below(bytes.length * 8);
    copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return copy;
  }

  mangled(bytes: Buffer): Buffer {
    switch (this.below(4)) {
      case 0:
        return this.garbled(bytes);
      case 1:
        return this.truncated(bytes);
      case 2:
        return Buffer.concat([bytes, bytes]);
      default: {
        const copy = Buffer.from(bytes);
        // Those that lengths and counts do not like.
        copy[this.below(bytes.length)] = [0, 1, 0x7f, 0x80, 0xff, this.below(256)][this.below(6)] ?? 0;
        return copy;
      }
    }
  }

  /** Some bytes of it, but not all. */
  truncated(bytes: Buffer): Buffer {
    return bytes.subarray(0, this.below(bytes.length));
  }
}

/** The fault of each direction, as it is now, and how many have struck since the start. */
export class FaultSwitch {
  #dice: Record<Direction, FaultDice> = { toDevice: new FaultDice(pass), toClient: new FaultDice(pass) };
  #struck = 0;

  /** A direction that is left out passes everything. */
  set({ toDevice = pass, toClient = pass }: Faults): void {
    this.#struck = this.struck;
    this.#dice = { toDevice: new FaultDice(toDevice), toClient: new FaultDice(toClient) };
  }

  dice(direction: Direction): FaultDice {
    return this.#dice[direction];
  }

  get struck(): number {
    return this.#struck + this.#dice.toDevice.struck + this.#dice.toClient.struck;
  }
}
