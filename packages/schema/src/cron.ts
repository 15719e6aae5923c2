// Times of day and days as cron has them, read from five fields: minute, hour, day of the month, month, day of the week.
// When the next one comes is `nextTime`'s.

export interface CronSchedule {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  /** From 1. */
  readonly months: ReadonlySet<number>;
  /** From 0, Sunday, to 6. */
  readonly weekdays: ReadonlySet<number>;
  /**
   * Neither field of days has an asterisk: a day that one of them names is enough, as cron has it. Else both must name it,
   * so that an asterisk with a step, such as an odd day of the month, bounds the days of the week.
   */
  readonly isEitherDay: boolean;
}

interface Field {
  readonly title: string;
  readonly min: number;
  readonly max: number;
  /** Of `min` and those after it. */
  readonly names: readonly string[];
}

const minute: Field = { title: 'minute', min: 0, max: 59, names: [] };
const hour: Field = { title: 'hour', min: 0, max: 23, names: [] };
const dayOfMonth: Field = { title: 'day of the month', min: 1, max: 31, names: [] };
const month: Field = {
  title: 'month',
  min: 1,
  max: 12,
  names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
};
/** 7 is Sunday too. */
const dayOfWeek: Field = {
  title: 'day of the week',
  min: 0,
  max: 7,
  names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
};

const shortForms: ReadonlyMap<string, string> = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
]);

/** February in a leap year. */
const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const maxLength = 1000;

/** The expected form of a schedule, for messages. */
export const cronForms =
  'five fields: minute, hour, day of the month, month and day of the week, such as 0 6 * * mon-fri, or @hourly, @daily, ' +
  '@weekly, @monthly or @yearly';

class CronError extends Error {}

export function parseCron(text: string): { schedule: CronSchedule } | { fault: string } {
  const short = text.trim();
  if (short.length > maxLength) return { fault: `has times of more than ${maxLength} characters` };
  if (short === '@reboot') return { fault: 'has no @reboot: once is what runs when the service starts' };
  const texts = (shortForms.get(short) ?? short).split(/[ \t]+/);
  if (texts.length !== 5) return { fault: `needs ${cronForms}` };
  const [minutes = '', hours = '', days = '', months = '', weekdays = ''] = texts;
  try {
    return {
      schedule: {
        minutes: valuesOf(minute, minutes),
        hours: valuesOf(hour, hours),
        days: valuesOf(dayOfMonth, days),
        months: valuesOf(month, months),
        weekdays: new Set(Array.from(valuesOf(dayOfWeek, weekdays), (day) => day % 7)),
        isEitherDay: !days.includes('*') && !weekdays.includes('*'),
      },
    };
  } catch (error) {
    if (error instanceof CronError) return { fault: error.message };
    throw error;
  }
}

/** False where no year has such a day: 30 February. */
export function comesEver({ days, months, isEitherDay }: CronSchedule): boolean {
  if (isEitherDay) return true;
  return Array.from(months).some((each) => days.values().some((day) => day <= (longestMonths[each - 1] ?? 0)));
}

/** Whether it names the day. `weekday` is from 0, Sunday; `monthNumber` from 1. */
export function isDayOf(
  { days, months, weekdays, isEitherDay }: CronSchedule,
  monthNumber: number,
  day: number,
  weekday: number,
): boolean {
  if (!months.has(monthNumber)) return false;
  return isEitherDay ? days.has(day) || weekdays.has(weekday) : days.has(day) && weekdays.has(weekday);
}

function valuesOf(field: Field, text: string): Set<number> {
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const [range = '', step, ...more] = item.split('/');
    if (more.length > 0) throw new CronError(`${place(field, item)} has more than one step`);
    const [first, last] = rangeOf(field, range, item);
    if (step !== undefined && range !== '*' && !range.includes('-')) {
      throw new CronError(`${place(field, item)}: a step follows * or a range, such as ${first}-${field.max}/${step}`);
    }
    const by = step === undefined ? 1 : stepOf(field, step, item);
    for (let value = first; value <= last; value += by) values.add(value);
  }
  return values;
}

function rangeOf(field: Field, range: string, item: string): [number, number] {
  if (range === '*') return [field.min, field === dayOfWeek ? field.max - 1 : field.max];
  const [from = '', to, ...more] = range.split('-');
  if (more.length > 0) throw new CronError(`${place(field, item)} is no range`);
  const first = numberOf(field, from, item);
  if (to === undefined) return [first, first];
  const last = numberOf(field, to, item);
  // sat-sun is what people mean by it
  const end = field === dayOfWeek && to.toLowerCase() === 'sun' && first > last ? field.max : last;
  if (first > end) throw new CronError(`${place(field, item)} ends before it begins: write two ranges, with a comma`);
  return [first, end];
}

function numberOf(field: Field, text: string, item: string): number {
  const named = field.names.indexOf(text.toLowerCase());
  if (named >= 0) return field.min + named;
  const value = /^[0-9]{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= field.min && value <= field.max) return value;
  const names = field.names.length > 0 ? `, or ${field.names[0]} to ${field.names.at(-1)}` : '';
  throw new CronError(`${place(field, item)} is not a number from ${field.min} to ${field.max}${names}`);
}

function stepOf(field: Field, text: string, item: string): number {
  const step = /^[0-9]{1,2}$/.test(text) ? Number(text) : 0;
  if (step >= 1 && step <= field.max) return step;
  throw new CronError(`${place(field, item)}: a step is a number from 1 to ${field.max}`);
}

function place({ title }: Field, item: string): string {
  return `${title}: ${JSON.stringify(item)}`;
}
