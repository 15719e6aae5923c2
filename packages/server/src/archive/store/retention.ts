// Retention: from an age to the time before which records have expired. Of records with times before
// 2000 the age is unknown: they expire with their block.
import { oldestPlausibleUs, type SeriesKey, type SeriesRename } from '../records.ts';

export interface Retention {
  /** Of series without an age of their own; undefined: for ever. */
  readonly defaultUs?: number | undefined;
  /** By `kind/name`. */
  readonly ofSeries: ReadonlyMap<string, number>;
  /** Of all files; undefined: as much as there is room for. */
  readonly maxBytes?: number | undefined;
}

export const keepAll: Retention = { ofSeries: new Map() };

/** The same retentions by `kind/name`, under new names. */
export function renamedRetentions(
  ofSeries: ReadonlyMap<string, number>,
  renames: readonly SeriesRename[],
): Map<string, number> {
  const renamed = new Map(ofSeries);
  for (const { kind, from, to } of renames) {
    const us = renamed.get(`${kind}/${from}`);
    if (us === undefined) continue;
    renamed.delete(`${kind}/${from}`);
    renamed.set(`${kind}/${to}`, us);
  }
  return renamed;
}

/** Records of the series from 2000 on and before this have expired; 0: none have. */
export function cutOffOf({ defaultUs, ofSeries }: Retention, { kind, name }: SeriesKey, nowUs: number): number {
  const ageUs = ofSeries.get(`${kind}/${name}`) ?? defaultUs;
  const cutOffUs = ageUs === undefined ? 0 : nowUs - ageUs;
  return cutOffUs > oldestPlausibleUs ? cutOffUs : 0;
}

/** The record in force at a time is not looked for behind expired ones: one of these was in force, not what came before. */
export function headCutOff(timeUs: number, cutOffUs: number): number {
  return timeUs < oldestPlausibleUs ? 0 : cutOffUs;
}

/** No record of any series at or after this has expired; 0: none ever does. */
export function latestCutOff({ defaultUs, ofSeries }: Retention, nowUs: number): number {
  let shortestUs = defaultUs ?? Number.POSITIVE_INFINITY;
  for (const ageUs of ofSeries.values()) shortestUs = Math.min(shortestUs, ageUs);
  return shortestUs === Number.POSITIVE_INFINITY ? 0 : Math.max(0, nowUs - shortestUs);
}

/** All records from 2000 on and before this have expired, whatever their series; 0: some never do. */
export function earliestCutOff({ defaultUs = Number.POSITIVE_INFINITY, ofSeries }: Retention, nowUs: number): number {
  let longestUs = defaultUs;
  for (const ageUs of ofSeries.values()) longestUs = Math.max(longestUs, ageUs);
  return Math.max(0, nowUs - longestUs);
}
