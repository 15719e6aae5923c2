// Has the store told what sites are named: one at a time, and the newest name of each, however often a site says another one.

export class SiteNames {
  readonly #tell: (site: string, name: string) => Promise<void>;
  readonly #waiting = new Map<string, string>();
  #isTelling = false;

  /** What the store was not told, or has no site for yet, it is told when the site says it again. */
  constructor(tell: (site: string, name: string) => Promise<void>) {
    this.#tell = tell;
  }

  said(site: string, name: string): void {
    this.#waiting.set(site, name);
    if (!this.#isTelling) void this.#tellAll();
  }

  async #tellAll(): Promise<void> {
    this.#isTelling = true;
    for (const [site, name] of this.#waiting) {
      this.#waiting.delete(site);
      await this.#tell(site, name).catch(() => undefined);
    }
    this.#isTelling = false;
  }
}
