// A cache of the values that were used last; the least recently used goes first.

export class Recent<Key, Value> {
  readonly #most: number;
  readonly #values = new Map<Key, Value>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: Key): Value | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) {
      this.#values.delete(key);
      this.#values.set(key, value);
    }
    return value;
  }

  /** Answers with what had to go. */
  add(key: Key, value: Value): Value | undefined {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size <= this.#most) return undefined;
    for (const [oldest, gone] of this.#values) {
      this.#values.delete(oldest);
      return gone;
    }
    return undefined;
  }
}
