// The arrays of a chunk of the store, decoded bit by bit into the columns of queries.
import { type Datatype, form, traitsOf } from '@telltale/schema/values';
import { type Columns, powersOfTen } from '../../archive/query/index.ts';
import { ArrayReader, arrayOfNumbers, type CopyReader, int8At, textOf } from './copy-reader.ts';

/** What `readRowArrays` reads, in its order. */
export const arrayColumns = 'step, unit, dt, us, scale, i, l, r, f, s, utf16, quality, q';

/** As it came. */
export interface RowArrays {
  readonly step: number;
  readonly unit: number;
  readonly dt: DataView | undefined;
  readonly us: DataView | undefined;
  readonly scale: number;
  readonly i: DataView | undefined;
  readonly l: DataView | undefined;
  readonly r: DataView | undefined;
  readonly f: DataView | undefined;
  readonly s: DataView | undefined;
  readonly utf16: DataView | undefined;
  readonly quality: DataView | undefined;
  readonly q: DataView | undefined;
}

export function readRowArrays(rows: CopyReader): RowArrays {
  const [step, unit] = [rows.int8(), rows.int8()];
  const [dt, us, scale] = [rows.field(), rows.field(), rows.int2()];
  const [i, l, r, f, s] = [rows.field(), rows.field(), rows.field(), rows.field(), rows.field()];
  return { step, unit, dt, us, scale, i, l, r, f, s, utf16: rows.field(), quality: rows.field(), q: rows.field() };
}

export interface RowSpan {
  readonly firstUs: number;
  readonly count: number;
}

/** Appends all of its records. Throws RangeError where the arrays are not those of such a row. */
export function appendArrays(datatype: Datatype, row: RowSpan, arrays: RowArrays, into: Columns): void {
  const { count } = row;
  const start = into.count;
  checkCount(arrays, count);
  into.reserve(start + count);
  addTimes(arrays, row, into.times.subarray(start, start + count));
  addValues(datatype, arrays, into, start, count);
  addQualities(arrays, into.qualities.subarray(start, start + count));
  into.count = start + count;
}

/** Before there is room for so many. */
function checkCount({ i, l, r, f, s }: RowArrays, count: number): void {
  const [values, other] = [i, l, r, f, s].filter((array) => array !== undefined);
  if (values === undefined || other !== undefined) throw new RangeError('one array of values is expected');
  new ArrayReader(values, count);
}

function addTimes({ step, unit, dt, us }: RowArrays, { firstUs }: RowSpan, times: Float64Array): void {
  if (us !== undefined) {
    const array = arrayOfNumbers(us, times.length);
    for (let at = 0; at < times.length; at++) times[at] = int8At(us, array.at(at, 8));
  } else if (dt !== undefined) {
    const array = arrayOfNumbers(dt, times.length);
    for (let at = 0; at < times.length; at++) times[at] = firstUs + step * at + unit * dt.getInt32(array.at(at, 4));
  } else for (let at = 0; at < times.length; at++) times[at] = firstUs + step * at;
  for (let at = 1; at < times.length; at++) {
    if ((times[at] as number) < (times[at - 1] as number)) throw new RangeError('times are not in order');
  }
  if (times[0] !== firstUs) throw new RangeError('its first time is another');
}

function addQualities({ quality, q }: RowArrays, qualities: Uint16Array): void {
  if (quality !== undefined) qualities.fill(quality.getInt16(0));
  else if (q === undefined) throw new RangeError('qualities are missing');
  else {
    const array = arrayOfNumbers(q, qualities.length);
    for (let at = 0; at < qualities.length; at++) qualities[at] = q.getInt16(array.at(at, 2));
  }
}

function addValues(datatype: Datatype, arrays: RowArrays, into: Columns, start: number, count: number): void {
  const { i, l, r, f, s, utf16 } = arrays;
  const { form: held, precision } = traitsOf(datatype);
  if (held === form.text) addTexts(s, utf16, into.texts, start, count);
  else if (s !== undefined) throw new RangeError('texts in the place of numbers');
  else if (f !== undefined) addWords(f, into, start, count);
  else if (held === form.long && l !== undefined) addWords(l, into, start, count);
  else if (held === form.long) addWhole(i, into.longs.subarray(start, start + count));
  else {
    const numbers = into.numbers.subarray(start, start + count);
    if (r !== undefined) addSingles(r, numbers);
    else addDecimals(arrays, precision === 'single', numbers);
  }
}

/** Eight bytes each, as they are: a double that is no number may have any bits. */
function addWords(field: DataView, { numbers }: Columns, start: number, count: number): void {
  const array = arrayOfNumbers(field, count);
  const words = new Int32Array(numbers.buffer, numbers.byteOffset + 8 * start, 2 * count);
  for (let index = 0; index < count; index++) {
    const at = array.at(index, 8);
    words[2 * index] = field.getInt32(at + 4);
    words[2 * index + 1] = field.getInt32(at);
  }
}

function addWhole(field: DataView | undefined, longs: BigInt64Array): void {
  if (field === undefined) throw new RangeError('whole numbers are missing');
  const array = arrayOfNumbers(field, longs.length);
  for (let index = 0; index < longs.length; index++) longs[index] = BigInt(field.getInt32(array.at(index, 4)));
}

function addSingles(field: DataView, numbers: Float64Array): void {
  const array = arrayOfNumbers(field, numbers.length);
  for (let index = 0; index < numbers.length; index++) numbers[index] = field.getFloat32(array.at(index, 4));
}

function addDecimals({ scale, i, l }: RowArrays, isSingle: boolean, numbers: Float64Array): void {
  const divisor = powersOfTen[scale];
  if (divisor === undefined) throw new RangeError(`there is no scale ${scale}`);
  if (i !== undefined) {
    const array = arrayOfNumbers(i, numbers.length);
    for (let index = 0; index < numbers.length; index++) numbers[index] = i.getInt32(array.at(index, 4)) / divisor;
  } else if (l !== undefined) {
    const array = arrayOfNumbers(l, numbers.length);
    for (let index = 0; index < numbers.length; index++) numbers[index] = int8At(l, array.at(index, 8)) / divisor;
  }
  if (isSingle)
    for (let index = 0; index < numbers.length; index++) numbers[index] = Math.fround(numbers[index] as number);
}

function addTexts(
  field: DataView | undefined,
  utf16: DataView | undefined,
  texts: string[],
  start: number,
  count: number,
): void {
  if (field === undefined) throw new RangeError('texts are missing');
  let at = start;
  for (const element of new ArrayReader(field, count).elements()) {
    texts[at++] = element === undefined ? '' : textOf(element);
  }
  if (utf16 === undefined) return;
  at = start;
  for (const element of new ArrayReader(utf16, count).elements()) {
    if (element !== undefined) {
      const { buffer, byteOffset, byteLength } = element;
      texts[at] = Buffer.from(buffer, byteOffset, byteLength).toString('utf16le');
    }
    at++;
  }
}
