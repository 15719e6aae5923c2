// Bytes that are gathered bit by bit: in pieces, so that nothing is copied when they grow, and none of them is so large that
// making it takes long.

/** Bytes that lie behind each other. Nobody writes to them. */
export interface Gathered {
  readonly pieces: readonly Buffer[];
}

/** Gathers bytes; each step does little, and others may have their turn before the next. */
export type Gathering = Generator<void, Gathered>;

/** So many items are looked at in one step. */
export const stepItems = 64;

const leastBytes = 4 << 10;
/** Filling one takes some 50 µs. */
const mostBytes = 256 << 10;

export class Pieces {
  readonly #full: Buffer[] = [];
  /** The piece that is being filled, and how far it is. Call `reserve` before. */
  bytes = Buffer.allocUnsafe(0);
  length = 0;

  /** Makes room for so many bytes behind each other. */
  reserve(bytes: number): void {
    if (this.length + bytes <= this.bytes.length) return;
    if (this.length > 0) this.#full.push(this.bytes.subarray(0, this.length));
    const usual = Math.min(mostBytes, Math.max(leastBytes, 2 * this.bytes.length));
    this.bytes = Buffer.allocUnsafeSlow(Math.max(usual, bytes));
    this.length = 0;
  }

  byte(byte: number): void {
    this.reserve(1);
    this.bytes[this.length++] = byte;
  }

  append(bytes: Buffer): void {
    this.reserve(bytes.length);
    this.length += bytes.copy(this.bytes, this.length);
  }

  get number(): number {
    return this.#full.length;
  }

  at(number: number): Buffer {
    return this.#full[number] ?? this.bytes;
  }

  end(): Buffer[] {
    return [...this.#full, this.bytes.subarray(0, this.length)];
  }
}

/** The handles of names, each once; -1 for a name that is unknown or was there before. */
export function* handlesOf(names: Iterable<string>, find: (name: string) => number): Generator<number> {
  const seen = new Set<number>();
  for (const name of names) {
    const handle = find(name);
    yield seen.has(handle) ? -1 : handle;
    if (handle >= 0) seen.add(handle);
  }
}
