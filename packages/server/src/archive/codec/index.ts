// What whoever writes records elsewhere needs of the archive's columns.

export { ByteWriter } from './byte-writer.ts';
export { commonDivisor } from './common-divisor.ts';
export { mostPlaces, notDecimal, powersOfTen, scaleDecimals } from './decimals.ts';
export { summarize, writeSummary } from './summary.ts';
