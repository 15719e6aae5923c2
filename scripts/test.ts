// Runs every test of the repository, or those in the files that are named.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Most of what parts and stacks do in their tests is waiting: these share the machine. */
const ofParts = ['packages/*/src/**/*.test.ts', 'stacks/*/{src,test}/**/*.test.ts'];
/** Whole servers, killed and flooded: one after the other. */
const ofTheWhole = ['test/**/*.test.ts'];
const named = process.argv.slice(2);
/** Servers are started hundreds of times here; compiled code speeds that up and changes nothing else. */
const env = {
  ...process.env,
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/telltale', import.meta.url)),
};
function run(files: readonly string[], atOnce: number): boolean {
  const args = ['--test', `--test-concurrency=${atOnce}`, ...files];
  return spawnSync(process.execPath, args, { stdio: 'inherit', env }).status === 0;
}

const runs =
  named.length > 0
    ? [run(named, 1)]
    : [run(globSync(ofParts).sort(), availableParallelism()), run(globSync(ofTheWhole).sort(), 1)];
process.exit(runs.every((isGood) => isGood) ? 0 : 1);
