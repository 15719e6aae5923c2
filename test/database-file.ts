// Configuration databases as files, made from one that the service itself gave: what people who upload have, and what
// an attacker can make of it. Also sends such a file without holding it in memory.
import { once } from 'node:events';
import { createReadStream, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { type Family, familyNames } from '@telltale/schema';

export interface ConfiguredObject {
  readonly family: Family;
  readonly object: Readonly<Record<string, unknown>>;
}

/** Writes `template` to `path` and lets `edit` change it, with nothing forbidden to it. */
export function writeDatabase(path: string, template: Uint8Array, edit: (sqlite: DatabaseSync) => void): void {
  writeFileSync(path, template);
  const sqlite = new DatabaseSync(path, { defensive: false, enableForeignKeyConstraints: false });
  try {
    sqlite.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA writable_schema = ON');
    edit(sqlite);
  } finally {
    sqlite.close();
  }
}

/** The same, as bytes. */
export function makeDatabase(path: string, template: Uint8Array, edit: (sqlite: DatabaseSync) => void): Uint8Array {
  try {
    writeDatabase(path, template, edit);
    return readFileSync(path);
  } finally {
    rmSync(path, { force: true });
  }
}

export function removeObjects(sqlite: DatabaseSync): void {
  for (const family of familyNames) {
    const table = family.replace('-', '_');
    const isThere = sqlite.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== undefined;
    if (isThere) sqlite.exec(`DELETE FROM ${table}`); // a file of before may not have it
  }
}

/** As the service stores it: booleans are 0 or 1, maps are JSON. */
export function insertObject(sqlite: DatabaseSync, { family, object }: ConfiguredObject): void {
  const row = { ...object, changedAt: 0, changedBy: 'someone' };
  const values = Object.values(row).map((value) => {
    if (typeof value === 'boolean') return Number(value);
    return typeof value === 'object' ? JSON.stringify(value) : (value as string | number);
  });
  const places = values.map(() => '?').join(', ');
  sqlite
    .prepare(`INSERT INTO ${family.replace('-', '_')} (${Object.keys(row).join(', ')}) VALUES (${places})`)
    .run(...values);
}

export interface UploadAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

export async function uploadFile(config: string, path: string, query = ''): Promise<UploadAnswer> {
  const request = http.request(`${config}/cfgdb/database${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-sqlite3', 'content-length': statSync(path).size },
    agent: false,
  });
  const answered = once(request, 'response') as Promise<[http.IncomingMessage]>;
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), request);
  const [response] = await answered;
  const type = response.headers['content-type'] ?? '';
  return { status: response.statusCode ?? 0, type, body: await text(response) };
}
