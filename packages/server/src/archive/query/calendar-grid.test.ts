import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type CalendarStep, calendarSteps } from '@telltale/schema';
import fc from 'fast-check';
import { calendarGrid, leastUsOf } from './calendar-grid.ts';
import { gridFrom } from './grid.ts';

const usOf = (iso: string) => Date.parse(iso) * 1000;

/** Where buckets begin. */
function starts(since: string, until: string, step: CalendarStep, zone: string): string[] {
  const grid = calendarGrid({ sinceUs: usOf(since), untilUs: usOf(until) }, { step, zone });
  const found: string[] = [];
  for (let us = grid.sinceUs; us < grid.untilUs; us = grid.after(us)) found.push(new Date(us / 1000).toISOString());
  return found;
}

const hoursBetween = (isos: readonly string[]) =>
  isos.slice(1).map((iso, at) => (Date.parse(iso) - Date.parse(isos[at] as string)) / 3_600_000);

describe('AG-14 buckets on the clock', () => {
  test('AG-14 have days of 23 and 25 hours where the clock is changed', () => {
    const spring = starts('2026-03-27T23:00:00Z', '2026-03-31T00:00:00Z', '1d', 'Europe/Vienna');
    assert.deepEqual(spring, [
      '2026-03-27T23:00:00.000Z',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
      '2026-03-30T22:00:00.000Z',
    ]);
    const autumn = starts('2026-10-23T22:00:00Z', '2026-10-27T00:00:00Z', '1d', 'Europe/Vienna');
    assert.deepEqual(hoursBetween(autumn), [24, 25, 24]);
    // The clock is changed at midnight: that day begins at one.
    const beirut = starts('2026-03-27T22:00:00Z', '2026-03-30T22:00:00Z', '1d', 'Asia/Beirut');
    assert.deepEqual(beirut.slice(1), [
      '2026-03-28T22:00:00.000Z',
      '2026-03-29T21:00:00.000Z',
      '2026-03-30T21:00:00.000Z',
    ]);
  });

  test('AG-14 are cut by the interval at both ends, and otherwise begin where the clock does', () => {
    assert.deepEqual(starts('2026-06-10T10:07:30Z', '2026-06-10T10:50:00Z', '15m', 'Europe/Vienna'), [
      '2026-06-10T10:07:30.000Z',
      '2026-06-10T10:15:00.000Z',
      '2026-06-10T10:30:00.000Z',
      '2026-06-10T10:45:00.000Z',
    ]);
    // India is half an hour beside UTC.
    assert.deepEqual(starts('2026-06-10T10:07:30Z', '2026-06-10T12:00:00Z', '1h', 'Asia/Kolkata').slice(1), [
      '2026-06-10T10:30:00.000Z',
      '2026-06-10T11:30:00.000Z',
    ]);
  });

  test('AG-14 begin weeks on Monday, and months on their first day', () => {
    assert.deepEqual(starts('2026-06-10T00:00:00Z', '2026-06-24T00:00:00Z', '1w', 'Europe/Vienna').slice(1), [
      '2026-06-14T22:00:00.000Z',
      '2026-06-21T22:00:00.000Z',
    ]);
    assert.deepEqual(starts('2026-01-31T12:00:00Z', '2026-05-01T00:00:00Z', '1mo', 'Europe/Vienna').slice(1), [
      '2026-01-31T23:00:00.000Z',
      '2026-02-28T23:00:00.000Z',
      '2026-03-31T22:00:00.000Z',
      '2026-04-30T22:00:00.000Z',
    ]);
  });

  test('AG-14 tell the two hours apart that the clock shows twice', () => {
    const hours = starts('2026-10-25T00:00:00Z', '2026-10-25T03:00:00Z', '1h', 'Europe/Vienna');
    assert.deepEqual(hoursBetween(hours), [1, 1]);
    // Here the clock is set back by half an hour.
    const half = starts('2026-04-04T14:00:00Z', '2026-04-04T17:30:00Z', '1h', 'Australia/Lord_Howe');
    assert.deepEqual(hoursBetween(half), [1, 0.5, 1]);
  });

  test('AG-14 cover the whole interval without gaps, wherever they are asked from', () => {
    const zone = fc.constantFrom(
      'UTC',
      'Europe/Vienna',
      'America/St_Johns',
      'Australia/Lord_Howe',
      'Pacific/Apia',
      '+05:45',
    );
    const ms = fc.integer({ min: 0, max: Date.parse('2100-01-01') });
    fc.assert(
      fc.property(
        zone,
        fc.constantFrom(...calendarSteps),
        ms,
        fc.nat(3_000_000_000),
        fc.nat(999),
        (name, step, since, more, us) => {
          const sinceUs = since * 1000 + us;
          const grid = calendarGrid({ sinceUs, untilUs: sinceUs + 10 * leastUsOf(step) }, { step, zone: name });
          let previous = sinceUs;
          for (let at = sinceUs; at < grid.untilUs; at = grid.after(at)) {
            assert.ok(at === sinceUs || at > previous);
            const inside = at + (more % (grid.after(at) - at));
            assert.equal(grid.by(inside), at);
            assert.equal(gridFrom(grid, inside), inside === at ? at : grid.after(at));
            previous = at;
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
