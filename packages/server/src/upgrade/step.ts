// What a step of an upgrade is, and what steps are made of.
import type { DatabaseSync } from 'node:sqlite';

/**
 * Brings a folder from the format before to `format`. Each database is changed in one transaction together with its version,
 * so that a step that was cut off is repeated for those databases alone that do not have it yet.
 */
export interface Step {
  readonly format: number;
  /** What it does, for the log. */
  readonly summary: string;
  readonly configuration?: (sqlite: DatabaseSync) => void;
  readonly state?: (sqlite: DatabaseSync) => void;
  readonly access?: (sqlite: DatabaseSync) => void;
}

/** At the end of the table; where it is there already, nothing happens. */
export function addColumn(sqlite: DatabaseSync, table: string, column: string, type: 'TEXT' | 'INTEGER'): void {
  const has = sqlite.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, column) !== undefined;
  if (!has) sqlite.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`);
}
