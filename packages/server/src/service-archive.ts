// The archive of the service, as its settings want it.
import { parseDuration, systemClock } from '@telltale/schema';
import type { Logger } from 'pino';
import { Archive } from './archive/index.ts';
import type { Settings } from './settings.ts';

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
    onFailure,
    onFault,
    onWarning: (text) => log.warn(`archive: ${text}`),
  });
}

/** `ofSeries`: of those that have their own. */
export function retentionOf(settings: Settings, ofSeries: ReadonlyMap<string, number>) {
  const { 'archive-retention': text, 'archive-max-size': maxBytes } = settings;
  return { defaultUs: text === undefined ? undefined : parseDuration(text), ofSeries, maxBytes };
}
