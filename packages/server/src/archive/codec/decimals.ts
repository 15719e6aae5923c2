// Decimals as integers: finds the smallest power of ten with which every value of a column is restored from its integer
// bit by bit, by one division. Values from people and devices have few decimal places.

export const mostPlaces = 12;
export const powersOfTen = Float64Array.from({ length: mostPlaces + 1 }, (_, places) => 10 ** places);

/** Adding it and taking it away rounds what is smaller than 2^51. */
const rounder = 1.5 * 2 ** 52;
const largest = 2 ** 51;
/** Beyond this the bits of a single are shorter than its decimal. */
const largestOfSingles = 2 ** 24;

/** No decimal has it. */
export const notDecimal = -1;

/**
 * Fills `into` with integers n, so that n / 10^places is the value, and returns the places; or `notDecimal`. -0 becomes
 * 0, and its position is added to `negativeZeros`. The quotient of singles is rounded to a single.
 */
export function scaleDecimals(
  values: Float64Array,
  from: number,
  to: number,
  into: Float64Array,
  negativeZeros: number[],
  isSingle: boolean,
): number {
  const limit = isSingle ? largestOfSingles : largest;
  let places = 0;
  let scale = 1;
  let scaledFrom = from;
  for (let index = from; index < to; index++) {
    const value = values[index] as number;
    let whole = value * scale + rounder - rounder;
    while ((isSingle ? Math.fround(whole / scale) : whole / scale) !== value || Math.abs(whole) > limit) {
      if (++places > mostPlaces) return notDecimal;
      scale = powersOfTen[places] as number;
      whole = value * scale + rounder - rounder;
      scaledFrom = index;
    }
    if (value === 0 && 1 / value < 0) negativeZeros.push(index - from);
    into[index - from] = whole;
  }
  for (let index = from; index < scaledFrom; index++) {
    const value = values[index] as number;
    const whole = value * scale + rounder - rounder;
    if ((isSingle ? Math.fround(whole / scale) : whole / scale) !== value || Math.abs(whole) > limit) return notDecimal;
    into[index - from] = whole;
  }
  return places;
}
