// Which rows and columns of a family are shown: by what is filtered for, sorted by, and chosen.
import type { Family } from '@telltale/schema/values';
import type { FamilyFields, Field } from '../../data/fields.ts';
import { keyField } from '../../data/fields.ts';
import type { GridSort } from '../../parts/live-grid/grid-layout.ts';
import type { FamilyDraft, Objects, RowKey } from './draft.ts';

/** As long as nobody chooses. */
const usual: Readonly<Record<Family, readonly string[]>> = {
  measurements: [
    'description',
    'datatype',
    'connectorName',
    'address',
    'euRangeLo',
    'euRangeHi',
    'eu',
    'deadband',
    'archMode',
    'area',
  ],
  commands: [
    'description',
    'datatype',
    'connectorName',
    'address',
    'euRangeLo',
    'euRangeHi',
    'eu',
    'initialValue',
    'archMode',
    'area',
  ],
  alarms: [
    'description',
    'severity',
    'trgMeasurement',
    'trgOperator',
    'trgRefValue',
    'trgHysteresis',
    'ackMode',
    'enabled',
    'area',
  ],
  connectors: ['stackName', 'wdtMeasurement', 'vars.host', 'vars.port'],
  providers: ['stackName', 'wdtMeasurement', 'vars.host', 'vars.port'],
  pictures: ['description', 'area'],
  trends: ['description', 'span', 'area'],
  'function-modules': ['description', 'executable', 'runMode', 'enabled', 'respawn', 'termToKill', 'queryTimeout'],
};

/** More columns are not offered. */
const mostColumns = 500;

/** Every column there is: fields, and the keys that maps have in some object. */
export function allColumns(family: Family, { byKey }: FamilyFields, objects: Objects): Field[] {
  const keys = new Map<string, Set<string>>();
  for (const field of byKey.values()) if (field.kind === 'map') keys.set(field.key, new Set(field.keys.keys()));
  for (const object of objects.values()) {
    for (const [map, found] of keys) {
      const value = object[map];
      if (typeof value !== 'object' || value === null || found.size >= mostColumns) continue;
      for (const key of Object.keys(value)) found.add(key);
    }
  }
  const all = [...byKey.values()].flatMap((field) =>
    field.kind === 'map' ? [...(keys.get(field.key) ?? [])].map((key) => keyField(field, key)) : [field],
  );
  const order = ['name', ...usual[family]];
  const placeOf = ({ key }: Field) => (order.includes(key) ? order.indexOf(key) : order.length);
  return all.sort((a, b) => placeOf(a) - placeOf(b));
}

export function isUsual(family: Family, column: string): boolean {
  return column === 'name' || usual[family].includes(column);
}

export interface Shown {
  readonly filter: string;
  /** `changed` or `faulty`: those alone. */
  readonly only: string;
  readonly sort: GridSort | undefined;
}

/** New rows first, in the order in which they came. Words look into all texts; `eu=m` into one field. */
export function shownRows(draft: FamilyDraft, objects: Objects, { filter, only, sort }: Shown): RowKey[] {
  const fits = filterOf(filter);
  const added = draft.added.filter((key) => only !== 'faulty' || draft.isFaulty(key));
  const found: RowKey[] = [];
  for (const key of objects.keys()) {
    if (only === 'changed' && !draft.has(key)) continue;
    if (only === 'faulty' && !draft.isFaulty(key)) continue;
    if (fits(key, draft, objects)) found.push(key);
  }
  return [...added, ...(sort === undefined ? found : sorted(found, objects, draft, sort))];
}

type Fits = (key: RowKey, draft: FamilyDraft, objects: Objects) => boolean;

function filterOf(text: string): Fits {
  const parts = text
    .toLowerCase()
    .split(/\s+/)
    .filter((part) => part !== '');
  const tests = parts.map((part): Fits => {
    const [, column, value = ''] = /^([\w.]+)=(.*)$/.exec(part) ?? [];
    if (column === undefined) return (key, _draft, objects) => haystack(key, objects).includes(part);
    return (key, draft, objects) => draft.text(key, exactColumn(column, key, objects), objects).toLowerCase() === value;
  });
  return (key, draft, objects) => tests.every((test) => test(key, draft, objects));
}

/** Columns are written as people type them; those of objects have capitals. */
function exactColumn(column: string, key: RowKey, objects: Objects): string {
  const [field = '', ...rest] = column.split('.');
  const object = objects.get(key) ?? {};
  const exact = Object.keys(object).find((each) => each.toLowerCase() === field) ?? field;
  if (rest.length === 0) return exact;
  const map = object[exact];
  const wanted = rest.join('.');
  const keys = typeof map === 'object' && map !== null ? Object.keys(map) : [];
  return `${exact}.${keys.find((each) => each.toLowerCase() === wanted) ?? wanted}`;
}

const haystacks = new WeakMap<object, string>();

function haystack(key: RowKey, objects: Objects): string {
  const object = objects.get(key);
  if (object === undefined) return '';
  let text = haystacks.get(object);
  if (text === undefined) {
    text = Object.values(object)
      .flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : [value]))
      .join('\n')
      .toLowerCase();
    haystacks.set(object, text);
  }
  return text;
}

function sorted(keys: readonly RowKey[], objects: Objects, draft: FamilyDraft, sort: GridSort): RowKey[] {
  const { column, descending } = sort;
  const rows = keys.map((key) => {
    const text = column === 'name' ? key : draft.text(key, column, objects);
    return { key, text: text.toLowerCase(), number: text.trim() === '' ? Number.NaN : Number(text) };
  });
  rows.sort((a, b) => {
    // What is not set comes last, whichever way it is sorted.
    if (a.text === '' || b.text === '') return Number(a.text === '') - Number(b.text === '');
    const order = a.number - b.number || (a.text < b.text ? -1 : a.text > b.text ? 1 : 0);
    return descending ? -order : order;
  });
  return rows.map(({ key }) => key);
}
