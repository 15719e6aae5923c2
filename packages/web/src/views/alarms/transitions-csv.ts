// The transitions of a filter as CSV: all of the interval, also those that are not on the screen.
import { formatTimestamp } from '@telltale/schema/values';
import { readTransitions, type Transition } from '../../data/alarm-history.ts';
import { spreadsheetRow } from '../../parts/save-file.ts';
import { type HistoryFilter, wantedOf } from './history-filter.ts';

/** The form is the same in every language: programs read it. */
const columns = ['time', 'name', 'state', 'severity', 'area', 'authority', 'description'] as const;
const mostRows = 1_000_000;
/** As many as the service gives at once. */
const limit = 10_000;

export async function transitionsCsv(filter: HistoryFilter, shownUs: number, signal: AbortSignal): Promise<Blob> {
  const wanted = wantedOf(filter, shownUs);
  const parts: string[] = [spreadsheetRow(columns)];
  let before: string | undefined;
  do {
    const { rows, next } = await readTransitions(wanted, { limit, before, signal });
    for (const each of rows) parts.push(rowOf(each));
    before = next;
  } while (before !== undefined && parts.length < mostRows);
  return new Blob(parts, { type: 'text/csv' });
}

function rowOf({ t, name, state, severity, area, authority, description }: Transition): string {
  const time = formatTimestamp(t);
  return spreadsheetRow([time, name, state, `${severity ?? ''}`, area, authority, description]);
}
