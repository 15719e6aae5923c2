// What a centre answers itself of its sites: live values from a mirror, which is kept while somebody looks, and history from the store.
import type { Clock } from '@telltale/schema';
import type { RoutesOfSite } from '../api/index.ts';
import type { ArchiveReading } from '../archive/index.ts';
import type { LiveSite, SiteState } from '../bus/index.ts';
import { LiveData } from '../operations/index.ts';

export interface SiteViewsOptions {
  readonly clock: Clock;
  readonly liveSiteOf: (site: string) => LiveSite;
  /** Undefined: there is no store. */
  readonly archiveOf: ((site: string) => ArchiveReading) | undefined;
  readonly stateOf: (site: string) => SiteState | undefined;
  readonly routesOf: (view: ViewedSite) => RoutesOfSite;
}

/** `archive`: history; `live`: what is there now. */
export interface ViewedSite {
  readonly site: string;
  readonly data: LiveData;
  readonly archive: ArchiveReading | undefined;
  /** Whether the mirror has been whole: before that, the site is asked. */
  readonly isLive: boolean;
  /** The site is not there: what it would be asked is answered here, as far as that is possible. */
  readonly away: (() => SiteState) | undefined;
}

interface View {
  readonly live: LiveSite;
  /** Before and since the mirror was whole. */
  routes: RoutesOfSite;
  /** While the site is not there; undefined: the mirror was not whole yet. */
  routesAway: RoutesOfSite | undefined;
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
  routesOf(site: string): RoutesOfSite {
    const view = this.#views.get(site) ?? this.#begin(site);
    view.usedMs = this.#options.clock.monotonicMs();
    return this.#options.stateOf(site)?.isUp === false ? (view.routesAway ?? view.routes) : view.routes;
  }

  async stop(): Promise<void> {
    this.#cancel();
    await Promise.all(Array.from(this.#views.values(), ({ live }) => live.stop()));
    this.#views.clear();
  }

  #begin(site: string): View {
    const { liveSiteOf, archiveOf, stateOf, routesOf } = this.#options;
    const live = liveSiteOf(site);
    const viewed = { site, data: new LiveData(live), archive: archiveOf?.(site) };
    const routes = routesOf({ ...viewed, isLive: false, away: undefined });
    const view: View = { live, routes, routesAway: undefined, usedMs: 0 };
    const stopObserving = live.observe(({ isLive }) => {
      if (!isLive) return;
      stopObserving();
      view.routes = routesOf({ ...viewed, isLive, away: undefined });
      view.routesAway = routesOf({ ...viewed, isLive, away: () => stateOf(site) as SiteState });
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
