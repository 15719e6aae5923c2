import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type CronSchedule, comesEver, parseCron } from './cron.ts';

function scheduleOf(text: string): CronSchedule {
  const read = parseCron(text);
  assert.ok('schedule' in read, `${text}: ${'fault' in read ? read.fault : ''}`);
  return read.schedule;
}

function faultOf(text: string): string {
  const read = parseCron(text);
  assert.ok('fault' in read, text);
  return read.fault;
}

const sorted = (values: ReadonlySet<number>) => [...values].sort((a, b) => a - b);
const upTo = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe('a field', () => {
  test('is an asterisk, a number, a range or a list, with steps', () => {
    assert.deepEqual(sorted(scheduleOf('* * * * *').minutes), upTo(0, 59));
    assert.deepEqual(sorted(scheduleOf('5 * * * *').minutes), [5]);
    assert.deepEqual(sorted(scheduleOf('05,7,5 * * * *').minutes), [5, 7]);
    assert.deepEqual(sorted(scheduleOf('*/20 * * * *').minutes), [0, 20, 40]);
    assert.deepEqual(sorted(scheduleOf('3-20/5,58-59 * * * *').minutes), [3, 8, 13, 18, 58, 59]);
    assert.deepEqual(sorted(scheduleOf('* */7 * * *').hours), [0, 7, 14, 21]);
    assert.deepEqual(sorted(scheduleOf('* * */10 * *').days), [1, 11, 21, 31]);
    assert.deepEqual(sorted(scheduleOf('* * * */5 *').months), [1, 6, 11]);
    assert.deepEqual(sorted(scheduleOf('* * * * *').weekdays), upTo(0, 6));
  });

  test('may name months and days of the week, in any case', () => {
    assert.deepEqual(sorted(scheduleOf('0 0 * jan,JUN-aug,12 *').months), [1, 6, 7, 8, 12]);
    assert.deepEqual(sorted(scheduleOf('0 0 * * Mon-fri').weekdays), [1, 2, 3, 4, 5]);
  });

  test('has Sunday as 0 and as 7, also where a range ends with it', () => {
    for (const sunday of ['0', '7', 'sun', '0,7', 'sun-sun']) {
      assert.deepEqual(sorted(scheduleOf(`0 0 * * ${sunday}`).weekdays), [0], sunday);
    }
    for (const weekend of ['sat-sun', '6-7', '6,0']) {
      assert.deepEqual(sorted(scheduleOf(`0 0 * * ${weekend}`).weekdays), [0, 6], weekend);
    }
    assert.deepEqual(sorted(scheduleOf('0 0 * * 0-7').weekdays), upTo(0, 6));
    assert.deepEqual(sorted(scheduleOf('0 0 * * sun-tue').weekdays), [0, 1, 2]);
  });

  test('that is wrong is named, and what would be right', () => {
    const faults: [string, string][] = [
      ['60 * * * *', 'minute: "60" is not a number from 0 to 59'],
      ['* 24 * * *', 'hour: "24" is not a number from 0 to 23'],
      ['* * 0 * *', 'day of the month: "0" is not a number from 1 to 31'],
      ['* * * 13 *', 'month: "13" is not a number from 1 to 12, or jan to dec'],
      ['* * * * 8', 'day of the week: "8" is not a number from 0 to 7, or sun to sat'],
      ['* * * * monday', 'day of the week: "monday" is not a number from 0 to 7, or sun to sat'],
      ['mon * * * *', 'minute: "mon" is not a number from 0 to 59'],
      ['1,,2 * * * *', 'minute: "" is not a number from 0 to 59'],
      ['1- * * * *', 'minute: "1-" is not a number from 0 to 59'],
      ['-1 * * * *', 'minute: "-1" is not a number from 0 to 59'],
      ['1-2-3 * * * *', 'minute: "1-2-3" is no range'],
      ['*-5 * * * *', 'minute: "*-5" is not a number from 0 to 59'],
      ['* 22-2 * * *', 'hour: "22-2" ends before it begins: write two ranges, with a comma'],
      ['5/15 * * * *', 'minute: "5/15": a step follows * or a range, such as 5-59/15'],
      ['*/0 * * * *', 'minute: "*/0": a step is a number from 1 to 59'],
      ['*/90 * * * *', 'minute: "*/90": a step is a number from 1 to 59'],
      ['*/ * * * *', 'minute: "*/": a step is a number from 1 to 59'],
      ['*/5/5 * * * *', 'minute: "*/5/5" has more than one step'],
      ['٣ * * * *', 'minute: "٣" is not a number from 0 to 59'],
      ['1e1 * * * *', 'minute: "1e1" is not a number from 0 to 59'],
      ['constructor * * __proto__ *', 'minute: "constructor" is not a number from 0 to 59'],
      ['@reboot', 'has no @reboot: once is what runs when the service starts'],
      ['1,'.repeat(1000), 'has times of more than 1000 characters'],
    ];
    for (const [text, fault] of faults) assert.equal(faultOf(text), fault, text);
    for (const text of ['', '* * * *', '* * * * * *', '@never', '@Daily', '* * * *\n*']) {
      assert.match(faultOf(text), /^needs five fields: minute, hour, /, text);
    }
  });
});

test('short forms are what they stand for, and white space is none of its matter', () => {
  const pairs: [string, string][] = [
    ['@hourly', '0 * * * *'],
    ['@daily', '0 0 * * *'],
    ['@midnight', '0 0 * * *'],
    ['@weekly', '0 0 * * 0'],
    ['@monthly', '0 0 1 * *'],
    ['@yearly', '0 0 1 1 *'],
    ['@annually', '0 0 1 1 *'],
    ['  0 \t 6   * * 1 ', '0 6 * * 1'],
  ];
  for (const [short, long] of pairs) assert.deepEqual(scheduleOf(short), scheduleOf(long));
});

test('days are either, where neither field of them has an asterisk', () => {
  for (const either of ['0 0 13 * 5', '0 0 1-31 * 1', '0 0 13 * 0-7']) {
    assert.equal(scheduleOf(either).isEitherDay, true, either);
  }
  for (const both of ['0 0 * * 5', '0 0 13 * *', '0 0 */2 * mon', '0 0 1 * */2', '* * * * *']) {
    assert.equal(scheduleOf(both).isEitherDay, false, both);
  }
});

test('a day that no year has never comes', () => {
  for (const never of ['0 0 30 2 *', '0 0 31 2,4,6,9,11 *', '* * 30,31 feb */2']) {
    assert.equal(comesEver(scheduleOf(never)), false, never);
  }
  for (const some of ['0 0 29 2 *', '0 0 31 2,3 *', '0 0 30 2 mon', '* * * * *']) {
    assert.equal(comesEver(scheduleOf(some)), true, some);
  }
});

test('whatever the text is, it is a schedule or a short fault', () => {
  const part = fc.oneof(
    fc.constantFrom('*', '/', '-', ',', ' ', '0', '7', '31', '59', 'mon', 'dec', '@', '\0'),
    fc.string({ maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const read = parseCron(parts.join(''));
      if ('fault' in read) assert.ok(read.fault.length > 5 && read.fault.length < 400);
      else assert.ok([read.schedule.minutes, read.schedule.days, read.schedule.weekdays].every(({ size }) => size > 0));
    }),
  );
});
