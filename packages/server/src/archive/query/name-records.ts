// Puts the stages of a query together: from what there is of a name to the records of the answer.
import { form, ProblemError, traitsOf } from '@telltale/schema/values';
import type { ReadRequest } from '../archive-access.ts';
import type { Series } from '../records.ts';
import { ActiveAlarms } from './active-alarms.ts';
import { aggregatesOfTexts, isOfTexts } from './aggregates.ts';
import { Aggregation } from './aggregation.ts';
import { calendarGrid } from './calendar-grid.ts';
import { FilteredHead } from './filtered-head.ts';
import type { Grid } from './grid.ts';
import { HeadSearch } from './head-search.ts';
import type { NameSnapshot } from './name-snapshot.ts';
import { NewestFirst } from './newest-first.ts';
import { RecordMerge } from './record-merge.ts';
import type { RecordRuns } from './record-runs.ts';
import { Resampling } from './resampling.ts';
import { FilteredRuns } from './simulated-filter.ts';
import { Thinning } from './thinning.ts';
import { WarpedHead } from './warped-head.ts';

export function recordsOf(snapshot: NameSnapshot, request: ReadRequest): RecordRuns {
  const { kind, sinceUs, aggregates, maxPoints, activeOnly, simulated } = request;
  if (request.newestFirst === true) return new NewestFirst(snapshot, request, simulated);
  const head = (isBefore = false) =>
    simulated === undefined
      ? new HeadSearch(snapshot, sinceUs, isBefore)
      : new FilteredHead(snapshot, sinceUs, simulated, isBefore);
  const merged = (givesChunks: boolean): RecordRuns => {
    const runs = new RecordMerge(snapshot.cursors(request), givesChunks || simulated !== undefined);
    return simulated === undefined ? runs : new FilteredRuns(runs, simulated, givesChunks);
  };
  const input = (givesChunks: boolean): RecordRuns => {
    let runs: RecordRuns = merged(givesChunks && activeOnly !== true);
    if (request.warpHead === true) runs = new WarpedHead(runs, head(), request);
    return activeOnly === true ? new ActiveAlarms(runs) : runs;
  };
  const grid = gridOf(request);
  if (grid !== undefined) {
    if (aggregates !== undefined) {
      return new Aggregation(merged(true), head(true), kind, aggregates, grid);
    }
    const resampled = new Resampling(merged(true), head(), grid);
    return activeOnly === true ? new ActiveAlarms(resampled) : resampled;
  }
  if (maxPoints !== undefined) return new Thinning(input, kind, request, maxPoints);
  return input(false);
}

/** Throws a problem where texts cannot be aggregated so. */
export function refuseUnfit({ kind, aggregates = [] }: ReadRequest, series: readonly Series[]): void {
  const unfit = aggregates.find((aggregate) => kind === 'alarms' || !isOfTexts(aggregate));
  if (unfit === undefined) return;
  const text = series.find(({ datatype }) => traitsOf(datatype).form === form.text);
  if (text === undefined) return;
  throw new ProblemError('invalid-query', `${text.name} has texts, of which there is no ${unfit}.`, [
    { path: 'aggregate', message: `of texts there are ${[...aggregatesOfTexts].join(', ')}` },
  ]);
}

/** Undefined: the answer is not resampled. */
function gridOf({ sinceUs, untilUs, resampleUs, calendar }: ReadRequest): Grid | undefined {
  if (calendar !== undefined) return calendarGrid({ sinceUs, untilUs }, calendar);
  if (resampleUs === undefined) return undefined;
  return {
    sinceUs,
    untilUs,
    by: (timeUs) => timeUs - ((timeUs - sinceUs) % resampleUs),
    after: (gridUs) => gridUs + resampleUs,
  };
}
