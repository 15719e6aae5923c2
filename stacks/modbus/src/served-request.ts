// One request of a client of the provider, from its bytes to the bytes of its answer.
import { maxBits, maxRegisters } from './address.ts';
import { exceptionCodes, functionCodes, ModbusException, maxWrittenRegisters, word } from './pdu.ts';
import type { CommandWrite, ServedImage } from './served-image.ts';

/** Writes in turn; rejects where one is refused. */
export type CarryOut = (writes: readonly CommandWrite[]) => Promise<void>;

const maxWrittenCoils = 1968;

/** At once for what only reads. Never throws: what is wrong is an exception of the protocol, and part of the answer. */
export function answerRequest(
  image: ServedImage,
  unit: number,
  pdu: Uint8Array,
  carryOut: CarryOut,
): Uint8Array | Promise<Uint8Array> {
  const code = pdu[0] ?? 0;
  try {
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
      default:
        return write(pdu, writesOf(image, unit, pdu), carryOut);
    }
  } catch (error) {
    return exceptionAnswer(code, error);
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

async function write(pdu: Uint8Array, writes: readonly CommandWrite[], carryOut: CarryOut): Promise<Uint8Array> {
  try {
    await carryOut(writes);
  } catch {
    return exceptionAnswer(pdu[0] ?? 0, new ModbusException(exceptionCodes.serverDeviceFailure));
  }
  return pdu.slice(0, pdu[0] === functionCodes.maskWriteRegister ? 7 : 5);
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

function readAnswer(code: number, data: Uint8Array): Uint8Array {
  const answer = new Uint8Array(2 + data.length);
  answer[0] = code;
  answer[1] = data.length;
  answer.set(data, 2);
  return answer;
}

function exceptionAnswer(code: number, error: unknown): Uint8Array {
  const failure = error instanceof ModbusException ? error.code : exceptionCodes.serverDeviceFailure;
  return Uint8Array.of(code | 0x80, failure);
}
