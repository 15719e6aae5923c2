// The transitions of a filter as CSV: all of the interval, also those that are not on the screen.
import { csvRow, formatTimestamp } from '@telltale/schema/values';
import { type Transition, TransitionReader } from '../../data/alarm-history.ts';
import { type HistoryFilter, intervalOf, transitionMatcher } from './history-filter.ts';

/** The form is the same in every language: programs read it. */
const columns = ['time', 'name', 'state', 'severity', 'area', 'authority', 'description'] as const;
const mostRows = 1_000_000;

export async function transitionsCsv(filter: HistoryFilter, shownUs: number, signal: AbortSignal): Promise<Blob> {
  const reader = new TransitionReader(intervalOf(filter, shownUs));
  const matches = transitionMatcher(filter);
  const parts: string[] = [csvRow(columns)];
  while (!reader.isDone && parts.length < mostRows) {
    for (const each of await reader.next(signal)) if (matches(each)) parts.push(rowOf(each));
  }
  return new Blob(parts, { type: 'text/csv' });
}

function rowOf({ t, name, state, severity, area, authority, description }: Transition): string {
  const time = formatTimestamp(t);
  return csvRow([time, name, state, `${severity ?? ''}`, area, authority, description]);
}
