// The distinct numbers of a column, told apart by their bits: 0 and -0 are two, and so are not-a-numbers of different bits.

const leastSlots = 4096;

export class NumberDictionary {
  /** The first `count` of them. */
  numbers = new Float64Array(leastSlots / 2);
  #bits = new Int32Array(this.numbers.buffer);
  /** Hashed by bits: one more than the place, 0 where it is free. */
  #slots = new Int32Array(leastSlots);
  count = 0;

  clear(): void {
    this.count = 0;
    this.#slots.fill(0);
  }

  /** The place of a number with these bits, which is new where it has none. */
  placeOf(low: number, high: number): number {
    const slots = this.#slots;
    const bits = this.#bits;
    const mask = slots.length - 1;
    for (let slot = hash(low, high) & mask; ; slot = (slot + 1) & mask) {
      const place = (slots[slot] as number) - 1;
      if (place < 0) return this.#add(low, high, slot);
      if (bits[2 * place] === low && bits[2 * place + 1] === high) return place;
    }
  }

  /** Forgets all but the first so many. */
  cutTo(count: number): void {
    if (count === this.count) return;
    this.count = count;
    this.#slots.fill(0);
    this.#fillSlots();
  }

  #add(low: number, high: number, slot: number): number {
    const place = this.count++;
    this.#bits[2 * place] = low;
    this.#bits[2 * place + 1] = high;
    this.#slots[slot] = place + 1;
    if (this.count === this.numbers.length) this.#grow();
    return place;
  }

  /** Half of the slots stay free. */
  #grow(): void {
    const { numbers } = this;
    this.numbers = new Float64Array(2 * numbers.length);
    this.numbers.set(numbers);
    this.#bits = new Int32Array(this.numbers.buffer);
    this.#slots = new Int32Array(2 * this.numbers.length);
    this.#fillSlots();
  }

  #fillSlots(): void {
    const mask = this.#slots.length - 1;
    for (let place = 0; place < this.count; place++) {
      let slot = hash(this.#bits[2 * place] as number, this.#bits[2 * place + 1] as number) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = place + 1;
    }
  }
}

function hash(low: number, high: number): number {
  let mixed = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35);
  return mixed ^ (mixed >>> 13);
}
