// Values on their way into the datatype of a point: rounded where a function makes them, converted only where they fit
// where a person or a device does.
import { type Batch, type Datatype, quality, type Value } from '@telltale/schema';

/** Puts a number into a batch: rounded for integers and booleans, to single precision for f. */
export type PutNumber = (batch: Batch, id: number, value: number, timeUs: number) => void;

export function putNumberAs(datatype: Datatype): PutNumber {
  switch (datatype) {
    case 'l':
      return (batch, id, value, timeUs) => batch.long(id, BigInt(Math.round(value)), quality.good, timeUs);
    case 'f':
      return (batch, id, value, timeUs) => batch.number(id, Math.fround(value), quality.good, timeUs);
    case 'd':
      return (batch, id, value, timeUs) => batch.number(id, value, quality.good, timeUs);
    default:
      // -0 would be another value than 0.
      return (batch, id, value, timeUs) => batch.number(id, Math.round(value) + 0, quality.good, timeUs);
  }
}

/** The value in this datatype; undefined where it does not fit. Numbers and texts never turn into each other. */
export function convertValue(value: Value, datatype: Datatype): Value | undefined {
  if (typeof value === 'string' || datatype === 's') {
    return typeof value === 'string' && datatype === 's' ? value : undefined;
  }
  if (datatype === 'l') return toLong(value);
  const number = Number(value);
  if (typeof value === 'bigint' && BigInt(number) !== value) return undefined;
  // An integer has no negative zero: + 0 makes it none.
  switch (datatype) {
    case 'b':
      return number === 0 || number === 1 ? number === 1 : undefined;
    case 'q':
      return Number.isInteger(number) && number >= 0 && number <= 3 ? number + 0 : undefined;
    case 'i':
      return (number | 0) === number ? number + 0 : undefined;
    case 'f': {
      const single = Math.fround(number);
      if (typeof value === 'bigint' && single !== number) return undefined;
      return Number.isFinite(single) ? single : undefined;
    }
    case 'd':
      return Number.isFinite(number) ? number : undefined;
  }
}

function toLong(value: boolean | number | bigint): bigint | undefined {
  if (typeof value !== 'bigint') return Number.isInteger(Number(value)) ? toLong(BigInt(value)) : undefined;
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** Puts a value of another point into a batch; one that does not fit is bad, sensor failure. */
export type PutValue = (batch: Batch, id: number, value: Value, quality: number, timeUs: number) => void;

/** Converts a value once, however often it is put. */
export function putValueAs(datatype: Datatype): PutValue {
  let seen: Value | undefined;
  let converted: Value | undefined;
  return (batch, id, value, valueQuality, timeUs) => {
    if (value !== seen) {
      seen = value;
      converted = convertValue(value, datatype);
    }
    if (converted === undefined) batch.none(id, quality.bad.sensorFailure, timeUs);
    else batch.value(id, converted, valueQuality, timeUs);
  };
}
