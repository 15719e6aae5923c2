// What falls due when: numbers in the order of their times, as a heap in typed arrays. Each stands in it once at most.

export class DueQueue {
  #size = 0;
  #dues = new Float64Array(64);
  #numbers = new Uint32Array(64);
  /** By number, its place in the heap and one; 0: it is not there. */
  #places = new Uint32Array(64);

  get size(): number {
    return this.#size;
  }

  /** The number that is due first; -1: there is none. */
  get first(): number {
    return this.#size === 0 ? -1 : (this.#numbers[0] as number);
  }

  get firstDue(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : (this.#dues[0] as number);
  }

  has(number: number): boolean {
    return number < this.#places.length && this.#places[number] !== 0;
  }

  /** A number that is there already moves. */
  set(number: number, due: number): void {
    this.#reserve(number);
    const place = this.has(number) ? (this.#places[number] as number) - 1 : this.#size++;
    this.#settle(place, number, due);
  }

  delete(number: number): void {
    if (!this.has(number)) return;
    const place = (this.#places[number] as number) - 1;
    this.#places[number] = 0;
    const last = --this.#size;
    if (place !== last) this.#settle(place, this.#numbers[last] as number, this.#dues[last] as number);
  }

  /** Puts it where it belongs, up or down from a place that is free. */
  #settle(from: number, number: number, due: number): void {
    const dues = this.#dues;
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if ((dues[parent] as number) <= due) break;
      this.#lay(place, this.#numbers[parent] as number, dues[parent] as number);
      place = parent;
    }
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && (dues[child + 1] as number) < (dues[child] as number)) child++;
      if ((dues[child] as number) >= due) break;
      this.#lay(place, this.#numbers[child] as number, dues[child] as number);
      place = child;
    }
    this.#lay(place, number, due);
  }

  #lay(place: number, number: number, due: number): void {
    this.#dues[place] = due;
    this.#numbers[place] = number;
    this.#places[number] = place + 1;
  }

  #reserve(number: number): void {
    if (this.#size === this.#numbers.length) {
      const [dues, numbers] = [this.#dues, this.#numbers];
      this.#dues = new Float64Array(2 * this.#size);
      this.#numbers = new Uint32Array(2 * this.#size);
      this.#dues.set(dues);
      this.#numbers.set(numbers);
    }
    if (number < this.#places.length) return;
    const places = this.#places;
    this.#places = new Uint32Array(2 ** Math.ceil(Math.log2(number + 1)));
    this.#places.set(places);
  }
}
