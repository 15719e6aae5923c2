// The files of the repository that are source code and no tests.
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

export function sourceFiles(): string[] {
  const patterns = ['packages/*/src/**/*.{js,ts,tsx}', 'stacks/*/src/**/*.ts'];
  return globSync(patterns, { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
}
