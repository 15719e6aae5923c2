// A list of whole numbers that grows and is used again: no allocation once it is large enough.

export class Growing {
  length = 0;
  items = new Uint32Array(64);

  push(item: number): void {
    if (this.length === this.items.length) {
      const items = new Uint32Array(2 * this.items.length);
      items.set(this.items);
      this.items = items;
    }
    this.items[this.length++] = item;
  }
}
