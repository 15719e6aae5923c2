// What the reporter of one test file tells the runner, and what the runner makes of it.
import { existsSync, readFileSync } from 'node:fs';

export type Outcome = 'pass' | 'fail' | 'cancelled' | 'skipped' | 'todo';

export type TestRecord =
  | { readonly type: 'start'; readonly test: string; readonly name: string }
  | { readonly type: 'complete'; readonly test: string; readonly isSuite: boolean; readonly outcome: Outcome }
  | { readonly type: 'end'; readonly failures: string };

export type Counts = Record<'tests' | 'suites' | Outcome, number>;

export interface Reported {
  readonly counts: Counts;
  /** Names of tests and suites that were started and had not ended. */
  readonly underWay: readonly string[];
  /** Each failed test with its error, as text. */
  readonly failures: string;
  /** Whether the file came to its end. */
  readonly isWhole: boolean;
}

export const noCounts = (): Counts => ({ tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 });

export function addCounts(all: Counts, more: Counts): void {
  for (const name of Object.keys(all) as (keyof Counts)[]) all[name] += more[name];
}

/** Nothing was reported where there is no file. The last line may be half written. */
export function readRecords(path: string): Reported {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
  const counts = noCounts();
  const underWay = new Map<string, string>();
  let failures: string | undefined;
  for (const record of lines.map((line) => JSON.parse(line) as TestRecord)) {
    if (record.type === 'start') underWay.set(record.test, record.name);
    else if (record.type === 'end') failures = record.failures;
    else {
      underWay.delete(record.test);
      counts[record.isSuite ? 'suites' : 'tests']++;
      if (!record.isSuite) counts[record.outcome]++;
    }
  }
  return { counts, underWay: [...underWay.values()], failures: failures ?? '', isWhole: failures !== undefined };
}
