// Passwords in a file of libpq: lines of host:port:database:user:password, the first that fits counts.
import { readFileSync, statSync } from 'node:fs';
import { BadAddress } from './address.ts';

export interface PasswordFor {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/** Undefined: the file has none for this. Throws `BadAddress` where others may read the file, and the system's error. */
export function passwordIn(path: string, wanted: PasswordFor): string | undefined {
  if ((statSync(path).mode & 0o077) !== 0) {
    throw new BadAddress(`others may read the passwords in ${path}, which is not used therefore: chmod 600 ${path}`);
  }
  const host = wanted.host.startsWith('/') ? 'localhost' : wanted.host;
  const asked = [host, String(wanted.port), wanted.database, wanted.user];
  for (const line of readFileSync(path, 'utf8').split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = Array.from(line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g), ([, field = '']) => field);
    const fits = asked.every((value, at) => fields[at] === '*' || plain(fields[at]) === value);
    if (fits) return plain(fields[4]);
  }
  return undefined;
}

/** A colon or backslash has a backslash before it. */
function plain(field: string | undefined): string | undefined {
  return field?.replaceAll(/\\(.)/g, '$1');
}
