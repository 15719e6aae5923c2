// The columns of a family as a table: one for each field, and one for each key of a field that is a map (`vars.host`).
import { type DurationUnit, type Family, familyNames, numericTexts } from '@telltale/schema';
import { type Column, tables } from './tables.ts';

export interface TableColumn {
  /** What the first row says: `deadband`, `vars.host`. */
  readonly heading: string;
  readonly field: string;
  /**
   * A number is a text in JSON; a map is one as a whole, in a column of its own only where it is empty. The cell of a list is its
   * JSON.
   */
  readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'map' | 'list';
  /** Of a number that is a duration: it may be written as one, such as 5m. */
  readonly unit?: DurationUnit | undefined;
  /** Of a map. */
  readonly key?: string;
}

export const nameHeading = 'name';

/** Of a table that renames objects: what they were called before. No field has a space in its name. */
export const renamedFromHeading = 'renamed from';
export const renamedFromColumn: TableColumn = { heading: renamedFromHeading, field: '', kind: 'text' };

const ofFamilies = new Map(
  familyNames.map((family) => [family, new Map(tables[family].columns.map((column) => [column.field, column]))]),
);

export function fieldsOf(family: Family): ReadonlyMap<string, Column> {
  return ofFamilies.get(family) as ReadonlyMap<string, Column>;
}

/** Undefined where the family has no such field. */
export function columnOf(family: Family, heading: string): TableColumn | undefined {
  const fields = fieldsOf(family);
  const whole = fields.get(heading);
  if (whole !== undefined) return { heading, field: heading, kind: kindOf(whole), unit: whole.unit };
  const dot = heading.indexOf('.');
  const [field, key] = [heading.slice(0, dot), heading.slice(dot + 1)];
  if (dot < 0 || key === '' || fields.get(field)?.kind !== 'map') return undefined;
  return { heading, field, kind: 'text', key };
}

function kindOf({ field, kind }: Column): TableColumn['kind'] {
  return numericTexts.has(field) ? 'number' : kind;
}

/** As people write it: `vars.NAME` for a map. */
export function headingsOf(family: Family): string[] {
  return Array.from(fieldsOf(family).values(), ({ field, kind }) => (kind === 'map' ? `${field}.NAME` : field));
}
