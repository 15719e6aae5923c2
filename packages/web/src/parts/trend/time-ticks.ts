// Where a time axis has its ticks, and what stands there: on the clock of the zone, also on days of 23 and 25 hours.
import { clockText, dayText, momentOf, offsetText } from '../times.ts';

const secondUs = 1e6;
const minuteUs = 60 * secondUs;
const hourUs = 60 * minuteUs;
const dayUs = 24 * hourUs;

/** Below a day. */
const clockSteps = [
  ...[1e3, 2e3, 5e3, 10e3, 20e3, 50e3, 100e3, 200e3, 500e3],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * secondUs),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minuteUs),
  ...[1, 2, 3, 6, 12].map((count) => count * hourUs),
];
const daySteps = [1, 2, 7, 14];
const monthSteps = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600];

export interface Ticks {
  /** Microseconds since 1970. */
  readonly at: readonly number[];
  readonly texts: readonly string[];
}

/** At most about so many. */
export function timeTicks(from: number, until: number, most: number): Ticks {
  const wanted = (until - from) / Math.max(1, most);
  const step = clockSteps.find((each) => each >= wanted);
  if (step !== undefined) return clockTicks(from, until, step);
  const days = daySteps.find((each) => each * dayUs >= wanted);
  if (days !== undefined) return dayTicks(from, until, days);
  return monthTicks(from, until, monthSteps.find((each) => each * 30 * dayUs >= wanted) ?? 1200);
}

/** On the clock: six o'clock is a tick every day, whatever the day's length. */
function clockTicks(from: number, until: number, step: number): Ticks {
  const at: number[] = [];
  if (step <= hourUs) {
    // Zones are whole quarters of an hour away from UTC, but for a few minutes in old times.
    const shift = offsetUs(from) % hourUs;
    for (let us = Math.ceil((from + shift) / step) * step - shift; us < until; us += step) at.push(us);
  } else {
    for (let day = dayText(from); ; day = nextDay(day, 1)) {
      const midnight = momentOf(day, '00:00');
      if (midnight === undefined || midnight >= until) break;
      for (let us = 0; us < dayUs; us += step) {
        const moment = momentOf(day, clockOf(us));
        if (moment !== undefined && moment >= from && moment < until && moment !== at.at(-1)) at.push(moment);
      }
    }
  }
  const millis = step < secondUs;
  const texts = at.map((us, index) => {
    const clock = clockText(us, { millis });
    const text = step >= minuteUs ? clock.slice(0, 5) : clock;
    const before = at[index - 1];
    const isNewDay = before === undefined || dayText(before) !== dayText(us);
    const isNewOffset = before !== undefined && offsetUs(before) !== offsetUs(us);
    if (isNewDay) return `${text}\n${dayText(us)}`;
    return isNewOffset ? `${text}\n${offsetText(us)}` : text;
  });
  return { at, texts };
}

function dayTicks(from: number, until: number, days: number): Ticks {
  const at: number[] = [];
  const texts: string[] = [];
  // Weeks begin on Mondays: the fourth day of 1970 was the first Sunday.
  const number = Math.floor((Date.parse(dayText(from)) / 86_400_000 - 4) / days) * days + 4;
  for (let day = dayOfNumber(number); ; day = nextDay(day, days)) {
    const us = momentOf(day, '00:00');
    if (us === undefined || us >= until) break;
    if (us < from) continue;
    texts.push(
      at.length === 0 || day.slice(0, 4) !== dayText(at.at(-1) ?? 0).slice(0, 4)
        ? `${day.slice(5)}\n${day.slice(0, 4)}`
        : day.slice(5),
    );
    at.push(us);
  }
  return { at, texts };
}

function monthTicks(from: number, until: number, months: number): Ticks {
  const at: number[] = [];
  const texts: string[] = [];
  const [year = 0, month = 1] = dayText(from).split('-').map(Number);
  for (let count = Math.floor((year * 12 + month - 1) / months) * months; ; count += months) {
    const name = `${String(Math.floor(count / 12)).padStart(4, '0')}-${String((count % 12) + 1).padStart(2, '0')}`;
    const us = momentOf(`${name}-01`, '00:00');
    if (us === undefined || us >= until || at.length > 1000) break;
    if (us < from) continue;
    at.push(us);
    texts.push(months >= 12 ? name.slice(0, 4) : name);
  }
  return { at, texts };
}

function nextDay(day: string, count: number): string {
  return dayOfNumber(Date.parse(day) / 86_400_000 + count);
}

function dayOfNumber(number: number): string {
  return new Date(number * 86_400_000).toISOString().slice(0, 10);
}

function clockOf(us: number): string {
  return new Date(us / 1000).toISOString().slice(11, 19);
}

/** How far the zone's clock is ahead of UTC. */
export function offsetUs(us: number): number {
  const ms = Math.floor(us / 1e6) * 1000;
  return (Date.parse(`${dayText(us)}T${clockText(us)}Z`) - ms) * 1000;
}
