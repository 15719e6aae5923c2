// Values on their way into the datatype of a point: rounded where a function makes them, converted only where they fit
// where a person or a device does.
import { type Batch, type Datatype, fitValue, form, quality, traitsOf, type Value } from '@telltale/schema';

/** Puts a number into a batch: rounded for integers and booleans, to single precision for f. */
export type PutNumber = (batch: Batch, id: number, value: number, timeUs: number) => void;

export function putNumberAs(datatype: Datatype): PutNumber {
  const { form: held, precision } = traitsOf(datatype);
  if (held === form.long) {
    return (batch, id, value, timeUs) => batch.long(id, BigInt(Math.round(value)), quality.good, timeUs);
  }
  switch (precision) {
    case 'single':
      return (batch, id, value, timeUs) => batch.number(id, Math.fround(value), quality.good, timeUs);
    case 'double':
      return (batch, id, value, timeUs) => batch.number(id, value, quality.good, timeUs);
    default:
      // -0 would be another value than 0.
      return (batch, id, value, timeUs) => batch.number(id, Math.round(value) + 0, quality.good, timeUs);
  }
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
      converted = fitValue(datatype, value);
    }
    if (converted === undefined) batch.none(id, quality.bad.sensorFailure, timeUs);
    else batch.value(id, converted, valueQuality, timeUs);
  };
}
