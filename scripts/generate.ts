// Writes the generated files; with --check only says which of them are not what they should be.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatedFiles, presentFile } from './generated-files.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const check = process.argv.includes('--check');
const stale = [...(await generatedFiles())].filter(([path, text]) => presentFile(path) !== text);
for (const [path, text] of stale) {
  if (check) process.stderr.write(`${path} is not up to date: run npm run generate\n`);
  else {
    mkdirSync(dirname(root + path), { recursive: true });
    writeFileSync(root + path, text);
    process.stdout.write(`wrote ${path}\n`);
  }
}
if (check && stale.length > 0) process.exit(1);
