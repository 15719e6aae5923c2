// Takes the data folder, finds the site in the store, and has one moved to the other.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Clock, ProblemError } from '@telltale/schema';
import type { Logger } from 'pino';
import { takeDataFolder } from '../data-folder.ts';
import { createStore } from '../service-archive.ts';
import type { Settings } from '../settings.ts';
import { cannotStart, StartFailed } from '../start-failed.ts';
import {
  becomeSite,
  examineStore,
  type KnownSite,
  type SharedStore,
  StoreArchive,
  StoreError,
  siteIdIn,
  sitesOfStore,
} from '../store/index.ts';
import { upgradeFolder } from '../upgrade/index.ts';
import type { Move, MoveProgress, MoveResult, StoreRecords } from './move.ts';
import { ArchiveInTheWay, moveFromStore } from './move-from-store.ts';
import { moveToStore } from './move-to-store.ts';

export interface MoveArchive {
  readonly direction: 'to' | 'from';
  /** With a store. */
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: MoveProgress) => void;
}

export interface Moved extends MoveResult {
  readonly site: Pick<KnownSite, 'id' | 'name'>;
}

/** Rejects with `StartFailed` where whoever moves it can do something about it. */
export async function moveArchive(asked: MoveArchive): Promise<Moved> {
  const { direction, settings, clock, log } = asked;
  const { store: address = '', data } = settings;
  if (direction === 'to') {
    if (!existsSync(join(data, 'archive'))) {
      throw new StartFailed(`${resolve(data)} has no archive: name the data folder of the server with --data.`);
    }
    const faults = (await examineStore(address, clock)).filter(({ level }) => level === 'wrong');
    if (faults.length > 0) throw new StartFailed(faults.map(({ text }) => text).join(' '));
  }
  try {
    const folder = await takeDataFolder(resolve(data));
    try {
      upgradeFolder(folder.path, log);
      return direction === 'to' ? await toStore(asked, folder.path) : await fromStore(asked, folder.path);
    } finally {
      folder.release();
    }
  } catch (error) {
    if (error instanceof ArchiveInTheWay || error instanceof StoreError || error instanceof ProblemError) {
      throw new StartFailed(error.message);
    }
    throw cannotStart(error, data);
  }
}

async function toStore(asked: MoveArchive, folder: string): Promise<Moved> {
  const { settings, clock, log } = asked;
  let store: SharedStore | undefined;
  const move: Move = { ...asked, folder, openStore: async () => recordsOf(asked, store?.state.site.id ?? '', 0) };
  const result = await moveToStore(move, (archive) => {
    store = createStore({
      settings: { ...settings, data: folder },
      clock,
      log,
      archive,
      areEpochsGiven: false,
      overBus: undefined,
    }) as SharedStore;
    return store;
  });
  const { id = '', name = '' } = store?.state.site ?? {};
  return { ...result, site: { id, name } };
}

async function fromStore(asked: MoveArchive, folder: string): Promise<Moved> {
  const { id, name, records } = await siteToBring(asked, folder);
  const result = await moveFromStore({ ...asked, folder, openStore: async () => recordsOf(asked, id, records) });
  if (result.differences.length === 0) becomeSite(folder, id);
  return { ...result, site: { id, name } };
}

/** That of the folder, or the one that is named, or the only one. Throws `StartFailed`. */
async function siteToBring({ settings, clock }: MoveArchive, folder: string): Promise<KnownSite> {
  const { store: address = '', site: wanted } = settings;
  const sites = await sitesOfStore(address, clock);
  const own = siteIdIn(folder);
  const all = sites.map(({ id, name }) => `${name} (${id})`).join(', ');
  const found = sites.filter(({ id, name }) => (wanted === undefined ? id === own : id === wanted || name === wanted));
  const [site, other] = found.length === 0 && wanted === undefined && own === undefined ? sites : found;
  if (site === undefined) {
    const which = wanted ?? 'of this data folder';
    throw new StartFailed(`The store has no site ${which}: it has ${all === '' ? 'none' : all}. Name one with --site.`);
  }
  if (other !== undefined)
    throw new StartFailed(`The store has several such sites: ${all}. Name the id of one with --site.`);
  if (own !== undefined && own !== site.id) {
    throw new StartFailed(
      `${folder} is the site ${own}, and ${site.name} is ${site.id}: use an empty data folder, or remove site.json of this one.`,
    );
  }
  return site;
}

function recordsOf({ settings, clock, log }: MoveArchive, site: string, records: number): StoreRecords {
  const { store: address = '' } = settings;
  const archive = new StoreArchive({ address, clock, onFailure: (error) => log.warn(error.message) });
  return { ...archive.of(site), total: records, close: () => archive.close() };
}
