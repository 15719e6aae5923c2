// The greatest common divisor of the steps between the numbers of a column: scans and encoders count in multiples.

/** Of all steps; 1 as soon as there is no other. */
export function commonDivisor(numbers: Float64Array, from: number, to: number): number {
  let divisor = 0;
  for (let index = from + 1; index < to && divisor !== 1; index++) {
    const step = Math.abs((numbers[index] as number) - (numbers[index - 1] as number));
    if (step < 2 ** 31 && divisor < 2 ** 31) divisor = smallDivisor(step | 0, divisor | 0);
    else divisor = largeDivisor(step, divisor);
  }
  return divisor;
}

/** Apart from the large ones: the remainder of 32-bit integers is many times faster. */
function smallDivisor(step: number, divisor: number): number {
  let [a, b] = [step | 0, divisor | 0];
  while (b !== 0) {
    const rest = (a % b) | 0;
    a = b;
    b = rest;
  }
  return a;
}

function largeDivisor(step: number, divisor: number): number {
  let [a, b] = [step, divisor];
  while (b !== 0) {
    const rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}
