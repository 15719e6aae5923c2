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
const dayMs = 86_400_000;
/** The longest between two 29 Februaries of one day of the week is 40 years, around 2100. */
const horizonMs = 41 * 366 * dayMs;
/** On days that are named it goes by the hour, near changes of the clock by the minute: some hundreds at most. */
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
    timeMs = Math.max(nextCandidate(schedule, time), eveOfNextDay(schedule, time));
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

/**
 * When the day before the next named one begins, by the calendar alone; Infinity where none comes. Yesterday is looked at
 * as well: clocks may be put back to it.
 */
function eveOfNextDay(schedule: CronSchedule, time: Date): number {
  const firstMs = Date.UTC(time.getFullYear(), time.getMonth(), time.getDate() - 1);
  for (let dayAtMs = firstMs; dayAtMs < firstMs + horizonMs; ) {
    const day = new Date(dayAtMs);
    if (isDayOf(schedule, day.getUTCMonth() + 1, day.getUTCDate(), day.getUTCDay())) {
      return new Date(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate() - 1).getTime();
    }
    const isMonth = schedule.months.has(day.getUTCMonth() + 1);
    dayAtMs = isMonth ? dayAtMs + dayMs : Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1);
  }
  return Number.POSITIVE_INFINITY;
}

/** Passes over days and hours without a time, but never over a moment at which clocks are put. */
function nextCandidate(schedule: CronSchedule, time: Date): number {
  const timeMs = time.getTime();
  const jumps: number[] = [];
  if (!isDay(schedule, time)) jumps.push(startOf(time, time.getDate() + 1));
  if (!schedule.hours.has(time.getHours()) || jumps.length > 0) {
    jumps.push(timeMs + (minutesOfHour - time.getMinutes()) * minuteMs);
  }
  const offset = time.getTimezoneOffset();
  return jumps.find((jumpMs) => new Date(jumpMs).getTimezoneOffset() === offset) ?? timeMs + minuteMs;
}

function startOf(time: Date, day: number, hours = 0, minutes = 0): number {
  return new Date(time.getFullYear(), time.getMonth(), day, hours, minutes).getTime();
}
