// The condition of a trigger: six operators over numbers, 64-bit integers and texts, with hysteresis. Pure.
import { type Alarm, type Datatype, parseText, ValueError } from '@telltale/schema';
import type { MeasurementReader } from '../points/index.ts';

/** By code, so that a condition is chosen without comparing texts. */
export const operatorCode = { lt: 0, le: 1, gt: 2, ge: 3, eq: 4, ne: 5 } as const;

/** What a value is compared with depends on whether the alarm is active: that is the hysteresis of lt, le, gt, ge. */
export interface Condition<V> {
  readonly code: number;
  readonly whileInactive: V;
  readonly whileActive: V;
  /** Of eq and ne. */
  readonly tolerance: V;
}

export type AnyCondition = Condition<number> | Condition<bigint> | Condition<string>;

/** Reads a trigger in the datatype of its measurement; undefined where it has no meaning in it. */
export function readCondition(alarm: Alarm, datatype: Datatype): AnyCondition | undefined {
  const { trgOperator, trgRefValue, trgHysteresis = '0' } = alarm;
  if (!isOperator(trgOperator) || trgRefValue === undefined) return undefined;
  const code = operatorCode[trgOperator];
  try {
    const reference = parseText(datatype, trgRefValue);
    if (typeof reference === 'string') {
      return { code, whileInactive: reference, whileActive: reference, tolerance: '' };
    }
    if (typeof reference === 'bigint') {
      const tolerance = parseText(datatype, trgHysteresis) as bigint;
      return { code, whileInactive: reference, whileActive: reference + BigInt(signOf(code)) * tolerance, tolerance };
    }
    const number = Number(reference);
    const tolerance = Number(parseText(datatype, trgHysteresis));
    return { code, whileInactive: number, whileActive: number + signOf(code) * tolerance, tolerance };
  } catch (error) {
    if (error instanceof ValueError) return undefined;
    throw error;
  }
}

/** What the condition says of the present value. */
export function holds(
  condition: AnyCondition,
  measurements: MeasurementReader,
  measurement: number,
  isActive: boolean,
): boolean {
  const threshold = isActive ? condition.whileActive : condition.whileInactive;
  const { code, tolerance } = condition;
  if (typeof threshold === 'number') {
    return numberHolds(code, measurements.numberOf(measurement), threshold, tolerance as number);
  }
  if (typeof threshold === 'bigint') {
    return longHolds(code, measurements.longOf(measurement), threshold, tolerance as bigint);
  }
  return textHolds(code, measurements.textOf(measurement), threshold);
}

/** Further from a limit than this share, rounding cannot make a comparison come out otherwise. */
const margin = 2 ** -48;

/**
 * An open interval round the present value in which the condition says what the alarm is already; undefined where there
 * is none, or no telling.
 */
export function quietBand(
  condition: AnyCondition,
  measurements: MeasurementReader,
  measurement: number,
  isActive: boolean,
): readonly [low: number, high: number] | undefined {
  const threshold = isActive ? condition.whileActive : condition.whileInactive;
  if (typeof threshold !== 'number' || holds(condition, measurements, measurement, isActive) !== isActive) {
    return undefined;
  }
  const value = measurements.numberOf(measurement);
  const tolerance = signOf(condition.code) === 0 ? (condition.tolerance as number) : 0;
  const blur = margin * (Math.abs(threshold) + tolerance);
  const [near, far] = [tolerance - blur, tolerance + blur];
  if (value < threshold - far) return [Number.NEGATIVE_INFINITY, threshold - far];
  if (value > threshold + far) return [threshold + far, Number.POSITIVE_INFINITY];
  if (Math.abs(value - threshold) < near) return [threshold - near, threshold + near];
  return undefined;
}

function isOperator(word: string | undefined): word is keyof typeof operatorCode {
  return word !== undefined && Object.hasOwn(operatorCode, word);
}

/** Which way the hysteresis moves what an active alarm is compared with. */
function signOf(code: number): number {
  if (code === operatorCode.lt || code === operatorCode.le) return 1;
  return code === operatorCode.gt || code === operatorCode.ge ? -1 : 0;
}

export function numberHolds(code: number, value: number, threshold: number, tolerance: number): boolean {
  if (signOf(code) !== 0) return compares(code, value, threshold);
  return Math.abs(value - threshold) <= tolerance === (code === operatorCode.eq);
}

export function longHolds(code: number, value: bigint, threshold: bigint, tolerance: bigint): boolean {
  if (signOf(code) !== 0) return compares(code, value, threshold);
  const distance = value > threshold ? value - threshold : threshold - value;
  return distance <= tolerance === (code === operatorCode.eq);
}

/** Texts are in the order of their UTF-16 code units. */
export function textHolds(code: number, value: string, threshold: string): boolean {
  if (signOf(code) !== 0) return compares(code, value, threshold);
  return (value === threshold) === (code === operatorCode.eq);
}

function compares<V extends number | bigint | string>(code: number, value: V, threshold: V): boolean {
  switch (code) {
    case operatorCode.lt:
      return value < threshold;
    case operatorCode.le:
      return value <= threshold;
    case operatorCode.gt:
      return value > threshold;
    default:
      return value >= threshold;
  }
}
