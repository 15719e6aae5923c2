// The alarms of all sites at a centre, always: they are few. A mirror of each site is begun when the site is heard of.
import type { LiveSite } from '../bus/index.ts';
import type { AlarmsAtSite } from '../operations/index.ts';
import { SelectionIndex, selectableAlarms } from '../selection/index.ts';

interface Mirrored {
  readonly live: LiveSite;
  readonly selection: SelectionIndex;
}

export class LiveAlarms {
  readonly #liveSiteOf: (site: string) => LiveSite;
  readonly #mirrors = new Map<string, Mirrored>();

  constructor(liveSiteOf: (site: string) => LiveSite) {
    this.#liveSiteOf = liveSiteOf;
  }

  /** There is a site of this id. */
  heard(site: string): void {
    if (this.#mirrors.has(site)) return;
    const live = this.#liveSiteOf(site);
    this.#mirrors.set(site, { live, selection: new SelectionIndex(selectableAlarms(live.alarms)) });
    live.start();
  }

  of(site: string): AlarmsAtSite | undefined {
    const { live, selection } = this.#mirrors.get(site) ?? {};
    if (live === undefined || selection === undefined) return undefined;
    const { isLive, cause } = live.state;
    return { alarms: live.alarms, selection, isLive, cause };
  }

  async stop(): Promise<void> {
    await Promise.all(Array.from(this.#mirrors.values(), ({ live }) => live.stop()));
  }
}
