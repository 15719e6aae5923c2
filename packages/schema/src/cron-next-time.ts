// When a schedule comes next, by the clock on the wall of the server: its local time zone, with its summer time.
//
// Each local time counts once. Where clocks are put forward, what would have come within the gap comes once, in the first
// minute after it. Where they are put back, what comes twice is taken the first time. Two exceptions, so that what runs
// often goes on evenly: a schedule of every hour (such as 30 * * * *) makes nothing up after a gap, and one of every hour
// or every minute comes in both passes of an hour.
import { type CronSchedule, isDayOf } from './cron.ts';

const minuteMs = 60_000;
const minutesOfHour = 60;
const hoursOfDay = 24;
/** The longest between two 29 Februaries is 8 years, around 2100. */
const horizonMs = 9 * 366 * 86_400_000;
/** A day at a time, in those months that are named: some hundreds are the most that a schedule takes. */
const maxSteps = 10_000;

/** Milliseconds since 1970, of a whole minute later than `afterMs`; undefined where none comes. */
export function nextTime(schedule: CronSchedule, afterMs: number): number | undefined {
  let timeMs = (Math.floor(afterMs / minuteMs) + 1) * minuteMs;
  for (let steps = 0; steps < maxSteps && timeMs < afterMs + horizonMs; steps += 1) {
    const time = new Date(timeMs);
    if (!schedule.hours.has(time.getHours()) || !schedule.minutes.has(time.getMinutes()) || !isDay(schedule, time)) {
      if (isMadeUp(schedule, time)) return timeMs;
    } else if (!isSecondPass(time) || isOften(schedule)) {
      return timeMs;
    }
    timeMs = nextCandidate(schedule, time);
  }
  return undefined;
}

function isDay(schedule: CronSchedule, time: Date): boolean {
  return isDayOf(schedule, time.getMonth() + 1, time.getDate(), time.getDay());
}

function isOften({ minutes, hours }: CronSchedule): boolean {
  return minutes.size === minutesOfHour || hours.size === hoursOfDay;
}

/** Of two moments that the clock shows alike, `Date` takes the first. */
function isSecondPass(time: Date): boolean {
  return startOf(time, time.getDate(), time.getHours(), time.getMinutes()) < time.getTime();
}

/** Whether it is the first minute after a gap in which the schedule would have come. */
function isMadeUp(schedule: CronSchedule, time: Date): boolean {
  if (schedule.hours.size === hoursOfDay) return false;
  const offset = time.getTimezoneOffset();
  const gapMinutes = new Date(time.getTime() - minuteMs).getTimezoneOffset() - offset;
  for (let minutes = 1; minutes <= gapMinutes; minutes += 1) {
    const shown = new Date(time.getTime() - (offset + minutes) * minuteMs);
    if (
      schedule.hours.has(shown.getUTCHours()) &&
      schedule.minutes.has(shown.getUTCMinutes()) &&
      isDayOf(schedule, shown.getUTCMonth() + 1, shown.getUTCDate(), shown.getUTCDay())
    ) {
      return true;
    }
  }
  return false;
}

/** Passes over months, days and hours without a time; never over the end of a gap that matters, and always forwards. */
function nextCandidate(schedule: CronSchedule, time: Date): number {
  const timeMs = time.getTime();
  if (!isDay(schedule, time)) {
    const isMonth = schedule.months.has(time.getMonth() + 1);
    const nextMs = isMonth
      ? startOf(time, time.getDate() + 1)
      : new Date(time.getFullYear(), time.getMonth() + 1).getTime();
    const firstMs = firstOfDay(nextMs);
    if (firstMs > timeMs) return firstMs;
  } else if (!schedule.hours.has(time.getHours())) {
    const next = new Date(timeMs + (minutesOfHour - time.getMinutes()) * minuteMs);
    if (next.getTimezoneOffset() === time.getTimezoneOffset()) return next.getTime();
  }
  return timeMs + minuteMs;
}

/** Where midnight falls into a gap, `Date` may give a later moment than the end of the gap. */
function firstOfDay(timeMs: number): number {
  const day = new Date(timeMs).getDate();
  let firstMs = timeMs;
  while (new Date(firstMs).getHours() + new Date(firstMs).getMinutes() > 0) {
    if (new Date(firstMs - minuteMs).getDate() !== day) break;
    firstMs -= minuteMs;
  }
  return firstMs;
}

function startOf(time: Date, day: number, hours = 0, minutes = 0): number {
  return new Date(time.getFullYear(), time.getMonth(), day, hours, minutes).getTime();
}
