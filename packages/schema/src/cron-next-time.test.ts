// Promises of when a schedule comes next. What depends on the time zone is tested in children that live there: this file
// again, with TZ set.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { type CronSchedule, parseCron } from './cron.ts';
import { nextTime } from './cron-next-time.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

function scheduleOf(text: string): CronSchedule {
  const read = parseCron(text);
  assert.ok('schedule' in read, text);
  return read.schedule;
}

/** As the clock on the wall shows it, with its distance from UTC: `2026-03-29 03:00 +2`. */
function shown(timeMs: number): string {
  const time = new Date(timeMs);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const hours = -time.getTimezoneOffset() / 60;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())} ${hours < 0 ? '' : '+'}${hours}`;
}

/** The first times after a moment, as they are shown. */
function times(text: string, after: string, count: number): string[] {
  const found: string[] = [];
  let timeMs = new Date(after).getTime();
  for (let index = 0; index < count; index += 1) {
    const next = nextTime(scheduleOf(text), timeMs);
    if (next === undefined) break;
    timeMs = next;
    found.push(shown(timeMs));
  }
  return found;
}

/** What the clock shows, as minutes of a calendar without time zones. */
const wallMinute = (timeMs: number) => Math.floor(timeMs / minuteMs) - new Date(timeMs).getTimezoneOffset();

function isNamed(schedule: CronSchedule, wall: number): boolean {
  const time = new Date(wall * minuteMs);
  const isDay = schedule.days.has(time.getUTCDate());
  const isWeekday = schedule.weekdays.has(time.getUTCDay());
  return (
    schedule.minutes.has(time.getUTCMinutes()) &&
    schedule.hours.has(time.getUTCHours()) &&
    schedule.months.has(time.getUTCMonth() + 1) &&
    (schedule.isEitherDay ? isDay || isWeekday : isDay && isWeekday)
  );
}

/** Looks at each minute, and remembers what the clock has shown since a day before. */
function plainTimes(schedule: CronSchedule, fromMs: number, untilMs: number): number[] {
  const isHourly = schedule.hours.size === 24;
  const isOften = isHourly || schedule.minutes.size === 60;
  const found: number[] = [];
  const seen = new Set<number>();
  let before = Number.NaN;
  for (let timeMs = Math.floor(fromMs / minuteMs) * minuteMs - dayMs; timeMs <= untilMs; timeMs += minuteMs) {
    const wall = wallMinute(timeMs);
    let isDue = isNamed(schedule, wall) && (isOften || !seen.has(wall));
    for (let skipped = before + 1; skipped < wall && !isHourly; skipped += 1) isDue ||= isNamed(schedule, skipped);
    seen.add(wall);
    before = wall;
    if (isDue && timeMs > fromMs) found.push(timeMs);
  }
  return found;
}

function timesBetween(schedule: CronSchedule, fromMs: number, untilMs: number): number[] {
  const found: number[] = [];
  let next = nextTime(schedule, fromMs);
  while (next !== undefined && next <= untilMs) {
    found.push(next);
    next = nextTime(schedule, next);
  }
  return found;
}

function holdsAgainstPlainWay(text: string, fromMs: number, untilMs: number): void {
  const schedule = scheduleOf(text);
  const found = timesBetween(schedule, fromMs, untilMs);
  assert.deepEqual(found.map(shown), plainTimes(schedule, fromMs, untilMs).map(shown));
}

const list = (min: number, max: number) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant('*') },
    fc.integer({ min: 1, max }).map((step) => `*/${step}`),
    fc.array(fc.integer({ min, max }), { minLength: 1, maxLength: 4 }).map((values) => values.join()),
    fc
      .tuple(fc.integer({ min, max }), fc.integer({ min, max }))
      .map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`),
  );
/** Hours of the night, at which clocks are put forward and back, more than others. */
const anyHours = fc.oneof(list(0, 23), fc.constantFrom('0', '1', '2', '3', '0-3', '1,2', '2-23/3'));
const anyCron = fc
  .tuple(list(0, 59), anyHours, fc.oneof(fc.constant('*'), list(1, 31)), list(1, 12), list(0, 7))
  .map((fields) => fields.join(' '));

/** Time zones, and since when the days on which clocks are put are of interest. */
const firstYears: Record<string, number> = {
  UTC: 2020,
  'Europe/Berlin': 2015,
  'America/New_York': 2015,
  'Australia/Lord_Howe': 2015, // half an hour
  'Africa/Cairo': 2023, // at midnight
  'Pacific/Apia': 2010, // a whole day
  'America/St_Johns': 2000, // a minute past midnight, until 2011
  'America/Toronto': 1918, // before midnight and beyond, in 1919
};

/** Of such a child. */
const zone = process.env.CRON_ZONE;
const inZone = (name: string) => zone === name;
const outside = (name: string) => !inZone(name) && 'it is tested by a process that lives there';

describe('anywhere', { skip: zone !== undefined && 'it is tested by the process that has no zone' }, () => {
  test('the next time is later, and on the minute', () => {
    fc.assert(
      fc.property(anyCron, fc.integer({ min: 0, max: 4e12 }), (text, afterMs) => {
        const next = nextTime(scheduleOf(text), afterMs);
        assert.ok(next === undefined || (next > afterMs && next % minuteMs === 0));
      }),
    );
    const every = scheduleOf('* * * * *');
    assert.equal(nextTime(every, 60_000), 120_000);
    assert.equal(nextTime(every, 59_999.5), 60_000);
    assert.equal(nextTime(every, -1), 0);
  });

  test('a day of the month or a day of the week is enough, where both are named', () => {
    const start = '2026-02-01 12:00';
    const days = (text: string, count: number) => times(text, start, count).map((each) => each.slice(5, 10));
    assert.deepEqual(days('0 0 13 * fri', 5), ['02-06', '02-13', '02-20', '02-27', '03-06']);
    assert.deepEqual(days('0 0 13 * *', 3), ['02-13', '03-13', '04-13']);
    assert.deepEqual(days('0 0 */2 * fri', 3), ['02-13', '02-27', '03-13']);
  });

  test('a day of a year that is one of a week as well is found, however many years ahead', () => {
    const days = (text: string, after: string) => times(text, after, 2).map((each) => each.slice(0, 10));
    assert.deepEqual(days('0 0 1 1 */7', '2023-01-02'), ['2034-01-01', '2040-01-01']);
    assert.deepEqual(days('0 0 29 2 */7', '2032-03-01'), ['2060-02-29', '2088-02-29']);
    assert.deepEqual(days('0 0 29 2 */7', '2088-03-01'), ['2128-02-29', '2156-02-29'], '40 years, the longest');
  });

  test('a leap day is found, also across 2100', () => {
    const days = (after: string) => times('0 0 29 2 *', after, 2).map((each) => each.slice(0, 10));
    assert.deepEqual(days('2026-01-01'), ['2028-02-29', '2032-02-29']);
    assert.deepEqual(days('2096-02-29 12:00'), ['2104-02-29', '2108-02-29']);
  });

  test('what never comes is not looked for without end', () => {
    for (const never of ['0 0 30 2 *', '* * 31 2,4,6,9,11 *', '59 23 30,31 2 *']) {
      assert.equal(nextTime(scheduleOf(never), Date.UTC(2026, 0)), undefined, never);
    }
    for (const afterMs of [8.64e15, 8.64e15 - 1, Number.NaN, Number.POSITIVE_INFINITY, -8.64e15 - 1e9]) {
      assert.equal(nextTime(scheduleOf('0 0 1 1 *'), afterMs), undefined, `${afterMs}`);
    }
  });

  for (const TZ of Object.keys(firstYears)) {
    test(`what is promised of a time zone holds in ${TZ}`, () => {
      const env = { TZ, CRON_ZONE: TZ, PATH: process.env.PATH ?? '' };
      const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url)], { env, encoding: 'utf8' });
      assert.equal(child.status, 0, child.stdout + child.stderr);
      assert.match(child.stdout, /^# pass [1-9]|^ℹ pass [1-9]/m);
    });
  }
});

describe('in a time zone', { skip: zone === undefined && 'it is tested by the processes that live in one' }, () => {
  test('it is what a look at each minute finds', () => {
    const anyTimeS = fc.integer({ min: Date.UTC(2020, 0) / 1000, max: Date.UTC(2040, 0) / 1000 });
    fc.assert(
      fc.property(anyCron, anyTimeS, (text, fromS) => holdsAgainstPlainWay(text, fromS * 1000, fromS * 1000 + dayMs)),
    );
  });

  test('it is what a look at each minute finds around the days when clocks are put', () => {
    const changes: number[] = [];
    for (let timeMs = Date.UTC(firstYears[zone ?? ''] ?? 2020, 0); timeMs < Date.UTC(2027, 0); timeMs += dayMs / 2) {
      const [before, after] = [timeMs, timeMs + dayMs / 2].map((each) => new Date(each).getTimezoneOffset());
      if (before !== after) changes.push(timeMs);
    }
    assert.equal(changes.length === 0, inZone('UTC'));
    const anyNight = fc.tuple(list(0, 59), anyHours).map(([minutes, hours]) => `${minutes} ${hours}`);
    for (const changeMs of changes.slice(0, 8)) {
      const day = fc.constantFrom(...[0, 0.5, 1].map((days) => new Date(changeMs + days * dayMs).getDate()));
      const anyDay = fc.oneof(
        fc.constant('* * *'),
        day.map((number) => `${number} * *`),
      );
      fc.assert(
        fc.property(anyNight, anyDay, (night, days) => {
          holdsAgainstPlainWay(`${night} ${days}`, changeMs - dayMs, changeMs + 1.5 * dayMs);
        }),
        { numRuns: 15 },
      );
    }
  });
});

describe('in Berlin', { skip: outside('Europe/Berlin') }, () => {
  test('a time that is left out comes in the first minute after the gap, once', () => {
    const start = '2026-03-28 12:00';
    assert.deepEqual(times('30 2 * * *', start, 3), [
      '2026-03-29 03:00 +2',
      '2026-03-30 02:30 +2',
      '2026-03-31 02:30 +2',
    ]);
    assert.deepEqual(times('*/15 2,3 * * *', start, 2), ['2026-03-29 03:00 +2', '2026-03-29 03:15 +2']);
    assert.deepEqual(times('* 2 * * *', start, 2), ['2026-03-29 03:00 +2', '2026-03-30 02:00 +2']);
    assert.deepEqual(times('0 */2 * * *', '2026-03-29 00:00', 2), ['2026-03-29 03:00 +2', '2026-03-29 04:00 +2']);
    assert.deepEqual(times('30 2 29 3 *', start, 1), ['2026-03-29 03:00 +2']);
    assert.deepEqual(times('30 2 30 3 *', start, 1), ['2026-03-30 02:30 +2']);
  });

  test('a time that comes twice is taken the first time', () => {
    const start = '2026-10-24 12:00';
    assert.deepEqual(times('30 2 * * *', start, 2), ['2026-10-25 02:30 +2', '2026-10-26 02:30 +1']);
    assert.deepEqual(times('0,30 2,3 * * *', start, 4), [
      '2026-10-25 02:00 +2',
      '2026-10-25 02:30 +2',
      '2026-10-25 03:00 +1',
      '2026-10-25 03:30 +1',
    ]);
    assert.deepEqual(times('30 2 * * *', '2026-10-25T02:40:00+02:00', 1), ['2026-10-26 02:30 +1']);
  });

  test('what comes every hour or every minute goes on evenly', () => {
    assert.deepEqual(times('30 * * * *', '2026-03-29 01:00', 3), [
      '2026-03-29 01:30 +1',
      '2026-03-29 03:30 +2',
      '2026-03-29 04:30 +2',
    ]);
    assert.deepEqual(times('@hourly', '2026-10-25 01:10', 3), [
      '2026-10-25 02:00 +2',
      '2026-10-25 02:00 +1',
      '2026-10-25 03:00 +1',
    ]);
    for (const every of ['* * * * *', '* 2 * * *']) {
      const expected = ['2026-10-25 02:59 +2', '2026-10-25 02:00 +1'];
      assert.deepEqual(times(every, '2026-10-25T02:58:00+02:00', 2), expected);
    }
    for (const every of ['* * * * *', '*/5 * * * *', '7 * * * *']) {
      for (const start of ['2026-03-28 20:00', '2026-10-24 20:00']) {
        let timeMs = nextTime(scheduleOf(every), new Date(start).getTime()) ?? 0;
        const stepMs = (nextTime(scheduleOf(every), timeMs) ?? 0) - timeMs;
        for (let count = 0; count < 500; count += 1) {
          const next = nextTime(scheduleOf(every), timeMs) ?? 0;
          assert.equal(next - timeMs, stepMs, shown(next));
          timeMs = next;
        }
      }
    }
  });
});

describe('in New York', { skip: outside('America/New_York') }, () => {
  test('a time that is left out comes after the gap, and one that comes twice comes once', () => {
    assert.deepEqual(times('15 2 * * *', '2026-03-07 12:00', 2), ['2026-03-08 03:00 -4', '2026-03-09 02:15 -4']);
    assert.deepEqual(times('15 1 * * *', '2026-10-31 12:00', 2), ['2026-11-01 01:15 -4', '2026-11-02 01:15 -5']);
    assert.deepEqual(times('15 * * * *', '2026-11-01 00:30', 3), [
      '2026-11-01 01:15 -4',
      '2026-11-01 01:15 -5',
      '2026-11-01 02:15 -5',
    ]);
  });
});

describe('in Cairo', { skip: outside('Africa/Cairo') }, () => {
  test('a day that begins with a gap begins after it', () => {
    assert.deepEqual(times('@daily', '2026-04-23 12:00', 2), ['2026-04-24 01:00 +3', '2026-04-25 00:00 +3']);
    assert.deepEqual(times('0 0 24 4 *', '2026-01-01', 1), ['2026-04-24 01:00 +3']);
  });
});

describe('in Apia', { skip: outside('Pacific/Apia') }, () => {
  test('a day that was left out comes with the next', () => {
    assert.deepEqual(times('0 8 30 12 *', '2011-12-01', 1), ['2011-12-31 00:00 +14']);
  });
});
