// An installation of its own: a copy of the sources beside the libraries of this one, whose builds are its own. What a test does to
// its sources, nobody else sees.
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Scope, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { root } from './source-files.ts';

/** Its folder. */
export function makeInstallation(scope: Scope): string {
  const folder = temporaryFolder(scope);
  const isWanted = (path: string) => !path.includes('node_modules') && !/\.test\.tsx?$/.test(path);
  for (const part of ['packages', 'stacks', 'docs']) {
    cpSync(join(root, part), join(folder, part), { recursive: true, filter: isWanted });
  }
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '.cache'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    // Those of the sources are links that lead beside them.
    const isOurs = name === '@telltale';
    if (isOurs)
      cpSync(join(root, 'node_modules', name), join(modules, name), { recursive: true, verbatimSymlinks: true });
    else if (!name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  return folder;
}
