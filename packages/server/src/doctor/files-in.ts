// The files in a folder, for checks that look at each of them.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const mostFiles = 10_000;

/** Their paths, without folders and links; none where it cannot be read. */
export function filesIn(folder: string): string[] {
  try {
    const files = readdirSync(folder, { withFileTypes: true }).filter((each) => each.isFile());
    return files.slice(0, mostFiles).map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}
