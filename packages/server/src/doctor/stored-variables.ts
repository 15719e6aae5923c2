// The variables of connectors and providers as they are stored, read without changing anything.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { configurationFile } from '../upgrade/index.ts';
import type { Examined } from './finding.ts';

export interface StoredVariable {
  readonly role: 'connector' | 'provider';
  readonly owner: string;
  readonly value: string;
}

const mostRows = 10_000;

/** Of all whose variables have the text; none while a server runs, which says itself what is wrong with them. */
export function storedVariables({ folder, serverPid }: Examined, text: string): StoredVariable[] {
  const path = join(folder, configurationFile.name);
  if (serverPid !== undefined || !existsSync(path) || hasLog(path)) return [];
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1'); // so that no file beside it is made
  using sqlite = new DatabaseSync(url, { readOnly: true });
  return (['connector', 'provider'] as const).flatMap((role) => {
    const rows = sqlite.prepare(`SELECT name, vars FROM ${role}s WHERE instr(vars, ?) > 0 LIMIT ${mostRows}`).all(text);
    return rows.flatMap(({ name, vars }) =>
      Object.values(JSON.parse(String(vars)) as Record<string, string>).map((value) => {
        return { role, owner: String(name), value };
      }),
    );
  });
}

/** What is in the log of a server that was killed is not seen without changing the file. */
function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
