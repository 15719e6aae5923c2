// Everything below a folder, with what is in each file: two listings are equal where nothing was changed.
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** From path to kind, permissions and content. */
export function folderListing(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(names.map((name) => [name, describe(join(folder, name))]));
}

function describe(path: string): string {
  const stat = lstatSync(path);
  const mode = (stat.mode & 0o777).toString(8);
  if (stat.isSymbolicLink()) return `link to ${readlinkSync(path)}`;
  if (!stat.isFile()) return `folder ${mode}`;
  return `file ${mode} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
}
