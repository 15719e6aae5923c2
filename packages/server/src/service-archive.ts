// The archive of the service and the store that it goes to, as its settings want them.
import { hostname } from 'node:os';
import { type Clock, parseDuration, systemClock } from '@telltale/schema';
import type { Logger } from 'pino';
import { Archive, type RecordSink } from './archive/index.ts';
import type { Settings } from './settings.ts';
import { type ParcelStore, SharedStore } from './store/index.ts';

export interface ServiceArchiveOptions {
  readonly settings: Settings;
  readonly log: Logger;
  readonly onFailure: (error: Error) => void;
  readonly onFault: (reason: string | undefined) => void;
}

export function createArchive({ settings, log, onFailure, onFault }: ServiceArchiveOptions): Archive {
  return new Archive({
    folder: settings.data,
    clock: systemClock,
    commitMs: settings['archive-commit'],
    maxPendingBytes: settings['archive-buffer'],
    retention: retentionOf(settings, new Map()),
    hasOthers: settings.lease !== undefined,
    onFailure,
    onFault,
    onWarning: (text) => log.warn(`archive: ${text}`),
  });
}

export interface ServiceStoreOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Logger;
  readonly archive: Archive;
  readonly areEpochsGiven: boolean;
  /** What speaks to the store of the centre; undefined: nothing does. */
  readonly overBus: { readonly store: ParcelStore; readonly name: string } | undefined;
}

/** Undefined where there is none. */
export function createStore({ settings, overBus, ...parts }: ServiceStoreOptions): SharedStore | undefined {
  const { store, site: siteName = hostname(), 'store-interval': gatherMs } = settings;
  const keep = settings['store-retention'];
  const keepUs = keep === undefined ? undefined : parseDuration(keep);
  const at = store ?? overBus;
  return at === undefined ? undefined : new SharedStore({ at, siteName, gatherMs, keepUs, ...parts });
}

/** What a node of a site records while another one acts for it is nothing. */
export function recordsWhile(isActing: () => boolean, sink: RecordSink): RecordSink {
  const { batch } = sink;
  return {
    batch,
    refOf: (key) => sink.refOf(key),
    added: () => (isActing() ? sink.added() : batch.clear()),
  };
}

/** `ofSeries`: of those that have their own. */
export function retentionOf(settings: Settings, ofSeries: ReadonlyMap<string, number>) {
  const { 'archive-retention': text, 'archive-max-size': maxBytes } = settings;
  return { defaultUs: text === undefined ? undefined : parseDuration(text), ofSeries, maxBytes };
}
