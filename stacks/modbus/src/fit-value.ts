// A value that a client has written into registers, in the datatype of the command. Pure.
import type { Datatype, Value } from '@telltale/schema';

/** Undefined where it does not fit: fractions never become whole numbers, nor numbers texts. */
export function fitValue(value: Value, datatype: Datatype): Value | undefined {
  if (typeof value === 'string' || datatype === 's') {
    return typeof value === 'string' && datatype === 's' ? value : undefined;
  }
  const number = Number(value);
  switch (datatype) {
    case 'b':
      return number === 0 || number === 1 ? number === 1 : undefined;
    case 'q':
      return Number.isInteger(number) && number >= 0 && number <= 3 ? number + 0 : undefined; // -0 becomes 0
    case 'i':
      return (number | 0) === number ? number + 0 : undefined;
    case 'l': {
      if (typeof value !== 'bigint' && !Number.isInteger(number)) return undefined;
      const long = BigInt(value);
      return BigInt.asIntN(64, long) === long ? long : undefined;
    }
    case 'f':
      return Number.isFinite(Math.fround(number)) ? Math.fround(number) : undefined;
    case 'd':
      return Number.isFinite(number) ? number : undefined;
  }
}
