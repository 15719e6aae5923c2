// One request of a client of the provider, from its bytes to the bytes of its answer.
import { maxBits, maxRegisters } from './address.ts';
import { type DeviceIdentity, identificationAnswer, serverIdAnswer } from './device-identity.ts';
import { clearsCounters, type Diagnostics } from './diagnostics.ts';
import {
  exceptionCodes,
  functionCodes,
  ModbusException,
  maxReadWrittenRegisters,
  maxWrittenCoils,
  maxWrittenRegisters,
  word,
} from './pdu.ts';
import type { CommandWrite, ServedImage } from './served-image.ts';

/** What requests are answered from. */
export interface ServedDevice {
  readonly image: ServedImage;
  readonly identity: DeviceIdentity;
  readonly diagnostics: Diagnostics;
  /** Rejects with the exception that answers it where one of them is not accepted. */
  readonly carryOut: (writes: readonly CommandWrite[]) => Promise<void>;
}

/**
 * At once for what only reads. Never throws: what is wrong is an exception of the protocol, and part of the answer. A client
 * that may not write is answered with exception 1, as Modbus/TCP Security has it.
 */
export function answerRequest(
  device: ServedDevice,
  unit: number,
  pdu: Uint8Array,
  mayWrite: boolean,
): Uint8Array | Promise<Uint8Array> {
  const { diagnostics, image } = device;
  diagnostics.requests++;
  if (image.serves(unit)) diagnostics.served++;
  try {
    if (!mayWrite && changes(pdu)) throw new ModbusException(exceptionCodes.illegalFunction);
    const answer = answerOf(device, unit, pdu);
    return answer instanceof Promise ? answer.catch((error) => exceptionAnswer(device, pdu, error)) : answer;
  } catch (error) {
    return exceptionAnswer(device, pdu, error);
  }
}

/** Throws a `ModbusException`, or rejects with anything where a write failed. */
function answerOf(device: ServedDevice, unit: number, pdu: Uint8Array): Uint8Array | Promise<Uint8Array> {
  const { image, identity, diagnostics } = device;
  const code = pdu[0] ?? 0;
  switch (code) {
    case functionCodes.readCoils:
    case functionCodes.readDiscreteInputs: {
      const { start, count } = readSpan(pdu, maxBits);
      return readAnswer(code, image.readBits(unit, code === functionCodes.readCoils ? 'co' : 'di', start, count));
    }
    case functionCodes.readHoldingRegisters:
    case functionCodes.readInputRegisters: {
      const { start, count } = readSpan(pdu, maxRegisters);
      const area = code === functionCodes.readHoldingRegisters ? 'hr' : 'ir';
      return readAnswer(code, image.readRegisters(unit, area, start, count));
    }
    case functionCodes.readWriteRegisters:
      return readWrite(device, unit, pdu);
    case functionCodes.diagnostics:
      refuseUnserved(image, unit);
      return diagnostics.answer(pdu);
    case functionCodes.reportServerId:
      refuseUnserved(image, unit);
      return serverIdAnswer(identity, unit, pdu);
    case functionCodes.encapsulatedInterface:
      refuseUnserved(image, unit);
      return identificationAnswer(identity, pdu);
    default:
      return write(device, pdu, writesOf(image, unit, pdu));
  }
}

/** Whether a request could change anything, whatever else is wrong with it. */
function changes(pdu: Uint8Array): boolean {
  switch (pdu[0]) {
    case functionCodes.readCoils:
    case functionCodes.readDiscreteInputs:
    case functionCodes.readHoldingRegisters:
    case functionCodes.readInputRegisters:
    case functionCodes.reportServerId:
    case functionCodes.encapsulatedInterface:
      return false;
    case functionCodes.diagnostics:
      return clearsCounters(pdu);
    default:
      return true;
  }
}

/** What a request writes. Throws a `ModbusException`. */
function writesOf(image: ServedImage, unit: number, pdu: Uint8Array): CommandWrite[] {
  const at = word(pdu, 1);
  switch (pdu[0]) {
    case functionCodes.writeSingleCoil: {
      refuseUnless(pdu.length === 5 && (word(pdu, 3) === 0 || word(pdu, 3) === 0xff00));
      return image.coilWrites(unit, at, [word(pdu, 3) !== 0]);
    }
    case functionCodes.writeSingleRegister:
      refuseUnless(pdu.length === 5);
      return image.registerWrites(unit, at, pdu.slice(3));
    case functionCodes.writeMultipleCoils: {
      const count = word(pdu, 3);
      const bytes = Math.ceil(count / 8);
      refuseUnless(count >= 1 && count <= maxWrittenCoils && pdu[5] === bytes && pdu.length === 6 + bytes);
      refuseBeyond(at, count);
      const values = Array.from({ length: count }, (_, bit) => (((pdu[6 + (bit >> 3)] ?? 0) >> (bit & 7)) & 1) === 1);
      return image.coilWrites(unit, at, values);
    }
    case functionCodes.writeMultipleRegisters: {
      const count = word(pdu, 3);
      refuseUnless(count >= 1 && count <= maxWrittenRegisters && pdu[5] === 2 * count && pdu.length === 6 + 2 * count);
      refuseBeyond(at, count);
      return image.registerWrites(unit, at, pdu.slice(6));
    }
    case functionCodes.maskWriteRegister: {
      refuseUnless(pdu.length === 7);
      const [and, or] = [word(pdu, 3), word(pdu, 5)];
      const register = (image.presentRegister(unit, at) & and) | (or & ~and);
      return image.registerWrites(unit, at, Uint8Array.of(register >> 8, register), ~and & 0xffff);
    }
    default:
      throw new ModbusException(exceptionCodes.illegalFunction);
  }
}

async function write(
  { carryOut }: ServedDevice,
  pdu: Uint8Array,
  writes: readonly CommandWrite[],
): Promise<Uint8Array> {
  await carryOut(writes);
  return pdu.slice(0, pdu[0] === functionCodes.maskWriteRegister ? 7 : 5);
}

/** Writes, then reads. Where the registers to read are not there, nothing is written. */
function readWrite({ image, carryOut }: ServedDevice, unit: number, pdu: Uint8Array): Promise<Uint8Array> {
  const [start, count] = [word(pdu, 1), word(pdu, 3)];
  const [at, written] = [word(pdu, 5), word(pdu, 7)];
  refuseUnless(count >= 1 && count <= maxRegisters && written >= 1 && written <= maxReadWrittenRegisters);
  refuseUnless(pdu[9] === 2 * written && pdu.length === 10 + 2 * written);
  refuseBeyond(start, count);
  refuseBeyond(at, written);
  image.refuseUnmapped(unit, 'hr', start, count);
  const writes = image.registerWrites(unit, at, pdu.slice(10));
  return carryOut(writes).then(() => {
    return readAnswer(functionCodes.readWriteRegisters, image.readRegisters(unit, 'hr', start, count));
  });
}

function readSpan(pdu: Uint8Array, maxCount: number): { start: number; count: number } {
  const [start, count] = [word(pdu, 1), word(pdu, 3)];
  refuseUnless(pdu.length === 5 && count >= 1 && count <= maxCount);
  refuseBeyond(start, count);
  return { start, count };
}

function refuseUnless(isRight: boolean): void {
  if (!isRight) throw new ModbusException(exceptionCodes.illegalDataValue);
}

function refuseBeyond(start: number, count: number): void {
  if (start + count > 0x1_0000) throw new ModbusException(exceptionCodes.illegalDataAddress);
}

function refuseUnserved(image: ServedImage, unit: number): void {
  if (!image.serves(unit)) throw new ModbusException(exceptionCodes.illegalDataAddress);
}

function readAnswer(code: number, data: Uint8Array): Uint8Array {
  const answer = new Uint8Array(2 + data.length);
  answer[0] = code;
  answer[1] = data.length;
  answer.set(data, 2);
  return answer;
}

function exceptionAnswer({ diagnostics }: ServedDevice, pdu: Uint8Array, error: unknown): Uint8Array {
  diagnostics.exceptions++;
  const failure = error instanceof ModbusException ? error.code : exceptionCodes.serverDeviceFailure;
  return Uint8Array.of((pdu[0] ?? 0) | 0x80, failure);
}
