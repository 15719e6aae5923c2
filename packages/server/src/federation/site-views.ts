// What a centre answers itself of its sites: live values from a mirror, which is kept while somebody looks, and history from the store.
import type { Clock } from '@telltale/schema';
import type { Route } from '../api/index.ts';
import type { ArchiveReading } from '../archive/index.ts';
import type { LiveSite } from '../bus/index.ts';
import { LiveData } from '../operations/index.ts';

export interface SiteViewsOptions {
  readonly clock: Clock;
  readonly liveSiteOf: (site: string) => LiveSite;
  /** Undefined: there is no store. */
  readonly archiveOf: ((site: string) => ArchiveReading) | undefined;
  readonly routesOf: (view: ViewedSite) => readonly Route[];
}

/** `archive`: history; `live`: what is there now. */
export interface ViewedSite {
  readonly site: string;
  readonly data: LiveData;
  readonly archive: ArchiveReading | undefined;
  /** Whether the mirror has been whole: before that, the site is asked. */
  readonly isLive: boolean;
}

interface View {
  readonly live: LiveSite;
  readonly data: LiveData;
  /** Before and since the mirror was whole. */
  routes: readonly Route[];
  usedMs: number;
}

/** After so long without a request a mirror is not kept. */
const idleMs = 600_000;
const sweepMs = 60_000;

export class SiteViews {
  readonly #options: SiteViewsOptions;
  readonly #views = new Map<string, View>();
  #cancel = () => {};

  constructor(options: SiteViewsOptions) {
    this.#options = options;
    this.#sweepLater();
  }

  /** The mirror is begun by the first who asks. */
  routesOf(site: string): readonly Route[] {
    const view = this.#views.get(site) ?? this.#begin(site);
    view.usedMs = this.#options.clock.monotonicMs();
    return view.routes;
  }

  async stop(): Promise<void> {
    this.#cancel();
    await Promise.all(Array.from(this.#views.values(), ({ live }) => live.stop()));
    this.#views.clear();
  }

  #begin(site: string): View {
    const { liveSiteOf, archiveOf, routesOf } = this.#options;
    const live = liveSiteOf(site);
    const data = new LiveData(live);
    const archive = archiveOf?.(site);
    const view: View = { live, data, routes: routesOf({ site, data, archive, isLive: false }), usedMs: 0 };
    const stopObserving = live.observe(({ isLive }) => {
      if (!isLive) return;
      stopObserving();
      view.routes = routesOf({ site, data, archive, isLive });
    });
    this.#views.set(site, view);
    live.start();
    return view;
  }

  #sweepLater(): void {
    const { clock } = this.#options;
    this.#cancel = clock.after(sweepMs, () => {
      for (const [site, { live, usedMs }] of this.#views) {
        if (clock.monotonicMs() - usedMs < idleMs) continue;
        this.#views.delete(site);
        void live.stop();
      }
      this.#sweepLater();
    });
  }
}
