// Raw reads after Part 11: the table of bounding values in its clause 4, and a filter over plain arrays.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HistoryRecord } from '@telltale/stack-kit';
import fc from 'fast-check';
import { type RawPlace, type RawRequest, type RawValue, readRaw } from '../src/history-raw.ts';
import { historyOf, record } from './history-in-memory.ts';

const point = { id: 1 };

async function readAll(all: readonly HistoryRecord[], request: RawRequest, most: number): Promise<RawValue[][]> {
  const history = historyOf(all);
  const pages: RawValue[][] = [];
  let place: RawPlace | undefined;
  do {
    const page = await readRaw((each) => history.read(point, each), request, most, place);
    assert.ok(page.values.length <= most);
    assert.ok(page.values.length > 0 || page.place === undefined, 'a page that is not the last has values');
    pages.push([...page.values]);
    place = page.place;
  } while (place !== undefined);
  return pages;
}

const minuteUs = 60_000_000;
const at = (clock: string) => Number(clock.split(':')[0]) * 60 * minuteUs + Number(clock.split(':')[1]) * minuteUs;
const clockOf = (us: number) => `${Math.floor(us / minuteUs / 60)}:${String((us / minuteUs) % 60).padStart(2, '0')}`;

/** Values at 5:00, 5:02, 5:03, 5:05 and 5:06. */
const stored = ['5:00', '5:02', '5:03', '5:05', '5:06'].map((clock) => record(at(clock)));

/** FIRST and LAST: the bound is missing, at the time that was asked for. */
function shown(value: RawValue): string {
  return 'missingUs' in value ? `none ${clockOf(value.missingUs)}` : clockOf(value.timeUs);
}

const rows: [start: string, end: string, count: number, bounds: boolean, returned: string][] = [
  ['5:00', '5:05', 0, true, '5:00 5:02 5:03 5:05'],
  ['5:00', '5:05', 0, false, '5:00 5:02 5:03'],
  ['5:01', '5:04', 0, true, '5:00 5:02 5:03 5:05'],
  ['5:01', '5:04', 0, false, '5:02 5:03'],
  ['5:05', '5:00', 0, true, '5:05 5:03 5:02 5:00'],
  ['5:05', '5:00', 0, false, '5:05 5:03 5:02'],
  ['5:04', '5:01', 0, true, '5:05 5:03 5:02 5:00'],
  ['5:04', '5:01', 0, false, '5:03 5:02'],
  ['4:59', '5:05', 0, true, 'none 4:59 5:00 5:02 5:03 5:05'],
  ['4:59', '5:05', 0, false, '5:00 5:02 5:03'],
  ['5:01', '5:07', 0, true, '5:00 5:02 5:03 5:05 5:06 none 5:07'],
  ['5:01', '5:07', 0, false, '5:02 5:03 5:05 5:06'],
  ['5:00', '5:00', 0, true, '5:00'],
  ['5:00', '5:00', 0, false, '5:00'],
  ['5:01', '5:01', 0, true, '5:00 5:02'],
  ['5:01', '5:01', 0, false, ''],
  ['5:00', '', 4, true, '5:00 5:02 5:03 5:05'],
  ['5:00', '', 4, false, '5:00 5:02 5:03 5:05'],
  ['5:01', '', 4, true, '5:00 5:02 5:03 5:05'],
  ['5:01', '', 4, false, '5:02 5:03 5:05 5:06'],
  ['', '5:06', 3, true, '5:06 5:05 5:03'],
  ['', '5:06', 3, false, '5:06 5:05 5:03'],
  ['', '5:04', 3, true, '5:05 5:03 5:02'],
  ['', '5:04', 3, false, '5:03 5:02 5:00'],
  ['4:48', '4:48', 0, true, 'none 4:48 5:00'],
  ['4:48', '4:48', 0, false, ''],
  ['5:10', '5:10', 0, true, '5:06 none 5:10'],
];

describe('a raw read', () => {
  for (const [start, end, count, bounds, returned] of rows) {
    const times = `from ${start || 'no time'} to ${end || 'no time'}, ${count || 'any number'}`;
    test(`gives ${returned || 'nothing'} ${times}, ${bounds ? 'with' : 'without'} bounds`, async () => {
      const request = {
        startUs: start === '' ? undefined : at(start),
        endUs: end === '' ? undefined : at(end),
        count,
        bounds,
      };
      const pages = await readAll(stored, request, 1000);
      assert.equal(pages.flat().map(shown).join(' '), returned);
    });
  }

  test('that reaches the end of the archive without an end time misses its bound a second behind the last value', async () => {
    const forwards = await readAll(stored, { startUs: at('5:05'), endUs: undefined, count: 5, bounds: true }, 1000);
    assert.deepEqual(forwards.flat().at(-1), { missingUs: at('5:06') + 1_000_000 });
    const back = await readAll(stored, { startUs: undefined, endUs: at('5:02'), count: 5, bounds: true }, 1000);
    assert.deepEqual(back.flat().at(-1), { missingUs: at('5:00') - 1_000_000 });
  });

  test('of a number of values between two times goes on with as many until it has all', async () => {
    const request = { startUs: at('5:00'), endUs: at('5:07'), count: 2, bounds: false };
    const pages = await readAll(stored, request, 1000);
    assert.deepEqual(
      pages.map((page) => page.map(shown).join(' ')),
      ['5:00 5:02', '5:03 5:05', '5:06'],
    );
  });

  test('between any times, in pages of any size and either direction, is a filter over the records', async () => {
    const time = fc.integer({ min: 1, max: 20 }).map((step) => step * minuteUs);
    const records = fc
      .array(time, { maxLength: 20 })
      .map((times) => [...times].sort((a, b) => a - b).map((each, index) => record(each, index)));
    await fc.assert(
      fc.asyncProperty(
        records,
        time,
        time,
        fc.integer({ min: 0, max: 6 }),
        fc.integer({ min: 1, max: 7 }),
        fc.boolean(),
        async (all, startUs, endUs, count, most, bounds) => {
          const pages = await readAll(all, { startUs, endUs, count, bounds }, most);
          for (const page of pages.slice(0, -1)) assert.equal(page.length, Math.min(most, count || most));
          assert.deepEqual(pages.flat(), expected(all, startUs, endUs, bounds));
        },
      ),
      { numRuns: 2000 },
    );
  });
});

/** By the words of Part 11 alone. */
function expected(all: readonly HistoryRecord[], startUs: number, endUs: number, bounds: boolean): RawValue[] {
  const flow = startUs <= endUs ? [...all] : [...all].reverse();
  const [from, to] = [startUs, endUs];
  const sign = startUs <= endUs ? 1 : -1;
  const isWithin = ({ timeUs }: HistoryRecord) =>
    from === to ? timeUs === from : sign * (timeUs - from) >= 0 && sign * (timeUs - to) < 0;
  const within = flow.filter(isWithin);
  if (!bounds) return within;
  const isAtStart = flow.some(({ timeUs }) => timeUs === from);
  const before = flow.findLast(({ timeUs }) => sign * (timeUs - from) < 0) ?? { missingUs: from };
  const after = flow.find(({ timeUs }) => sign * (timeUs - to) >= 0) ?? { missingUs: to };
  if (from === to && isAtStart) return within;
  return [...(isAtStart ? [] : [before]), ...within, after];
}
