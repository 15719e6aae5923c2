// How fast a counter grows, over the last 10 s or so. Updated about once a second.

const windowMs = 10_000;

export class Rate {
  readonly #samples: { readonly atMs: number; readonly count: number }[];
  #perSecond = 0;

  /** From now on, and from 0 on. */
  constructor(atMs: number) {
    this.#samples = [{ atMs, count: 0 }];
  }

  /** As of the last update. */
  get perSecond(): number {
    return this.#perSecond;
  }

  update(atMs: number, count: number): void {
    const samples = this.#samples;
    samples.push({ atMs, count });
    while (samples.length > 2 && (samples[1]?.atMs ?? 0) <= atMs - windowMs) samples.shift();
    const [first = { atMs, count }] = samples;
    const passedMs = atMs - first.atMs;
    this.#perSecond = passedMs <= 0 ? 0 : Math.round(((count - first.count) * 1_000_000) / passedMs) / 1000;
  }
}
