// A command on its way to a device: which requests write a value, and what must stand there afterwards. Pure.
import type { Value } from '@telltale/schema';
import { type Address, addressName } from './address.ts';
import {
  maskWriteRegister,
  writeMultipleCoils,
  writeMultipleRegisters,
  writeSingleCoil,
  writeSingleRegister,
} from './pdu.ts';
import { type Layout, readValue, writeValue } from './registers.ts';

export type WriteFunction = 'single' | 'multiple';

/** The bytes of registers, or whether a coil or a bit is on. Throws a RangeError where the value does not fit. */
export function encodeValue({ layout }: Address, value: Value): Uint8Array | boolean {
  return layout === undefined ? readBoolean(value) : writeValue(layout, value);
}

/** Throws a RangeError where the value does not fit. Not for bits of registers. */
export function writeRequest({ start, layout, length }: Address, value: Value, use: WriteFunction): Uint8Array {
  if (layout === undefined) {
    const isOn = readBoolean(value);
    return use === 'single' ? writeSingleCoil(start, isOn) : writeMultipleCoils(start, [isOn]);
  }
  const bytes = writeValue(layout, value);
  return length === 1 && use === 'single' ? writeSingleRegister(start, bytes) : writeMultipleRegisters(start, bytes);
}

export function writeBitByMask({ start, bit = 0 }: Address, value: Value): Uint8Array {
  const mask = 1 << bit;
  return maskWriteRegister(start, 0xffff & ~mask, readBoolean(value) ? mask : 0);
}

/** `answer`: to the read of the register as it is. */
export function writeBitAgain(
  { start, bit = 0 }: Address,
  value: Value,
  answer: Uint8Array,
  use: WriteFunction,
): Uint8Array {
  const mask = 1 << bit;
  const present = ((answer[2] ?? 0) << 8) | (answer[3] ?? 0);
  const register = readBoolean(value) ? present | mask : present & ~mask;
  const bytes = Uint8Array.of(register >> 8, register);
  return use === 'single' ? writeSingleRegister(start, bytes) : writeMultipleRegisters(start, bytes);
}

/** What the device has instead of the value, from the answer to a read of the address; undefined where it has the value. */
export function differsFrom(
  { layout, bit, area, start }: Address,
  value: Value,
  answer: Uint8Array,
): string | undefined {
  const place = addressName(area, start);
  if (layout === undefined) {
    const byte = bit === undefined ? (answer[2] ?? 0) : (answer[bit > 7 ? 2 : 3] ?? 0) >> (bit & 7);
    const isOn = (byte & 1) === 1;
    return isOn === readBoolean(value) ? undefined : `${place} is ${isOn ? 1 : 0} after the write`;
  }
  const present = valueAt(layout, answer, 2);
  // As it would be read: how a device fills up a text is its own.
  const isSame = present !== undefined && present === valueAt(layout, writeValue(layout, value), 0);
  return isSame ? undefined : `${place} is ${present ?? 'no such value'} after the write`;
}

function valueAt(layout: Layout, bytes: Uint8Array, offset: number): ReturnType<typeof readValue> {
  return readValue(layout, new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset);
}

function readBoolean(value: Value): boolean {
  if (value === true || value === 1 || value === 1n) return true;
  if (value === false || value === 0 || value === 0n) return false;
  throw new RangeError(`${value} does not fit a single bit: 0 or 1 is expected`);
}
