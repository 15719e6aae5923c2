// Reports from inside the process of one test file: text for people on stdout, and what the runner needs to know in the
// file that TEST_FILE_RUN names, a line of JSON each, written at once so that it is there when the process is killed.
import fs from 'node:fs';
import type { EventData } from 'node:test';
import { spec as Spec, type TestEvent } from 'node:test/reporters';

import type { Outcome, TestRecord } from './test-records.ts';

// Some tests replace functions of fs for a while.
const { openSync, writeSync } = fs;

export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const records = openSync(process.env.TEST_FILE_RUN ?? '/dev/null', 'a');
  const send = (record: TestRecord) => writeSync(records, `${JSON.stringify(record)}\n`);
  const spec = new Spec();
  for await (const event of source) {
    const record = recordOf(event);
    if (record !== undefined) send(record);
    if (isOfTheWholeFile(event)) continue;
    spec.write(event);
    for (let text = spec.read(); text !== null; text = spec.read()) yield String(text);
  }
  spec.end();
  let failures = '';
  for await (const text of spec) failures += text;
  send({ type: 'end', failures });
}

function recordOf({ type, data }: TestEvent): TestRecord | undefined {
  if (type === 'test:dequeue') return { type: 'start', test: idOf(data), name: data.name };
  if (type !== 'test:complete') return undefined;
  return { type: 'complete', test: idOf(data), isSuite: data.details.type === 'suite', outcome: outcomeOf(data) };
}

function outcomeOf({ details, skip, todo }: EventData.TestComplete): Outcome {
  if (isReported(skip)) return 'skipped';
  if (isReported(todo)) return 'todo';
  if (details.passed) return 'pass';
  const { failureType = '' } = (details.error ?? {}) as { failureType?: string };
  return ['cancelledByParent', 'testTimeoutFailure', 'testAborted'].includes(failureType) ? 'cancelled' : 'fail';
}

const isReported = (note: string | boolean | undefined) => note !== undefined && note !== false;

function idOf({ nesting, line, column, name }: { nesting: number; line?: number; column?: number; name: string }) {
  return `${nesting} ${line}:${column} ${name}`;
}

/** The counts, which the runner adds up over all files. */
function isOfTheWholeFile({ type, data }: TestEvent): boolean {
  return (
    type === 'test:summary' ||
    (type === 'test:diagnostic' && data.nesting === 0 && /^[a-z_]+ [\d.]+$/.test(data.message))
  );
}
