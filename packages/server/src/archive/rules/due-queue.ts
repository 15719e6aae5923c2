// What is due when: numbers in the order of their times, as a heap in typed arrays. Each is in it once at most.

export class DueQueue {
  #size = 0;
  #dues = new Float64Array(64);
  #numbers = new Uint32Array(64);
  /** By number, its position in the heap plus one; 0: it is not there. */
  #indexes = new Uint32Array(64);

  get size(): number {
    return this.#size;
  }

  /** The number that is due first; -1: the queue is empty. */
  get first(): number {
    return this.#size === 0 ? -1 : (this.#numbers[0] as number);
  }

  get firstDue(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : (this.#dues[0] as number);
  }

  has(number: number): boolean {
    return number < this.#indexes.length && this.#indexes[number] !== 0;
  }

  /** A number that is there already moves. */
  set(number: number, due: number): void {
    this.#reserve(number);
    const index = this.has(number) ? (this.#indexes[number] as number) - 1 : this.#size++;
    this.#settle(index, number, due);
  }

  delete(number: number): void {
    if (!this.has(number)) return;
    const index = (this.#indexes[number] as number) - 1;
    this.#indexes[number] = 0;
    const last = --this.#size;
    if (index !== last) this.#settle(index, this.#numbers[last] as number, this.#dues[last] as number);
  }

  /** Sifts it up or down from a free position to its own. */
  #settle(from: number, number: number, due: number): void {
    const dues = this.#dues;
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if ((dues[parent] as number) <= due) break;
      this.#lay(index, this.#numbers[parent] as number, dues[parent] as number);
      index = parent;
    }
    for (;;) {
      let child = 2 * index + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && (dues[child + 1] as number) < (dues[child] as number)) child++;
      if ((dues[child] as number) >= due) break;
      this.#lay(index, this.#numbers[child] as number, dues[child] as number);
      index = child;
    }
    this.#lay(index, number, due);
  }

  #lay(index: number, number: number, due: number): void {
    this.#dues[index] = due;
    this.#numbers[index] = number;
    this.#indexes[number] = index + 1;
  }

  #reserve(number: number): void {
    if (this.#size === this.#numbers.length) {
      const [dues, numbers] = [this.#dues, this.#numbers];
      this.#dues = new Float64Array(2 * this.#size);
      this.#numbers = new Uint32Array(2 * this.#size);
      this.#dues.set(dues);
      this.#numbers.set(numbers);
    }
    if (number < this.#indexes.length) return;
    const indexes = this.#indexes;
    this.#indexes = new Uint32Array(2 ** Math.ceil(Math.log2(number + 1)));
    this.#indexes.set(indexes);
  }
}
