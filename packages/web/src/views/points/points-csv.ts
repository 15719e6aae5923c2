// Points with their values as CSV, of now or of the moment shown: for a spreadsheet, exact and without marks for people.
import { describeQuality, formatTimestamp } from '@telltale/schema/values';
import { valuesAt } from '../../data/history.ts';
import type { LiveValue } from '../../data/live-value.ts';
import type { PointList } from '../../data/point-list.ts';
import { currentValues } from '../../data/present-values.ts';
import { spreadsheetRow } from '../../parts/save-file.ts';

const head = ['kind', 'name', 'description', 'value', 'unit', 'quality', 'time', 'area', 'connector', 'datatype'];

/** Rows for each of the points, in their order. */
export async function pointsCsv(list: PointList, ids: readonly number[], at: number | undefined): Promise<string[]> {
  const namesOf = (kind: 'measurements' | 'commands') =>
    ids.filter((id) => list.kindAt(id) === kind).map((id) => list.nameAt(id));
  const read = (kind: 'measurements' | 'commands') =>
    at === undefined ? currentValues(kind, namesOf(kind)) : valuesAt(kind, namesOf(kind), at);
  const measurements = await read('measurements');
  const commands = await read('commands');
  const rows = ids.map((id) => {
    const kind = list.kindAt(id);
    const name = list.nameAt(id);
    const known = (kind === 'measurements' ? measurements : commands).get(name);
    const fixed = [list.eu.at(id), ...liveFields(known), list.area.at(id), list.connector.at(id), list.datatypeAt(id)];
    return spreadsheetRow([kind, name, list.descriptionAt(id), known?.value.slice(1) ?? '', ...fixed]);
  });
  // Spreadsheets take it for UTF-8 with this mark alone.
  return ['\ufeff', spreadsheetRow(head), ...rows];
}

function liveFields(known: LiveValue | undefined): [string, string] {
  if (known === undefined || known.t === 0) return ['', ''];
  const quality = known.quality === undefined ? '' : describeQuality(known.quality);
  return [quality, formatTimestamp(known.t)];
}
