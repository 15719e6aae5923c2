// What the files of a packed program are called: beside the program by their paths from there, of packages by the names of
// these. No path of this machine.
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { Refused } from '../declaration.ts';

/** From each of the paths, which are from the folder of the program, to its name. */
export function nameFiles(main: string, paths: readonly string[]): Map<string, string> {
  const folder = dirname(main);
  const ownPackage = packageOf(main)?.folder;
  const nameOf = (path: string) => {
    const found = packageOf(path);
    const isOwn = path.startsWith(folder + sep) && found?.folder === ownPackage;
    if (isOwn) return relative(folder, path);
    return found === undefined ? basename(path) : join(found.name, relative(found.folder, path));
  };
  return new Map(paths.map((path) => [path, nameOf(resolve(folder, path)).split(sep).join('/')]));
}

/** The nearest that has a name. */
function packageOf(path: string): { folder: string; name: string } | undefined {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const name = packageName(join(folder, 'package.json'));
    if (name !== undefined) return { folder, name };
  }
  return undefined;
}

function packageName(manifest: string): string | undefined {
  if (!statSync(manifest, { throwIfNoEntry: false })?.isFile()) return undefined;
  const text = readFileSync(manifest, 'utf8');
  try {
    const { name } = (JSON.parse(text) ?? {}) as { name?: unknown };
    return typeof name === 'string' ? name : undefined;
  } catch (error) {
    throw new Refused(`${manifest} is not JSON: ${(error as Error).message}.`);
  }
}
