// Runs every test of the repository, or those in the files that are named, each file in a process of its own.
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endLeftProcesses } from './test/left-processes.ts';
import { type FileResult, runTestFile } from './test/run-test-file.ts';
import { addCounts, noCounts } from './test/test-records.ts';

/** Most of what parts and stacks do in their tests is waiting: these share the machine. */
const ofParts = ['packages/*/src/**/*.test.ts', 'stacks/*/{src,test}/**/*.test.ts'];
/** Whole servers, killed and flooded: one after the other. */
const ofTheWhole = ['test/**/*.test.ts'];
/** For one file. The slowest take a minute and a half; TEST_FILE_TIMEOUT, in seconds, is for longer forms of them. */
const timeoutMs = 1000 * Number(process.env.TEST_FILE_TIMEOUT ?? 300);
const slowestShown = 10;

const named = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'telltale-test-'));
/** Servers are started hundreds of times here; compiled code speeds that up and changes nothing else. */
const env = {
  ...process.env,
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/telltale', import.meta.url)),
};
const startedMs = performance.now();
const results: FileResult[] = [];
const underWay = new Map<string, string>();

async function run(files: readonly string[], atOnce: number): Promise<void> {
  const waiting = files.values();
  const isShown = atOnce === 1;
  const lane = async () => {
    for (const file of waiting) {
      const mark = join(folder, String(results.length + underWay.size));
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

/** As node's own runner does, for whoever counts them; what failed is told once more. */
function summarize(): void {
  const counts = noCounts();
  for (const result of results) addCounts(counts, result.counts);
  const failed = results.filter(({ isGood }) => !isGood);
  for (const { file, failures } of failed) console.log(`\n${file}\n${failures}`);
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
    rmSync(folder, { recursive: true, force: true });
    process.exit(128 + constants.signals[signal]);
  });
}

if (named.length > 0) await run(named, 1);
else {
  await run(globSync(ofParts).sort(), availableParallelism());
  await run(globSync(ofTheWhole).sort(), 1);
}
summarize();
rmSync(folder, { recursive: true, force: true });
process.exit(results.every(({ isGood }) => isGood) ? 0 : 1);
