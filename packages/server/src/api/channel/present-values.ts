// Gathers the present values of very many measurements into one notification, bit by bit.
import type { WireSlots } from '../../points/index.ts';

export class PresentValues {
  readonly #wire: WireSlots;
  readonly #closing: Buffer;
  #bytes = Buffer.allocUnsafeSlow(1 << 20);
  #length: number;
  count = 0;

  constructor(wire: WireSlots, opening: Buffer, closing: Buffer) {
    this.#wire = wire;
    this.#closing = closing;
    this.#length = opening.copy(this.#bytes);
  }

  add(handle: number): void {
    const needed = this.#length + this.#wire.itemLength(handle) + this.#closing.length;
    if (needed > this.#bytes.length) {
      const bytes = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(needed)));
      this.#bytes.copy(bytes, 0, 0, this.#length);
      this.#bytes = bytes;
    }
    this.#length = this.#wire.writeItem(handle, this.#bytes, this.#length);
    this.count++;
  }

  /** Undefined where there is nothing to tell. */
  message(): Buffer | undefined {
    if (this.count === 0) return undefined;
    const end = this.#length - 1; // in the place of the last comma
    return this.#bytes.subarray(0, end + this.#closing.copy(this.#bytes, end));
  }
}
