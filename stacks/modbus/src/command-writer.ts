// The commands on their way to the devices of one line: which requests write them, and how each has ended.
import type { Value } from '@telltale/schema';
import { type CommandWrite, NotConnected, type StackCommand, type WriteResult, written } from '@telltale/stack-kit';
import type { Address } from './address.ts';
import { LostAnswer } from './client.ts';
import { exceptionCodes, ModbusException } from './pdu.ts';
import type { ConnectorVariables } from './variables.ts';
import {
  blockRequest,
  type PlacedWrite,
  partOf,
  planBlocks,
  readBlockRequest,
  readWriteBlockRequest,
} from './write-block.ts';
import { differsFrom, encodeValue, writeBitAgain, writeBitByMask, writeRequest } from './write-request.ts';

export interface CommandWriterOptions {
  readonly variables: ConnectorVariables;
  /** Where a command lies, or why it cannot be reached. */
  readonly place: (command: StackCommand) => Address | string;
  /** Resolves with the answer; throws as `Client.request` does. */
  readonly ask: (unit: number, pdu: Uint8Array, signal: AbortSignal) => Promise<Uint8Array>;
}

export class CommandWriter {
  readonly #options: CommandWriterOptions;
  /** Read-modify-write: one write after the other. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(options: CommandWriterOptions) {
    this.#options = options;
  }

  async write(write: CommandWrite, signal: AbortSignal): Promise<WriteResult> {
    const [result = written.unknown('there is no result')] = await this.writeMany([write], signal);
    return result;
  }

  /** In their order. Neighbours share a request. */
  async writeMany(writes: readonly CommandWrite[], signal: AbortSignal): Promise<readonly WriteResult[]> {
    const { place, variables } = this.#options;
    const { bitWrites, maxWriteRegisters, unit: ownUnit } = variables;
    const results: WriteResult[] = [];
    const placed = writes.flatMap(({ command, value }, index) => {
      const address = place(command);
      const fault = typeof address === 'string' ? address : faultOf(address, value);
      if (typeof address !== 'string' && fault === undefined) {
        return [{ index, unit: address.unit ?? ownUnit, address, value }];
      }
      results[index] = written.refused(fault ?? '');
      return [];
    });
    const carryOut = async () => {
      for (const block of planBlocks(placed, maxWriteRegisters)) {
        const outcomes = await this.#writeBlock(block, signal);
        for (const [at, { index }] of block.entries()) results[index] = outcomes[at] as WriteResult;
      }
    };
    if (bitWrites === 'mask') await carryOut();
    else {
      const turn = this.#writing.then(carryOut);
      this.#writing = turn.catch(() => {});
      await turn;
    }
    return results;
  }

  /** A block that the device refuses as a whole was not carried out: what is in it is written one by one. */
  async #writeBlock(block: readonly PlacedWrite[], signal: AbortSignal): Promise<WriteResult[]> {
    const { readBack, readWrite } = this.#options.variables;
    const all = (result: WriteResult) => block.map(() => result);
    const { unit } = block[0] as PlacedWrite;
    const ask = (pdu: Uint8Array) => this.#options.ask(unit, pdu, signal);
    const readWriting = readWrite ? readWriteBlockRequest(block) : undefined;
    let request: Uint8Array;
    try {
      request = readWriting ?? (await this.#requestFor(block, ask));
    } catch (error) {
      return all(unwritten(error));
    }
    let answer: Uint8Array;
    try {
      answer = await ask(request);
    } catch (error) {
      const isIllegal = error instanceof ModbusException && illegalCodes.includes(error.code);
      return block.length > 1 && isIllegal ? this.#writeOneByOne(block, signal) : all(unaccepted(error));
    }
    if (!readBack) return all(written.accepted);
    try {
      const present = readWriting === undefined ? await ask(readBlockRequest(block)) : answer;
      return block.map((write) => {
        const part = block.length === 1 ? present : partOf(present, block, write);
        const difference = differsFrom(write.address, write.value, part);
        return difference === undefined ? written.accepted : written.refused(difference);
      });
    } catch (error) {
      return all(unread(error));
    }
  }

  async #writeOneByOne(block: readonly PlacedWrite[], signal: AbortSignal): Promise<WriteResult[]> {
    const results: WriteResult[] = [];
    for (const write of block) results.push(...(await this.#writeBlock([write], signal)));
    return results;
  }

  /** A bit of a register is written by a mask, or with the others as they are read. */
  async #requestFor(block: readonly PlacedWrite[], ask: (pdu: Uint8Array) => Promise<Uint8Array>): Promise<Uint8Array> {
    const { writeFunction, bitWrites } = this.#options.variables;
    const [one, ...others] = block;
    if (one === undefined || others.length > 0) return blockRequest(block);
    const { address, value } = one;
    if (address.bit === undefined) return writeRequest(address, value, writeFunction);
    if (bitWrites === 'mask') return writeBitByMask(address, value);
    return writeBitAgain(address, value, await ask(readBlockRequest(block)), writeFunction);
  }
}

function unread(error: unknown): WriteResult {
  return written.unknown(`it was written but could not be read back: ${(error as Error).message}`);
}

/** Why a value cannot be written there; undefined where it can. */
function faultOf(address: Address, value: Value): string | undefined {
  try {
    encodeValue(address, value);
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

/** Before anything was written: the value does not fit, or the register could not be read. */
function unwritten(error: unknown): WriteResult {
  if (error instanceof RangeError || error instanceof ModbusException) return written.refused(error.message);
  return written.notSent(`the register could not be read before the write: ${(error as Error).message}`);
}

/** Checked before anything is carried out, as the specification has it. */
const illegalCodes: readonly number[] = [
  exceptionCodes.illegalFunction,
  exceptionCodes.illegalDataAddress,
  exceptionCodes.illegalDataValue,
];

/** Said of a write, nothing was done. Of all others the device may have it: it failed in it, or a gateway does not know. */
const refusalCodes: readonly number[] = [
  ...illegalCodes,
  exceptionCodes.serverDeviceBusy,
  exceptionCodes.gatewayPathUnavailable,
];

function unaccepted(error: unknown): WriteResult {
  if (error instanceof NotConnected) return written.notSent(error.message);
  if (error instanceof ModbusException && refusalCodes.includes(error.code)) return written.refused(error.message);
  if (error instanceof LostAnswer) return written.unknown(`the link was lost before an answer: ${error.message}`);
  return written.unknown((error as Error).message);
}
