// Puts the stages of a query together: from what there is of a name to the records of the answer.
import { form, ProblemError, traitsOf } from '@telltale/schema/values';
import type { ReadRequest } from '../archive-access.ts';
import type { Series } from '../records.ts';
import { ActiveAlarms } from './active-alarms.ts';
import { Aggregation } from './aggregation.ts';
import { FilteredHead } from './filtered-head.ts';
import { HeadSearch } from './head-search.ts';
import type { NameSnapshot } from './name-snapshot.ts';
import { RecordMerge } from './record-merge.ts';
import type { RecordRuns } from './record-runs.ts';
import { Resampling } from './resampling.ts';
import { FilteredRuns } from './simulated-filter.ts';
import { Thinning } from './thinning.ts';
import { WarpedHead } from './warped-head.ts';

export function recordsOf(snapshot: NameSnapshot, request: ReadRequest): RecordRuns {
  const { kind, sinceUs, untilUs, resampleUs, aggregate, maxPoints, activeOnly, simulated } = request;
  const head =
    simulated === undefined ? new HeadSearch(snapshot, sinceUs) : new FilteredHead(snapshot, sinceUs, simulated);
  const merged = (givesChunks: boolean): RecordRuns => {
    const runs = new RecordMerge(snapshot.cursors(request), givesChunks || simulated !== undefined);
    return simulated === undefined ? runs : new FilteredRuns(runs, simulated, givesChunks);
  };
  const input = (givesChunks: boolean): RecordRuns => {
    let runs: RecordRuns = merged(givesChunks && activeOnly !== true);
    if (request.warpHead === true) runs = new WarpedHead(runs, head, request);
    return activeOnly === true ? new ActiveAlarms(runs) : runs;
  };
  if (resampleUs !== undefined) {
    const grid = { sinceUs, untilUs, stepUs: resampleUs };
    if (aggregate !== undefined) return new Aggregation(input(true), kind, aggregate, grid);
    const resampled = new Resampling(merged(true), head, grid);
    return activeOnly === true ? new ActiveAlarms(resampled) : resampled;
  }
  if (maxPoints !== undefined) return new Thinning(input, kind, request, maxPoints);
  return input(false);
}

/** Throws a problem where texts cannot be aggregated so. */
export function refuseUnfit({ kind, aggregate }: ReadRequest, series: readonly Series[]): void {
  if (aggregate === undefined || aggregate === 'first' || aggregate === 'last') return;
  const text = series.find(({ datatype }) => traitsOf(datatype).form === form.text);
  if (text === undefined || (aggregate === 'count' && kind !== 'alarms')) return;
  throw new ProblemError('invalid-query', `${text.name} has texts, of which there is no ${aggregate}.`, [
    { path: 'aggregate', message: 'first or last is expected of texts, or count of those that are no alarms' },
  ]);
}
