// Promises of what is read from a trail: exactly what a filter over all records gives, in order, page by page.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { linesIn, openTrail, startMs } from '../../test/trail-bench.ts';
import { fieldsText } from './audit-entry.ts';
import { segmentsIn } from './segments.ts';
import { type Position, type TrailFilter, type TrailQuery, TrailReader } from './trail-query.ts';

const folder = temporaryFolder(suiteCleanup());
const people = ['anna', 'ben', 'token/report', '__proto__'];
const operations = ['writeCommand', 'putMeasurement', 'signIn'];
const minuteMs = 60_000;

const trail = openTrail(folder, 3000);
for (let number = 0; number < 200; number++) {
  const entry = {
    who: people[number % 4] as string,
    kind: 'user',
    source: `10.1.0.${number % 3}`,
    operation: operations[number % 3] as string,
    object: `valve_${number % 7}`,
    new: 'ä'.repeat(number % 50),
    result: number % 5 === 0 ? 'not-allowed' : 'done',
  } as const;
  // The time of day is set back by an hour once.
  const timeMs = startMs + (number < 120 ? number : number - 60) * minuteMs;
  trail.commit([fieldsText(entry, timeMs * 1000)], timeMs);
}
trail.close();
const all = linesIn(folder).map((line) => ({ line: line.trimEnd(), record: JSON.parse(line) }));
const reader = new TrailReader(join(folder, 'audit'));

async function pages(query: TrailQuery): Promise<string[]> {
  const lines: string[] = [];
  let from: Position | undefined;
  do {
    const page = await reader.page(query, from);
    assert.ok(page.lines.length <= query.limit);
    lines.push(...page.lines);
    from = page.next;
  } while (from !== undefined);
  return lines;
}

function expected({ since, until, before = Number.POSITIVE_INFINITY, isNewestFirst, ...query }: TrailQuery): string[] {
  const isMeant = (name: 'who' | 'object' | 'operation' | 'result' | 'source', value: string) => {
    const wanted = query[name];
    if (wanted === undefined) return true;
    return wanted.endsWith('*') ? value?.startsWith(wanted.slice(0, -1)) === true : value === wanted;
  };
  const found = all.filter(
    ({ record: { seq, time, who, object, operation, result, source } }) =>
      seq < before &&
      (since === undefined || time >= since) &&
      (until === undefined || time < until) &&
      isMeant('who', who) &&
      isMeant('object', object) &&
      isMeant('operation', operation) &&
      isMeant('result', result) &&
      isMeant('source', source),
  );
  const lines = found.map(({ line }) => line);
  return isNewestFirst ? lines.reverse() : lines;
}

describe('a reading of the trail', () => {
  test('gives what a filter over all records gives, whatever is asked for and however long its pages are', async () => {
    const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
    const time = fc.integer({ min: -10, max: 210 }).map((at) => new Date(startMs + at * minuteMs).toISOString());
    const filter: fc.Arbitrary<TrailFilter> = fc.record({
      since: maybe(time),
      until: maybe(time),
      who: maybe(fc.constantFrom(...people, 'to*', 'nobody', '*', '')),
      object: maybe(fc.constantFrom('valve_1', 'valve_*', 'none')),
      operation: maybe(fc.constantFrom(...operations, 's*')),
      result: maybe(fc.constantFrom('done', 'not-allowed')),
      source: maybe(fc.constantFrom('10.1.0.1', '10.1.*', 'none')),
    });
    const query = fc
      .tuple(filter, fc.boolean(), fc.integer({ min: 1, max: 300 }), maybe(fc.integer({ min: 0, max: 300 })))
      .map(([filter, isNewestFirst, limit, before]): TrailQuery => ({ ...filter, isNewestFirst, limit, before }));
    await fc.assert(
      fc.asyncProperty(query, async (each) => {
        assert.deepEqual(await pages(each), expected(each));
      }),
    );
  });

  test('leaves out what is no record, and ends when nobody waits for it', async () => {
    appendFileSync(segmentsIn(join(folder, 'audit')).at(-1)?.path ?? '', 'not a record\n[1]\nnull\n{"torn":');
    const query = { isNewestFirst: false, limit: 1000, who: '*' };
    assert.deepEqual(await pages(query), expected(query));
    const gone = AbortSignal.abort(new Error('gone'));
    await assert.rejects(reader.page(query, undefined, gone), /gone/);
  });
});
