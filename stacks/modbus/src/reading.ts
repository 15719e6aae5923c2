// A measurement as the connector reads it: where it lies, and how its reading goes from an answer into a batch.
import { type Batch, type Datatype, fits, form, quality, traitsOf, type Value } from '@telltale/schema';
import type { PollRequest, StackPoint } from '@telltale/stack-kit';
import type { Address, Area } from './address.ts';
import { isLongType, type Layout, readLong, readNumber, readText, readValue } from './registers.ts';

export interface Item {
  readonly point: StackPoint;
  readonly unit: number;
  readonly area: Area;
  readonly start: number;
  readonly length: number;
  readonly bit: number | undefined;
  readonly layout: Layout | undefined;
  /** How it is read without detour, where it can be. */
  readonly plain: Plain;
  lastRead: ReadRequest | undefined;
}

/** One request for the items of a unit that lie side by side in one area. */
export interface ReadRequest extends PollRequest {
  readonly unit: number;
  readonly area: Area;
  readonly start: number;
  readonly length: number;
  readonly items: readonly Item[];
  readonly pdu: Uint8Array;
  /** The last answer to it: its bytes are used again for the next one. */
  readonly answer: DataView<ArrayBuffer>;
  /** The last answer was one that can be used. */
  isAnswered: boolean;
  error: string | undefined;
  timeUs: number;
  /** Read instead of it, while a part of it fails. */
  halves: { readonly parts: readonly ReadRequest[]; readonly untilMs: number } | undefined;
}

export function itemOf(point: StackPoint, { unit, area, start, length, bit, layout }: Address, ownUnit: number): Item {
  const plain = layout === undefined ? plains.none : plainOf(layout, point.datatype);
  return { point, unit: unit ?? ownUnit, area, start, length, bit, layout, plain, lastRead: undefined };
}

export function isBitArea(area: Area): boolean {
  return area === 'co' || area === 'di';
}

/** Before the data of an answer stand the function and the count of bytes. */
const dataAt = 2;

/** Adds the readings of all items: most of the work of a scan. Plain numbers go into the batch in one step. */
export function putReadings(request: ReadRequest, answer: DataView, batch: Batch): void {
  const { items, start, timeUs } = request;
  for (const item of items) {
    if (item.lastRead !== request) item.lastRead = request;
    const offset = dataAt + 2 * (item.start - start);
    let value: number;
    switch (item.plain) {
      case plains.uint16:
        value = answer.getUint16(offset);
        break;
      case plains.int16:
        value = answer.getInt16(offset);
        break;
      case plains.uint32:
        value = answer.getUint32(offset);
        break;
      case plains.int32:
        value = answer.getInt32(offset);
        break;
      case plains.float32:
        value = answer.getFloat32(offset);
        break;
      case plains.float64:
        value = answer.getFloat64(offset);
        break;
      default:
        putReading(item, answer, start, batch, timeUs);
        continue;
    }
    batch.number(item.point.id, value, quality.good, timeUs);
  }
}

/** Numbers, so that the choice costs little. */
const plains = { none: 0, uint16: 1, int16: 2, uint32: 3, int32: 4, float32: 5, float64: 6 } as const;
type Plain = (typeof plains)[keyof typeof plains];

function plainOf({ type, order }: Layout, datatype: Datatype): Plain {
  const { form: held, precision } = traitsOf(datatype);
  const isNumber = held === form.number;
  const isExact = precision !== 'single' || type === 'float32' || type === 'int16' || type === 'uint16';
  if (order !== 'abcd' || !isNumber || !isExact || !(type in plains)) return plains.none;
  return plains[type as keyof typeof plains];
}

/** Adds one reading from the answer to a request of `start` and on. A value that does not fit is bad, sensor failure. */
function putReading(item: Item, answer: DataView, start: number, batch: Batch, timeUs: number): void {
  const { layout, point } = item;
  const { id, datatype } = point;
  if (layout === undefined) putNumber(batch, id, datatype, readBit(item, answer, start), timeUs);
  else {
    const offset = dataAt + 2 * (item.start - start);
    const { form: held } = traitsOf(datatype);
    if (held === form.text) {
      const text = readText(layout, answer, offset);
      if (text === undefined) batch.none(id, quality.bad.sensorFailure, timeUs);
      else batch.text(id, text, quality.good, timeUs);
    } else if (!isLongType(layout.type)) putNumber(batch, id, datatype, readNumber(layout, answer, offset), timeUs);
    else {
      const long = readLong(layout, answer, offset);
      if (held !== form.long) putNumber(batch, id, datatype, Number(long), timeUs);
      else if (!fits(traitsOf(datatype), long)) batch.none(id, quality.bad.sensorFailure, timeUs);
      else batch.long(id, long, quality.good, timeUs);
    }
  }
}

/** What is not finite, or beyond the range, the server turns bad. */
function putNumber(batch: Batch, id: number, datatype: Datatype, value: number, timeUs: number): void {
  const { form: held, precision } = traitsOf(datatype);
  if (precision === 'single') batch.number(id, Math.fround(value), quality.good, timeUs);
  else if (held !== form.long) batch.number(id, value, quality.good, timeUs);
  else if (Number.isInteger(value)) batch.long(id, BigInt(value), quality.good, timeUs);
  else batch.none(id, quality.bad.sensorFailure, timeUs);
}

function readBit({ area, start: at, bit }: Item, answer: DataView, start: number): number {
  if (isBitArea(area)) return (answer.getUint8(dataAt + ((at - start) >> 3)) >> ((at - start) & 7)) & 1;
  return (answer.getUint16(dataAt + 2 * (at - start)) >> (bit ?? 0)) & 1;
}

/** For people: the bytes of the item in an answer, and what was read from them. */
export function explainReading(item: Item, answer: DataView, start: number): { raw: string; value: Value | undefined } {
  const isBit = isBitArea(item.area);
  const offset = dataAt + (isBit ? (item.start - start) >> 3 : 2 * (item.start - start));
  const bytes = new Uint8Array(answer.buffer, answer.byteOffset + offset, isBit ? 1 : 2 * item.length);
  const raw = Buffer.from(bytes)
    .toString('hex')
    .replace(/..(?!$)/gu, '$& ');
  if (item.layout !== undefined) return { raw, value: readValue(item.layout, answer, offset) };
  const set = readBit(item, answer, start) === 1;
  const bit = isBit ? (item.start - start) & 7 : item.bit;
  return { raw: `${raw}, bit ${bit}`, value: set };
}
