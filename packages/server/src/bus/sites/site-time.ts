// What time it is at a site, as far as its heartbeats tell: never later than it is there, however long they were on their way.

/** Monotonic clocks of two computers drift apart by less than this: so much of what was best once is forgotten. */
const driftShare = 5e-4;

export class SiteTime {
  /** By the clocks of the site and of this computer. */
  #siteMs = 0;
  #heardMs = Number.NEGATIVE_INFINITY;
  /** The largest difference of the two so far: of the heartbeat that was fastest. */
  #bestMs = Number.NEGATIVE_INFINITY;

  /** The site said its time, and that was heard now. */
  hear(siteMs: number, nowMs: number): void {
    const driftMs = this.#bestMs === Number.NEGATIVE_INFINITY ? 0 : driftShare * (nowMs - this.#heardMs);
    this.#bestMs = Math.max(siteMs - nowMs, this.#bestMs - driftMs);
    this.#siteMs = siteMs;
    this.#heardMs = nowMs;
  }

  /** Not later than it is there: by as much earlier as the last heartbeat was on its way. */
  atSiteMs(nowMs: number): number {
    return this.#siteMs + (nowMs - this.#heardMs);
  }

  /** How long ago the site was there at the least: since it was heard, and how much longer than others that was on its way. */
  ageMs(nowMs: number): number {
    return nowMs - this.#heardMs + (this.#bestMs - (this.#siteMs - this.#heardMs));
  }
}
