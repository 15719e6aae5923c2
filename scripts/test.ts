// Runs every test of the repository, or those in the files that are named.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';

const patterns = ['packages/*/src/**/*.test.ts', 'stacks/*/{src,test}/**/*.test.ts', 'test/**/*.test.ts'];
const named = process.argv.slice(2);
const files = named.length > 0 ? named : globSync(patterns).sort();
const { status } = spawnSync(process.execPath, ['--test', ...files], { stdio: 'inherit' });
process.exit(status ?? 1);
