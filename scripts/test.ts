// Runs every test of the repository, or those in the files that are named, or with --long the long forms of those that have
// one; each file in a process of its own.
import { globSync } from 'node:fs';
import { availableParallelism, constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { endLeftProcesses } from './test/left-processes.ts';
import { longForms } from './test/long-forms.ts';
import { type FileResult, runTestFile } from './test/run-test-file.ts';
import { addCounts, noCounts } from './test/test-records.ts';

/** Those that take longest first. */
const everything = ['test/**/*.test.ts', 'stacks/*/{test,src}/**/*.test.ts', 'packages/*/src/**/*.test.ts'];
/** Those that measure how long something takes or how much memory: one after the other, when the others are done. */
const alone = ['test/{greedy-client,hostile-uploads,many-clients,slow-watcher,stop}.test.ts'];
/** For one file: ten times what the slowest take on a quiet machine; for a long form, a day. */
const [timeoutS, longTimeoutS] = [900, 86_400];
/** Much of what tests do is waiting. */
const filesAtOnce = Math.ceil(1.5 * availableParallelism());
const slowestShown = 10;

const { values: options, positionals: named } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    /** Named files a few at a time, as in a whole run. */
    together: { type: 'boolean', default: false },
    timeout: { type: 'string' },
  },
  allowPositionals: true,
});
const timeoutMs = 1000 * Number(options.timeout ?? (options.long ? longTimeoutS : timeoutS));
const cleanup = new AsyncDisposableStack();
const folder = temporaryFolder(cleanup);
/** Servers are started hundreds of times here; compiled code speeds that up and changes nothing else. */
const env = {
  TEST_SEED: String(options.long ? Date.now() % 2 ** 31 : 1),
  ...(options.long && Object.fromEntries(longForms.map(({ variable, value }) => [variable, value]))),
  ...process.env,
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/telltale', import.meta.url)),
};
const startedMs = performance.now();
let results: FileResult[] = [];
/** Failed at first and passed when run again alone. */
let unsteady: FileResult[] = [];
const underWay = new Map<string, string>();
let runs = 0;

const filesOf = (patterns: readonly string[]) => patterns.flatMap((pattern) => globSync(pattern).sort());

async function run(files: readonly string[], atOnce: number): Promise<void> {
  const pending = files.values();
  const isShown = atOnce === 1;
  const lane = async () => {
    for (const file of pending) {
      const mark = join(folder, String(runs++));
      underWay.set(mark, file);
      if (isShown) console.log(`\n${file}`);
      const result = await runTestFile({ file, mark, timeoutMs, env, isShown });
      underWay.delete(mark);
      results.push(result);
      if (!isShown) console.log(`\n${file}\n${result.output}`);
      if (!result.isGood) console.log(result.failures);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/** A file that failed while others ran is run again, alone: only what fails then fails the run. */
async function runFailedAgain(): Promise<void> {
  const failed = results.filter(({ isGood }) => !isGood);
  results = results.filter(({ isGood }) => isGood);
  if (failed.length > 0) console.log(`\n${failed.length} files failed; each is run again, alone`);
  await run(
    failed.map(({ file }) => file),
    1,
  );
  unsteady = failed.filter(({ file }) => results.some((result) => result.file === file && result.isGood));
}

/** As node's own runner does, for whoever counts them; what failed is reported once more. */
function summarize(): void {
  const counts = noCounts();
  for (const result of results) addCounts(counts, result.counts);
  const failed = results.filter(({ isGood }) => !isGood);
  for (const { file, failures } of failed) console.log(`\n${file}\n${failures}`);
  for (const { file, failures } of unsteady) console.log(`\nunsteady, passed when run alone: ${file}\n${failures}`);
  const slowest = results.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, slowestShown);
  console.log('\nslowest files:');
  for (const { file, durationMs } of slowest) console.log(`${(durationMs / 1000).toFixed(1).padStart(8)} s  ${file}`);
  console.log('');
  const { tests, suites, pass, fail, cancelled, skipped, todo } = counts;
  const lines = { tests, suites, pass, fail, cancelled, skipped, todo, duration_ms: performance.now() - startedMs };
  for (const [name, value] of Object.entries(lines)) console.log(`ℹ ${name} ${value}`);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, async () => {
    console.log(`\n${signal} while running ${[...underWay.values()].join(', ') || 'nothing'}`);
    await Promise.all([...underWay.keys()].map((mark) => endLeftProcesses(mark, 0)));
    await cleanup.disposeAsync();
    process.exit(128 + constants.signals[signal]);
  });
}

const unknown = named.filter((pattern) => globSync(pattern).length === 0);
if (unknown.length > 0) {
  console.error(`there is no test file ${unknown.join(', ')}`);
  process.exit(2);
}

if (options.together) {
  await run(filesOf(named), filesAtOnce);
  await runFailedAgain();
} else if (named.length > 0) await run(filesOf(named), 1);
else if (options.long) await run(filesOf(longForms.flatMap(({ files }) => files)), 1);
else {
  const last = filesOf(alone);
  await run(
    filesOf(everything).filter((file) => !last.includes(file)),
    filesAtOnce,
  );
  await run(last, 1);
  await runFailedAgain();
}
if (options.long) console.log(`TEST_SEED=${env.TEST_SEED}`);
summarize();
await cleanup.disposeAsync();
process.exit(results.every(({ isGood }) => isGood) ? 0 : 1);
