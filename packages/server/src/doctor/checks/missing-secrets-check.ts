// Secrets that the configuration names and that are not there; while no server runs, since a running one says it itself.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, type Finding, ok, quoted, wrong } from '../finding.ts';
import { storedVariables } from '../stored-variables.ts';

const check = 'secrets';
/** A variable that names one, or one of the entries that it lists, as in `joe: authKey=file:joe`. */
const named = /(?:^|=)"?file:([A-Za-z0-9_-][A-Za-z0-9._-]{0,99})(?="?(?:[\s;]|$))/g;

export const checkMissingSecrets: Check = (examined) => {
  const { folder } = examined;
  const files = storedVariables(examined, 'file:').flatMap(({ role, owner, value }) =>
    Array.from(value.matchAll(named), ([, file = '']) => ({ role, owner, file })),
  );
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
