// The condition of an alarm's trigger: operators over numbers, 64-bit integers and texts, with hysteresis. Pure.
import { type Alarm, type Datatype, parseText, ValueError } from '@telltale/schema';
import type { MeasurementReader } from '../points/index.ts';

type Comparable = number | bigint | string;

interface Operator {
  /** Which way the hysteresis shifts the threshold of an active alarm; 0: it is a tolerance around the reference. */
  readonly shift: 1 | -1 | 0;
  /** Whether `holds` depends on nothing but the order of value and threshold, and on the tolerance. */
  readonly isByOrder: boolean;
  holds(value: Comparable, threshold: Comparable, isWithinTolerance: boolean): boolean;
}

const operators: Readonly<Record<NonNullable<Alarm['trgOperator']>, Operator>> = {
  lt: { shift: 1, isByOrder: true, holds: (value, threshold) => value < threshold },
  le: { shift: 1, isByOrder: true, holds: (value, threshold) => value <= threshold },
  gt: { shift: -1, isByOrder: true, holds: (value, threshold) => value > threshold },
  ge: { shift: -1, isByOrder: true, holds: (value, threshold) => value >= threshold },
  eq: { shift: 0, isByOrder: true, holds: (_value, _threshold, isWithinTolerance) => isWithinTolerance },
  ne: { shift: 0, isByOrder: true, holds: (_value, _threshold, isWithinTolerance) => !isWithinTolerance },
};

/** Both thresholds and the tolerance are of one type: that of the measurement's values. */
export interface Condition {
  readonly operator: Operator;
  readonly whileInactive: Comparable;
  readonly whileActive: Comparable;
  readonly tolerance: Comparable;
}

/** Reads a trigger in the datatype of its measurement; undefined where it has no meaning in it. */
export function readCondition(alarm: Alarm, datatype: Datatype): Condition | undefined {
  const { trgOperator, trgRefValue, trgHysteresis = '0' } = alarm;
  if (trgOperator === undefined || !Object.hasOwn(operators, trgOperator) || trgRefValue === undefined)
    return undefined;
  const operator = operators[trgOperator];
  try {
    const reference = parseText(datatype, trgRefValue);
    if (typeof reference === 'string') {
      return { operator, whileInactive: reference, whileActive: reference, tolerance: '' };
    }
    const hysteresis = parseText(datatype, trgHysteresis);
    if (typeof reference === 'bigint') {
      const tolerance = BigInt(hysteresis);
      const whileActive = reference + BigInt(operator.shift) * tolerance;
      return { operator, whileInactive: reference, whileActive, tolerance };
    }
    const number = Number(reference);
    const tolerance = Number(hysteresis);
    return { operator, whileInactive: number, whileActive: number + operator.shift * tolerance, tolerance };
  } catch (error) {
    if (error instanceof ValueError) return undefined;
    throw error;
  }
}

/** Whether the condition holds of the present value. */
export function holds(
  condition: Condition,
  measurements: MeasurementReader,
  measurement: number,
  isActive: boolean,
): boolean {
  const { tolerance } = condition;
  if (typeof tolerance === 'number') return holdsOf(condition, measurements.numberOf(measurement), isActive);
  if (typeof tolerance === 'bigint') return holdsOf(condition, measurements.longOf(measurement), isActive);
  return holdsOf(condition, measurements.textOf(measurement), isActive);
}

/** Of a value of the type that the condition has. Texts are in the order of their UTF-16 code units. */
export function holdsOf(condition: Condition, value: Comparable, isActive: boolean): boolean {
  const threshold = isActive ? condition.whileActive : condition.whileInactive;
  return condition.operator.holds(value, threshold, isWithin(condition.tolerance, value, threshold));
}

/** Further from a limit than this share, rounding cannot make a comparison come out otherwise. */
const margin = 2 ** -48;

/** The open interval round the value in which the alarm stays as it is; undefined where there is none. */
export function quietBand(
  condition: Condition,
  measurements: MeasurementReader,
  measurement: number,
  isActive: boolean,
): readonly [low: number, high: number] | undefined {
  const threshold = isActive ? condition.whileActive : condition.whileInactive;
  if (typeof threshold !== 'number' || !condition.operator.isByOrder) return undefined;
  if (holds(condition, measurements, measurement, isActive) !== isActive) return undefined;
  const value = measurements.numberOf(measurement);
  const tolerance = condition.operator.shift === 0 ? (condition.tolerance as number) : 0;
  const blur = margin * (Math.abs(threshold) + tolerance);
  const [near, far] = [tolerance - blur, tolerance + blur];
  if (value < threshold - far) return [Number.NEGATIVE_INFINITY, threshold - far];
  if (value > threshold + far) return [threshold + far, Number.POSITIVE_INFINITY];
  if (Math.abs(value - threshold) < near) return [threshold - near, threshold + near];
  return undefined;
}

function isWithin(tolerance: Comparable, value: Comparable, threshold: Comparable): boolean {
  if (typeof value === 'string') return value === threshold;
  // The arithmetic is the same for both types of numbers.
  const [high, low] = (value > (threshold as number) ? [value, threshold] : [threshold, value]) as [number, number];
  return high - low <= (tolerance as number);
}
