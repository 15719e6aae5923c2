// How the objects of a family lie in SQLite: one table a family, one column a field, derived from the schemas; and the
// canonical JSON text of an object, by which objects are compared, rendered and served.
import {
  type DurationUnit,
  extensionFamilies,
  type Family,
  type FamilyObject,
  families,
  familyNames,
  isUnset,
  ProblemError,
} from '@telltale/schema';
import type { TObject } from 'typebox';
import { configurationFile, currentFormat } from '../upgrade/index.ts';

/** Marks a file as a configuration database of this service, and says which form it has. */
export const { applicationId } = configurationFile;
export const schemaVersion = currentFormat;

export const maxObjectText = 1 << 20;

type ColumnKind = 'text' | 'integer' | 'boolean' | 'map' | 'list';

/** What a column holds: texts, and maps and lists as canonical JSON, are strings; booleans are 0 or 1. */
export type ColumnValue = string | number | null;

export interface Column {
  readonly field: string;
  readonly kind: ColumnKind;
  readonly required: boolean;
  /** Of a number that is a duration. */
  readonly unit: DurationUnit | undefined;
  /** Of the objects of a list: their fields, in order. */
  readonly itemFields: readonly string[];
  /** How the field opens in JSON: `{"name":` the first, `,"field":` another. */
  readonly opening: string;
}

export interface Table {
  readonly family: Family;
  readonly name: string;
  readonly columns: readonly Column[];
  /** Files that were written before there was the family have none. */
  readonly isOptional: boolean;
}

function columnKind(type: unknown): ColumnKind {
  if (type === 'object') return 'map';
  if (type === 'array') return 'list';
  return type === 'integer' || type === 'boolean' ? type : 'text';
}

interface FieldSchema {
  readonly type?: unknown;
  readonly items?: TObject;
  readonly 'x-unit'?: DurationUnit;
}

function tableOf(family: Family): Table {
  const schema: TObject = families[family];
  const properties = Object.entries<FieldSchema>(schema.properties);
  const columns = properties.map(([field, { type, items, 'x-unit': unit }], index) => ({
    field,
    kind: columnKind(type),
    unit,
    itemFields: Object.keys(items?.properties ?? {}),
    required: schema.required?.includes(field) ?? false,
    opening: `${index === 0 ? '{' : ','}${JSON.stringify(field)}:`,
  }));
  return { family, name: family.replaceAll('-', '_'), columns, isOptional: extensionFamilies.has(family) };
}

/** All columns by name: those of an upgraded file stand in another order. */
export function columnNames({ columns }: Table): string {
  return [...columns.map(({ field }) => field), 'changedAt', 'changedBy'].join(', ');
}

export const tables = Object.fromEntries(familyNames.map((family) => [family, tableOf(family)])) as Record<
  Family,
  Table
>;

const sqlTypes: Record<ColumnKind, string> = {
  text: 'TEXT',
  integer: 'INTEGER',
  boolean: 'INTEGER',
  map: 'TEXT',
  list: 'TEXT',
};

export function createTable({ name, columns }: Table, schema = 'main'): string {
  const lines = columns.map(({ field, kind, required }) => {
    const check = kind === 'boolean' ? ` CHECK (${field} IN (0, 1))` : '';
    return `${field} ${sqlTypes[kind]}${required ? ' NOT NULL' : ''}${check}`;
  });
  return `CREATE TABLE ${schema}.${name} (
  ${lines.join(',\n  ')},
  changedAt INTEGER NOT NULL DEFAULT 0,
  changedBy TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (name)
) STRICT, WITHOUT ROWID`;
}

/** The columns of an object that fits its schema; null fields are not set. */
export function toColumns<F extends Family>(family: F, object: FamilyObject[F]): ColumnValue[] {
  return tables[family].columns.map(({ field, kind, itemFields }) => {
    const value = (object as Record<string, unknown>)[field];
    if (isUnset(field, value)) return null;
    if (kind === 'map') return canonicalMap(value as Record<string, string>);
    if (kind === 'list') return JSON.stringify(value, [...itemFields]); // in the order of the schema
    return kind === 'boolean' ? Number(value) : (value as string | number);
  });
}

/** Keys in sorted order, made as text: a key such as `__proto__` or `10` stays an ordinary one. */
export function canonicalMap(map: Record<string, string>): string {
  let text = '';
  for (const key of Object.keys(map).sort()) {
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${JSON.stringify(map[key])}`;
  }
  return `{${text}}`;
}

/** The canonical JSON of an object: fields in the order of the schema, without those that are not set. The name is. */
export function toText({ columns }: Table, values: readonly ColumnValue[]): string {
  let text = '';
  let index = 0;
  for (const { field, kind, opening } of columns) {
    const value = values[index++];
    if (isUnset(field, value)) continue;
    text += opening;
    if (kind === 'text') text += JSON.stringify(value);
    else if (kind === 'boolean') text += value === 1 ? 'true' : 'false';
    else text += value;
  }
  return `${text}}`;
}

/** Texts that would not come back from the disk as they were sent are refused before they are stored. */
export function refuseUnstorable(object: object, text: string, at: string): void {
  if (text.length > maxObjectText) {
    const which = at === '' ? 'The object' : at;
    throw new ProblemError('object-too-large', `${which} has ${text.length} characters; at most ${maxObjectText}.`);
  }
  if (!text.includes('\\u')) return; // JSON escapes what could be unstorable, so most texts need no closer look
  const faults = Object.entries(object)
    .filter(([, value]) => texts(value).some((part) => part.includes('\0') || !part.isWellFormed()))
    .map(([field]) => ({
      path: `${at}/${field}`,
      message: 'must have neither the character U+0000 nor half of a surrogate pair',
    }));
  if (faults.length > 0) throw new ProblemError('invalid-body', 'A text cannot be stored.', faults);
}

function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.entries(value).flat().flatMap(texts) : [];
}

/** Every canonical text opens with the name. */
export function nameIn(text: string): string {
  const from = '{"name":"'.length;
  return text.slice(from, text.indexOf('"', from));
}
