import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { UsageError } from './declaration.ts';
import { readMoment, readSeconds } from './moments.ts';

/** Node reads the zone again where the variable is set. */
function inZone<Result>(zone: string, run: () => Result): Result {
  const before = process.env.TZ;
  process.env.TZ = zone;
  try {
    return run();
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
}

const noon = '2026-11-15T12:00:00Z';

/** What a text at the terminal means, as UTC. */
function utc(zone: string, text: string, now = noon): string {
  const moment = inZone(zone, () => readMoment('since', text, Date.parse(now)));
  assert.ok(Array.isArray(moment), text);
  return new Date(moment[0] * 1000 + moment[1] / 1000).toISOString().replace('.000Z', 'Z');
}

describe('a time on the command line', () => {
  for (const [text, moment] of [
    ['1h', -3600],
    ['-1h', -3600],
    ['-1h30m', -5400],
    ['2d', -172_800],
    ['250ms', -0.25],
    ['now', -0.000001],
    ['-3600.5', -3600.5],
    ['1700000000.25', 1_700_000_000.25],
    ['2026-01-31T12:00:00Z', [1_769_860_800, 0]],
    ['2026-01-31 12:00:00.250+01:00', [1_769_857_200, 250_000]],
  ] as const) {
    test(`${text} is understood`, () => assert.deepEqual(readMoment('since', text, Date.parse(noon)), moment));
  }

  test('that has no offset is of the zone of the terminal', () => {
    assert.equal(utc('Europe/Vienna', '2026-11-15 14:00'), '2026-11-15T13:00:00Z');
    assert.equal(utc('Europe/Vienna', '2026-07-15T14:00:30.5'), '2026-07-15T12:00:30.500Z');
    assert.equal(utc('America/New_York', '2026-11-15'), '2026-11-15T05:00:00Z');
    assert.equal(utc('Asia/Kolkata', '2026-11-15 24:00'), '2026-11-15T18:30:00Z');
  });

  test('that has no day is of today there, and yesterday is the day before that', () => {
    const late = '2026-11-15T23:30:00Z';
    assert.equal(utc('Europe/Vienna', '14:00', late), '2026-11-16T13:00:00Z');
    assert.equal(utc('Europe/Vienna', '7:05:09', late), '2026-11-16T06:05:09Z');
    assert.equal(utc('Europe/Vienna', 'today', late), '2026-11-15T23:00:00Z');
    assert.equal(utc('Europe/Vienna', 'yesterday', late), '2026-11-14T23:00:00Z');
    assert.equal(utc('UTC', 'yesterday 14:00', late), '2026-11-14T14:00:00Z');
    assert.equal(utc('UTC', 'yesterday', '2026-03-01T10:00:00Z'), '2026-02-28T00:00:00Z');
    assert.equal(utc('UTC', 'yesterday', '2026-01-01T10:00:00Z'), '2025-12-31T00:00:00Z');
  });

  test('that the clock leaves out in spring is an hour later', () => {
    assert.equal(utc('Europe/Vienna', '2026-03-29 01:59'), '2026-03-29T00:59:00Z');
    assert.equal(utc('Europe/Vienna', '2026-03-29 02:30'), '2026-03-29T01:30:00Z');
    assert.equal(utc('Europe/Vienna', '2026-03-29 03:00'), '2026-03-29T01:00:00Z');
    // In Chile the clock leaves out midnight: the day begins at one.
    assert.equal(utc('America/Santiago', '2026-09-06'), '2026-09-06T04:00:00Z');
  });

  test('that comes twice in autumn is the first, unless an offset says otherwise', () => {
    assert.equal(utc('Europe/Vienna', '2026-10-25 02:30'), '2026-10-25T00:30:00Z');
    assert.equal(utc('Europe/Vienna', '2026-10-25 02:30+01:00'), '2026-10-25T01:30:00Z');
    assert.equal(utc('Europe/Vienna', '2026-10-25 03:00'), '2026-10-25T02:00:00Z');
  });

  test('of yesterday is by the calendar, also where that day had 23 or 25 hours', () => {
    assert.equal(utc('Europe/Vienna', 'yesterday', '2026-03-30T08:00:00Z'), '2026-03-28T23:00:00Z');
    assert.equal(utc('Europe/Vienna', 'yesterday', '2026-10-26T08:00:00Z'), '2026-10-24T22:00:00Z');
  });

  test('is as the clock shows it, whatever the time and the zone', () => {
    const zone = fc.constantFrom('UTC', 'Europe/Vienna', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe');
    const seconds = fc.integer({ min: 86_400, max: 4_000_000_000 });
    fc.assert(
      fc.property(zone, seconds, (name, time) => {
        inZone(name, () => {
          const date = new Date(time * 1000);
          const two = (number: number) => String(number).padStart(2, '0');
          const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
          const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
          const [found] = readMoment('since', `${day} ${clock}`, 0) as [number, number];
          // Of an hour that comes twice, it is the first.
          assert.ok(found === time || found === time - 3600 || found === time - 1800, `${day} ${clock} ${name}`);
          assert.equal(new Date(found * 1000).getSeconds(), date.getSeconds());
        });
      }),
    );
  });

  const impossible = [
    ...['2026-02-31', '2026-02-29T12:00', '2026-04-31T12:00:00Z', '2026-13-01', '2026-01-31T25:00', '2026-01-31 24:01'],
    ...['9999-01-01', '0070-01-01', '1969-01-01', '2026-1-1', '14:60', '25:00', '14:00 today', 'today today'],
    ...['2026-01-31 ', ' 14:00', '14:00 14:00', 'yesterday 14', 'tomorrow', 'Yesterday', '1e3', '--1h', '-yesterday'],
  ];
  for (const text of ['', '1x', 'h', ...impossible, '__proto__', '1'.repeat(5000).concat('x')]) {
    test(`${JSON.stringify(text.slice(0, 40))} is none`, () => {
      const isClear = ({ message }: Error) => message.length < 400 && message.includes('yesterday, 14:00 (today)');
      assert.throws(
        () => readMoment('since', text, Date.parse(noon)),
        (error: Error) => error instanceof UsageError && isClear(error),
      );
    });
  }

  test('that is a span is seconds or a duration', () => {
    assert.deepEqual(
      ['60', '0.5', '.5', '5m', '1h30m', '250ms'].map((text) => readSeconds('resample', text)),
      [60, 0.5, 0.5, 300, 5400, 0.25],
    );
    for (const text of ['', '0', '-1', 'x', 'Infinity', '1e3', '0x10', '1.5h', '1 h', '9'.repeat(400)]) {
      assert.throws(() => readSeconds('resample', text), /--resample is .*seconds, or a duration: .* such as 90s/);
    }
    assert.throws(() => readSeconds('timeout', '2d', 86_400), /--timeout is at most 86400 seconds/);
  });
});
