// Buckets on the clock of a time zone: quarters of an hour, hours, days, weeks from Monday, months. The first and the
// last one are cut by the interval. A day on which the clock is changed has 23 or 25 hours.
import type { Calendar, CalendarStep } from '../archive-access.ts';
import type { Grid } from './grid.ts';
import type { Interval } from './record-cursor.ts';

const minuteUs = 60_000_000;
/** Steps that are parts of an hour or a day: of the time that the clock shows, whole multiples. */
const partsUs: Partial<Readonly<Record<CalendarStep, number>>> = {
  '1m': minuteUs,
  '5m': 5 * minuteUs,
  '10m': 10 * minuteUs,
  '15m': 15 * minuteUs,
  '30m': 30 * minuteUs,
  '1h': 60 * minuteUs,
};

const hourUs = 60 * minuteUs;

/** The shortest bucket of the step that there is. */
export function leastUsOf(step: CalendarStep): number {
  const days = step === '1mo' ? 28 : step === '1w' ? 7 : 1;
  return partsUs[step] ?? days * 24 * hourUs - 2 * hourUs;
}

export function calendarGrid({ sinceUs, untilUs }: Interval, { step, zone }: Calendar): Grid {
  const partUs = partsUs[step];
  const clock = partUs === undefined ? new Days(step, zone) : new Parts(partUs, zone);
  return {
    sinceUs,
    untilUs,
    by: (timeUs) => Math.max(sinceUs, clock.by(timeUs)),
    after: (gridUs) => clock.after(gridUs),
  };
}

/** Days and what is made of days. */
class Days {
  readonly #step: CalendarStep;
  readonly #zone: string;
  /** The last one that was found: most calls are about it. */
  #startUs = 0;
  #endUs = 0;

  constructor(step: CalendarStep, zone: string) {
    this.#step = step;
    this.#zone = zone;
  }

  by(timeUs: number): number {
    this.#find(timeUs);
    return this.#startUs;
  }

  after(timeUs: number): number {
    this.#find(timeUs);
    return this.#endUs;
  }

  #find(timeUs: number): void {
    if (this.#startUs <= timeUs && timeUs < this.#endUs) return;
    const day = zoned(timeUs, this.#zone).toPlainDate();
    const [first, next] = spanOf(this.#step, day);
    this.#startUs = startOf(first, this.#zone);
    this.#endUs = startOf(next, this.#zone);
  }
}

function spanOf(step: CalendarStep, day: Temporal.PlainDate): [Temporal.PlainDate, Temporal.PlainDate] {
  if (step === '1w') {
    const monday = day.subtract({ days: day.dayOfWeek - 1 });
    return [monday, monday.add({ days: 7 })];
  }
  if (step === '1mo') {
    const first = day.with({ day: 1 });
    return [first, first.add({ months: 1 })];
  }
  return [day, day.add({ days: 1 })];
}

/** Of a day that begins later than at midnight, that time. */
function startOf(day: Temporal.PlainDate, zone: string): number {
  return day.toZonedDateTime(zone).epochMilliseconds * 1000;
}

/** Parts of an hour or hours: whenever the clock shows a whole multiple. */
class Parts {
  readonly #partUs: number;
  readonly #zone: string;
  /** From here to there the clock has one offset from UTC. */
  #fromUs = 0;
  #toUs = 0;
  #offsetUs = 0;

  constructor(partUs: number, zone: string) {
    this.#partUs = partUs;
    this.#zone = zone;
  }

  /** Where the clock was changed since, that is where a bucket begins as well, unless it showed a multiple then. */
  by(timeUs: number): number {
    this.#find(timeUs);
    const shownUs = timeUs + this.#offsetUs;
    return Math.max(this.#fromUs, shownUs - modulo(shownUs, this.#partUs) - this.#offsetUs);
  }

  after(timeUs: number): number {
    this.#find(timeUs);
    const shownUs = timeUs + this.#offsetUs;
    return Math.min(this.#toUs, shownUs - modulo(shownUs, this.#partUs) + this.#partUs - this.#offsetUs);
  }

  #find(timeUs: number): void {
    if (this.#fromUs <= timeUs && timeUs < this.#toUs) return;
    const then = zoned(timeUs, this.#zone);
    // Of the moment of a change itself the previous one is the one before.
    const previous = zoned(timeUs + 1000, this.#zone).getTimeZoneTransition('previous');
    const next = then.getTimeZoneTransition('next');
    this.#offsetUs = then.offsetNanoseconds / 1000;
    this.#fromUs = previous === null ? Number.NEGATIVE_INFINITY : previous.epochMilliseconds * 1000;
    this.#toUs = next === null ? Number.POSITIVE_INFINITY : next.epochMilliseconds * 1000;
  }
}

function zoned(timeUs: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(timeUs / 1000)).toZonedDateTimeISO(zone);
}

function modulo(number: number, divisor: number): number {
  return number - Math.floor(number / divisor) * divisor;
}
