// A measurement as the connector reads it: where it lies, and how its reading goes from an answer into a batch.
import { type Batch, type Datatype, quality, type Value } from '@telltale/schema';
import type { StackPoint } from '@telltale/stack-kit';
import type { Address, Area } from './address.ts';
import type { ReadRequest } from './plan-reads.ts';
import { isLongType, type Layout, readLong, readNumber, readText, readValue } from './registers.ts';

/** One reading's place in the requests of its unit. */
export interface Item {
  readonly point: StackPoint;
  readonly unit: number;
  readonly area: Area;
  readonly start: number;
  readonly length: number;
  readonly bit: number | undefined;
  readonly layout: Layout | undefined;
  /** The request that read it last. */
  lastRead: ReadRequest | undefined;
}

export function itemOf(point: StackPoint, { unit, area, start, length, bit, layout }: Address, ownUnit: number): Item {
  return { point, unit: unit ?? ownUnit, area, start, length, bit, layout, lastRead: undefined };
}

export function isBitArea(area: Area): boolean {
  return area === 'co' || area === 'di';
}

/** Before the data of an answer stand the function and the count of bytes. */
const dataAt = 2;
const maxLong = 2n ** 63n - 1n;

/** Adds one reading from the answer to a request of `start` and on. A value that does not fit is bad, sensor failure. */
export function putReading(item: Item, answer: DataView, start: number, batch: Batch, timeUs: number): void {
  const { layout, point } = item;
  const { id, datatype } = point;
  if (layout === undefined) putNumber(batch, id, datatype, readBit(item, answer, start), timeUs);
  else {
    const offset = dataAt + 2 * (item.start - start);
    if (datatype === 's') {
      const text = readText(layout, answer, offset);
      if (text === undefined) batch.none(id, quality.bad.sensorFailure, timeUs);
      else batch.text(id, text, quality.good, timeUs);
    } else if (!isLongType(layout.type)) putNumber(batch, id, datatype, readNumber(layout, answer, offset), timeUs);
    else {
      const long = readLong(layout, answer, offset);
      if (datatype !== 'l') putNumber(batch, id, datatype, Number(long), timeUs);
      else if (long > maxLong) batch.none(id, quality.bad.sensorFailure, timeUs);
      else batch.long(id, long, quality.good, timeUs);
    }
  }
}

/** What is not finite, or beyond b, q or i, the server turns bad. */
function putNumber(batch: Batch, id: number, datatype: Datatype, value: number, timeUs: number): void {
  if (datatype === 'f') batch.number(id, Math.fround(value), quality.good, timeUs);
  else if (datatype !== 'l') batch.number(id, value, quality.good, timeUs);
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
  const place = isBit ? (item.start - start) & 7 : item.bit;
  return { raw: `${raw}, bit ${place}`, value: set };
}
