// Commands that are written together: which of them are neighbours, and the one request that writes them. Pure.
import type { Value } from '@telltale/schema';
import type { Address } from './address.ts';
import {
  maxReadWrittenRegisters,
  maxWrittenCoils,
  maxWrittenRegisters,
  readRequest,
  readWriteRegisters,
  writeMultipleCoils,
  writeMultipleRegisters,
} from './pdu.ts';
import { encodeValue } from './write-request.ts';

export interface PlacedWrite {
  readonly unit: number;
  readonly address: Address;
  readonly value: Value;
}

/** So many coils for a register, as with reads. */
const coilsARegister = 16;

/**
 * In their order: one that begins where the one before it ends, at the same unit and in the same area, is of the same block.
 * Bits of registers stand alone.
 */
export function planBlocks<W extends PlacedWrite>(writes: readonly W[], maxRegisters: number): W[][] {
  const blocks: W[][] = [];
  let length = 0;
  for (const write of writes) {
    const block = blocks.at(-1);
    const before = block?.at(-1);
    const isNext = before !== undefined && follows(before, write);
    if (block !== undefined && isNext && length + write.address.length <= limitOf(write.address, maxRegisters)) {
      block.push(write);
      length += write.address.length;
    } else {
      blocks.push([write]);
      length = write.address.length;
    }
  }
  return blocks;
}

/** Of a block of several, whose values fit. */
export function blockRequest(block: readonly PlacedWrite[]): Uint8Array {
  const { start } = (block[0] as PlacedWrite).address;
  const values = block.map(({ address, value }) => encodeValue(address, value));
  if (typeof values[0] === 'boolean') return writeMultipleCoils(start, values as boolean[]);
  return writeMultipleRegisters(start, Buffer.concat(values as Uint8Array[]));
}

/** Writes and reads back in one; undefined where that is not possible: of coils and bits, and of what is too long for it. */
export function readWriteBlockRequest(block: readonly PlacedWrite[]): Uint8Array | undefined {
  const { start, layout } = (block[0] as PlacedWrite).address;
  const count = lengthOf(block);
  if (layout === undefined || count > maxReadWrittenRegisters) return undefined;
  const values = block.map(({ address, value }) => encodeValue(address, value) as Uint8Array);
  return readWriteRegisters(start, count, start, Buffer.concat(values));
}

export function readBlockRequest(block: readonly PlacedWrite[]): Uint8Array {
  const { area, start } = (block[0] as PlacedWrite).address;
  return readRequest(area, start, lengthOf(block));
}

/** From the answer to a read of a block of several, what the answer to a read of this one of it would be. */
export function partOf(answer: Uint8Array, block: readonly PlacedWrite[], { address }: PlacedWrite): Uint8Array {
  const offset = address.start - (block[0] as PlacedWrite).address.start;
  const [code = 0] = answer;
  if (address.layout === undefined) {
    return Uint8Array.of(code, 1, ((answer[2 + (offset >> 3)] ?? 0) >> (offset & 7)) & 1);
  }
  const data = answer.subarray(2 + 2 * offset, 2 + 2 * (offset + address.length));
  return Uint8Array.of(code, data.length, ...data);
}

function follows({ unit, address: before }: PlacedWrite, next: PlacedWrite): boolean {
  const { area, start, bit } = next.address;
  if (before.bit !== undefined || bit !== undefined) return false;
  return next.unit === unit && area === before.area && start === before.start + before.length;
}

function limitOf({ layout }: Address, maxRegisters: number): number {
  if (layout !== undefined) return Math.min(maxRegisters, maxWrittenRegisters);
  return Math.min(maxRegisters * coilsARegister, maxWrittenCoils);
}

function lengthOf(block: readonly PlacedWrite[]): number {
  return block.reduce((sum, { address }) => sum + address.length, 0);
}
