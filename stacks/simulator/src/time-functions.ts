// The functions of time, compiled from their arguments: those that follow the clock of the day (sine, ramp, square,
// text) and those that begin with their point (walk, counter). Seconds are simulated ones.
import { type Datatype, traitsOf } from '@telltale/schema';
import type { Random } from './random.ts';

export type TimeFunction<T = number> = (seconds: number) => T;

interface Wave {
  readonly low: number;
  readonly high: number;
  readonly period: number;
  readonly phase: number;
}

export function sine({ low, high, period, phase }: Wave): TimeFunction {
  return (seconds) => between(low, high, 0.5 + 0.5 * Math.sin(2 * Math.PI * share(seconds + phase, period)));
}

export function ramp({ low, high, period, phase, fall }: Wave & { fall: number }): TimeFunction {
  const rise = period - fall;
  return (seconds) => {
    const at = share(seconds + phase, period) * period;
    return between(low, high, at < rise ? at / rise : fall === 0 ? 1 : (period - at) / fall);
  };
}

export function square({ low, high, period, phase, duty }: Wave & { duty: number }): TimeFunction {
  return (seconds) => (share(seconds + phase, period) < duty ? high : low);
}

export function text({ words, period }: { words: string; period: number }): TimeFunction<string> {
  const texts = words.split('|');
  return (seconds) => texts[Math.floor(share(seconds, period * texts.length) * texts.length)] ?? '';
}

/** A walk that falls behind by more moves than this takes only so many of them: a scan must end. */
export const maxMovesAScan = 100;

interface Walk {
  readonly low: number;
  readonly high: number;
  readonly start?: number;
  readonly step: number;
  readonly period: number;
}

/** Begins when it is first asked. */
export function walk({ low, high, start, step, period }: Walk, random: Random): TimeFunction {
  let value = start ?? low / 2 + high / 2;
  const movesAt = stepsSinceFirst(period);
  let moved = 0;
  return (seconds) => {
    const moves = movesAt(seconds);
    for (let left = Math.min(moves - moved, maxMovesAScan); left > 0; left--) {
      value += (2 * random() - 1) * step;
      if (value > high) value = Math.max(low, high - (value - high));
      else if (value < low) value = Math.min(high, low + (low - value));
    }
    moved = Math.max(moved, moves);
    return value;
  };
}

interface Counter {
  readonly low: number;
  readonly high?: number;
  readonly step: number;
  readonly period: number;
}

/** Up to here every whole number is exact, in the datatype and in a double. */
function largestExact(datatype: Datatype): number {
  const { precision, highest = 0 } = traitsOf(datatype);
  return Math.min(Number(highest), precision === 'single' ? 2 ** 24 : Number.MAX_SAFE_INTEGER);
}

/** Begins when it is first asked. */
export function counter({ low, high, step, period }: Counter, datatype: Datatype): TimeFunction {
  const top = high ?? Math.max(low, largestExact(datatype));
  const values = Math.floor((top - low) / Math.abs(step)) + 1;
  const first = step > 0 ? low : top;
  const stepsAt = stepsSinceFirst(period);
  return (seconds) => first + step * (stepsAt(seconds) % values);
}

function stepsSinceFirst(period: number): TimeFunction {
  let begin: number | undefined;
  return (seconds) => {
    begin ??= seconds;
    // Without the little more, 0.3 s would be two steps of 0.1 s.
    return Math.floor((seconds - begin) / period + 1e-6);
  };
}

/** How much of its period has passed: from 0 up to 1, 1 not among it. */
function share(seconds: number, period: number): number {
  const periods = seconds / period;
  const passed = periods - Math.floor(periods);
  return passed < 1 ? passed : 0;
}

/** Without a difference that could be infinite, and never a hair outside. */
function between(low: number, high: number, weight: number): number {
  return Math.min(high, Math.max(low, low * (1 - weight) + high * weight));
}
