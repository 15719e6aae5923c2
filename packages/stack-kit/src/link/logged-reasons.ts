// Which reasons of an outage are in the log: each once, and not endlessly many, however often it is tried again.

const maxReasons = 10;

export class LoggedReasons {
  readonly #reasons = new Set<string>();

  /** Whether it is to be logged; not again until the link was up. */
  isNews(reason: string): boolean {
    if (this.#reasons.has(reason) || this.#reasons.size >= maxReasons) return false;
    this.#reasons.add(reason);
    return true;
  }

  /** The link is up. */
  clear(): void {
    this.#reasons.clear();
  }
}
