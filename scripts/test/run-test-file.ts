// Runs one test file in a process of its own, to its end: when its time is up, or when it has left processes behind, these
// are named and killed, and the file has failed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { endLeftProcesses } from './left-processes.ts';
import { type Counts, readRecords } from './test-records.ts';

export interface FileOptions {
  readonly file: string;
  readonly timeoutMs: number;
  /** A path of its own: its processes are known by it, and what is reported of the tests goes there. */
  readonly mark: string;
  readonly env: NodeJS.ProcessEnv;
  /** Its output is shown as it comes; else it is kept for the result. */
  readonly isShown: boolean;
}

export interface FileResult {
  readonly file: string;
  readonly durationMs: number;
  readonly counts: Counts;
  readonly output: string;
  /** Each failed test with its error, and what was wrong with the file as a whole. */
  readonly failures: string;
  readonly isGood: boolean;
}

const reporter = fileURLToPath(new URL('file-reporter.ts', import.meta.url));
const propertySeed = fileURLToPath(new URL('property-seed.ts', import.meta.url));
/** After everything that could hold its output has been killed. */
const closeMs = 5000;

export async function runTestFile({ file, timeoutMs, mark, env, isShown }: FileOptions): Promise<FileResult> {
  const startedMs = performance.now();
  const seeding = readFileSync(file, 'utf8').includes("from 'fast-check'") ? ['--import', propertySeed] : [];
  const reporting = [`--test-reporter=${reporter}`, '--test-reporter-destination=stdout'];
  const child = spawn(process.execPath, [...seeding, ...reporting, file], {
    env: { ...env, TEST_FILE_RUN: mark },
    stdio: ['ignore', ...(isShown ? (['inherit', 'inherit'] as const) : (['pipe', 'pipe'] as const))],
  });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => output.push(chunk));
  const closed = once(child, 'close');
  const faults: string[] = [];
  const isLate = await endsLate(child, timeoutMs);
  const left = await endLeftProcesses(mark, isLate ? 0 : undefined);
  if (child.exitCode === null) child.kill('SIGKILL');
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, closeMs).unref())]);
  const { counts, underWay, failures, isWhole } = readRecords(mark);
  if (isLate) {
    const tests = underWay.length > 0 ? `under way: ${underWay.join(' > ')}` : 'no test was under way';
    faults.push(`${file} had not ended after ${timeoutMs / 1000} s and was killed; ${tests}`);
  } else if (!isWhole || (child.exitCode !== 0 && counts.fail + counts.cancelled === 0)) {
    faults.push(
      `${file} ended with ${child.signalCode ?? `code ${child.exitCode}`}${isWhole ? '' : ' before its tests did'}`,
    );
  }
  // The process of the file itself is no surprise.
  for (const { pid, command } of left.filter((each) => each.pid !== child.pid)) {
    faults.push(`${file} left process ${pid} running, which was killed: ${command}`);
  }
  if (faults.length > 0) {
    counts.tests++;
    counts.fail++;
  }
  return {
    file,
    durationMs: performance.now() - startedMs,
    counts,
    output: Buffer.concat(output).toString(),
    failures: failures + faults.map((fault) => `\n✖ ${fault}\n`).join(''),
    isGood: counts.fail + counts.cancelled === 0 && child.exitCode === 0,
  };
}

/** Resolves when it has ended, or has not within its time. */
function endsLate(child: ChildProcess, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), timeoutMs);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}
