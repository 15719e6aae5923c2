// Implements the overview: counts of the plant, shared by all who may view the same for a second, and what else a header shows.
import {
  type BusState,
  type CentreSite,
  type Clock,
  type NodeState,
  type Overview,
  type StoreState,
  toTimestamp,
} from '@telltale/schema';
import type { Caller, Rights } from '../../access/index.ts';
import type { ConfigurationDatabase } from '../../cfgdb/index.ts';
import type { FunctionModules } from '../../modules/index.ts';
import type { ArchiveStorage } from '../archive/index.ts';
import { type LiveData, type PlantCounts, plantCounts, RateMeter, type View } from '../data/index.ts';
import { rounded, type StackAccess } from '../diagnostics/index.ts';
import { ForAWhile } from '../for-a-while.ts';
import { type SitesParts, seenSites } from '../sites/index.ts';
import type { Implementations } from './implementation.ts';
import type { ServiceParts } from './service.ts';

export interface OverviewParts extends Pick<ServiceParts, 'diskFailure' | 'warnings' | 'degraded'> {
  readonly data: LiveData;
  readonly stacks: Pick<StackAccess, 'countStates' | 'valuesPerSecond'>;
  readonly modules: Pick<FunctionModules, 'names' | 'areaOf' | 'live'>;
  readonly cfgdb: Pick<ConfigurationDatabase, 'as' | 'figures'>;
  readonly archive: {
    readonly records: { readonly stored: number };
    stats(): Promise<{ readonly bytes: number }>;
  };
  readonly storage: () => Promise<ArchiveStorage>;
  readonly channelClients: () => number;
  /** Undefined where there is none. */
  readonly store: () => StoreState | undefined;
  readonly bus: () => BusState | undefined;
  readonly node: () => NodeState | undefined;
  /** Of a centre. */
  readonly sites: Pick<SitesParts, 'sites'> | undefined;
  readonly clock: Clock;
  readonly service: { readonly name: string; readonly version: string; readonly startedUs: number };
  readonly timeZone: string;
}

type Counted = PlantCounts & Pick<Overview, 'connectors' | 'providers' | 'function-modules'>;
type Revision = NonNullable<Overview['configuration']>['revision'];

const countsMs = 1000;
const diskMs = 5000;

export function overview(parts: OverviewParts) {
  const { data, stacks, modules, cfgdb, archive, clock, diskFailure, warnings } = parts;
  const { name, version, startedUs } = parts.service;
  const ofAll = new ForAWhile<Counted | undefined>(clock, countsMs);
  const ofViews = new WeakMap<View, ForAWhile<Counted | undefined>>();
  const ofDisk = new ForAWhile<Pick<NonNullable<Overview['plant']>, DiskFigure>>(clock, diskMs);
  const stored = new RateMeter(clock, () => archive.records.stored);
  const edits = new WeakMap<Rights, { readonly version: string; readonly count: Promise<number> }>();
  let running: { readonly id: number; readonly revision: Promise<Revision> } | undefined;

  const countsOf = (rights: Rights, view: View | undefined): Promise<Counted | undefined> => {
    const known = (view === undefined ? ofAll : ofViews.get(view)) ?? new ForAWhile(clock, countsMs);
    if (view !== undefined) ofViews.set(view, known);
    return known.get(async () => {
      const plant = await data.slices.run(plantCounts(data, view));
      return (
        plant && {
          ...plant,
          connectors: stacks.countStates('connector', rights),
          providers: stacks.countStates('provider', rights),
          'function-modules': countModules(modules, rights),
        }
      );
    });
  };

  const figuresOfDisk = () =>
    ofDisk.get(async () => {
      const [{ bytes }, { disk, maxBytes }] = await Promise.all([archive.stats(), parts.storage()]);
      return {
        'disk-bytes': disk?.sizeBytes ?? null,
        'disk-free-bytes': disk?.freeBytes ?? null,
        'archive-bytes': bytes,
        'archive-max-bytes': maxBytes ?? null,
      };
    });

  const runningRevision = (caller: Caller, id: number): Promise<Revision> => {
    if (running?.id === id) return running.revision;
    const found = cfgdb
      .as(caller)
      .call('revisions')
      .then((all) => all.find((each) => each.running))
      .then((each) => (each === undefined ? null : { id: each.id, time: each.time, author: each.author }));
    running = { id, revision: found };
    found.catch(() => {
      running = undefined;
    });
    return found;
  };

  const configurationFor = async (caller: Caller): Promise<Overview['configuration']> => {
    const { figures } = cfgdb;
    const { rights } = caller;
    if (figures === undefined || !rights.has('read-config')) return null;
    let known = edits.get(rights);
    if (known?.version !== figures.version) {
      known = { version: figures.version, count: cfgdb.as(caller).call('countEdits') };
      edits.set(rights, known);
      known.count.catch(() => edits.delete(rights));
    }
    const [count, revision] = await Promise.all([known.count, runningRevision(caller, figures.running)]);
    const objects = rights.everywhere('read-config') ? { ...figures.objects } : null;
    return { 'up-to-date': count === 0, edits: count, revision, objects };
  };

  const plantFor = async ({ rights }: Caller): Promise<Overview['plant']> => {
    if (!rights.everywhere('view')) return null;
    return {
      'values-per-second': rounded(stacks.valuesPerSecond()),
      'records-per-second': rounded(stored.perSecond()),
      'channel-clients': parts.channelClients(),
      ...(await figuresOfDisk()),
    };
  };

  return {
    getOverview: async (_, { caller }): Promise<Overview | undefined> => {
      const [counted, configuration, plant] = await Promise.all([
        countsOf(caller.rights, data.viewOf(caller.rights)),
        configurationFor(caller),
        plantFor(caller),
      ]);
      const failure = diskFailure();
      return (
        counted && {
          service: { name, version, started: toTimestamp(startedUs) },
          t: toTimestamp(clock.now()),
          'time-zone': parts.timeZone,
          'not-ready': failure === undefined ? null : { problem: failure.problem, detail: failure.message },
          warnings: [...warnings()],
          degraded: [...parts.degraded()],
          ...counted,
          configuration,
          plant,
          store: (caller.rights.everywhere('view') && parts.store()) || null,
          bus: (caller.rights.everywhere('view') && parts.bus()) || null,
          node: (caller.rights.everywhere('view') && parts.node()) || null,
          sites: parts.sites === undefined ? null : countSites(seenSites(parts.sites.sites, caller)),
        }
      );
    },
  } satisfies Partial<Implementations>;
}

type DiskFigure = 'disk-bytes' | 'disk-free-bytes' | 'archive-bytes' | 'archive-max-bytes';

function countModules(modules: OverviewParts['modules'], rights: Rights): Overview['function-modules'] {
  const counts = { STOP: 0, INIT: 0, RUN: 0, FAIL: 0 };
  for (const name of modules.names()) {
    if (rights.on('view', name, modules.areaOf(name))) counts[modules.live(name).state]++;
  }
  return counts;
}

function countSites(sites: readonly CentreSite[]): NonNullable<Overview['sites']> {
  const up = sites.filter(({ state }) => state === 'up').length;
  return { up, down: sites.length - up };
}
