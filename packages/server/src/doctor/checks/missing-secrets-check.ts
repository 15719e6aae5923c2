// Secrets that the configuration names and that are not there; while no server runs, since a running one says it itself.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { configurationFile } from '../../upgrade/index.ts';
import { type Check, type Finding, ok, quoted, wrong } from '../finding.ts';

const check = 'secrets';
/** A variable that names one, or one of the entries that it lists, as in `joe: authKey=file:joe`. */
const named = /(?:^|=)"?file:([A-Za-z0-9_-][A-Za-z0-9._-]{0,99})(?="?(?:[\s;]|$))/g;
const mostRows = 10_000;

export const checkMissingSecrets: Check = ({ folder, serverPid }) => {
  const path = join(folder, configurationFile.name);
  if (serverPid !== undefined || !existsSync(path) || hasLog(path)) return [];
  const files = (['connector', 'provider'] as const).flatMap((role) => filesNamed(path, role));
  const found = files.flatMap(({ role, owner, file }): Finding[] => {
    const place = join(folder, 'secrets', owner, file);
    if (existsSync(place)) return [];
    const text = `${place} is not there, and ${role} ${owner} needs it.`;
    return [
      wrong(
        check,
        text,
        `mkdir -pm 700 ${quoted(join(folder, 'secrets', owner))}; printf '%s' "$SECRET" > ${quoted(place)}`,
      ),
    ];
  });
  if (found.length > 0 || files.length === 0) return found;
  return [ok(check, `Each of the ${files.length} that the configuration names is there.`)];
};

/** What is in the log of a server that was killed is not seen without changing the file. */
function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function filesNamed(path: string, role: 'connector' | 'provider') {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1'); // so that no file beside it is made
  using sqlite = new DatabaseSync(url, { readOnly: true });
  const rows = sqlite.prepare(`SELECT name, vars FROM ${role}s WHERE vars LIKE '%file:%' LIMIT ${mostRows}`).all();
  return rows.flatMap(({ name, vars }) =>
    Object.values(JSON.parse(String(vars)) as Record<string, string>).flatMap((value) =>
      Array.from(value.matchAll(named), ([, file = '']) => ({ role, owner: String(name), file })),
    ),
  );
}
