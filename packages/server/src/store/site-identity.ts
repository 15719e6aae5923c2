// Who this server is to a store and a bus: an id that is made once, and stays with the data folder. Its name is a setting.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile, systemDisk } from '../archive/index.ts';

const siteFileName = 'site.json';
const idPattern = /^[0-9a-f]{16}$/;

/** The message is for the person who starts the server. */
export class UnusableSite extends Error {
  override readonly name = 'UnusableSite';
}

/** Made where there is none; on disk when it returns. Throws as `siteIdIn`. */
export function siteIdOf(folder: string): string {
  const known = siteIdIn(folder);
  if (known !== undefined) return known;
  const id = randomBytes(8).toString('hex');
  becomeSite(folder, id);
  return id;
}

/** Undefined: it has none yet. Throws where the file cannot be read: another id would be another site. */
export function siteIdIn(folder: string): string | undefined {
  const path = join(folder, siteFileName);
  const known = readIfThere(path);
  return known === undefined ? undefined : idIn(known, path);
}

/** On disk when it returns. */
export function becomeSite(folder: string, id: string): void {
  replaceFile(systemDisk, folder, siteFileName, Buffer.from(`${JSON.stringify({ id })}\n`));
}

function idIn(text: string, path: string): string {
  try {
    const { id } = JSON.parse(text) as { id?: unknown };
    if (typeof id === 'string' && idPattern.test(id)) return id;
  } catch {
    // Said below.
  }
  throw new UnusableSite(
    `${path} has no id of a site: put it back from a backup, or delete it to become a new site of the store`,
  );
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
