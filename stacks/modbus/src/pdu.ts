// Requests and answers as the protocol has them, without the frame around them: function code, data, exceptions. Pure.
import type { Area } from './address.ts';

export const functionCodes = {
  readCoils: 1,
  readDiscreteInputs: 2,
  readHoldingRegisters: 3,
  readInputRegisters: 4,
  writeSingleCoil: 5,
  writeSingleRegister: 6,
  diagnostics: 8,
  writeMultipleCoils: 15,
  writeMultipleRegisters: 16,
  reportServerId: 17,
  maskWriteRegister: 22,
  readWriteRegisters: 23,
  encapsulatedInterface: 43,
} as const;

const changing: ReadonlySet<number | undefined> = new Set([
  functionCodes.writeSingleCoil,
  functionCodes.writeSingleRegister,
  functionCodes.writeMultipleCoils,
  functionCodes.writeMultipleRegisters,
  functionCodes.maskWriteRegister,
  functionCodes.readWriteRegisters,
]);

/** Whether the request writes something. */
export function changesDevice(request: Uint8Array): boolean {
  return changing.has(request[0]);
}

export const exceptionCodes = {
  illegalFunction: 1,
  illegalDataAddress: 2,
  illegalDataValue: 3,
  serverDeviceFailure: 4,
  acknowledge: 5,
  serverDeviceBusy: 6,
  memoryParityError: 8,
  gatewayPathUnavailable: 10,
  gatewayTargetSilent: 11,
} as const;

const exceptionTexts: Readonly<Record<number, string>> = {
  [exceptionCodes.illegalFunction]: 'illegal function',
  [exceptionCodes.illegalDataAddress]: 'illegal data address',
  [exceptionCodes.illegalDataValue]: 'illegal data value',
  [exceptionCodes.serverDeviceFailure]: 'server device failure',
  [exceptionCodes.acknowledge]: 'acknowledge, it takes longer',
  [exceptionCodes.serverDeviceBusy]: 'server device busy',
  [exceptionCodes.memoryParityError]: 'memory parity error',
  [exceptionCodes.gatewayPathUnavailable]: 'gateway path unavailable',
  [exceptionCodes.gatewayTargetSilent]: 'gateway target device failed to respond',
};

/** The device has answered with an exception. */
export class ModbusException extends Error {
  override readonly name = 'ModbusException';
  readonly code: number;

  constructor(code: number) {
    super(`exception ${code}, ${exceptionTexts[code] ?? 'not in the specification'}`);
    this.code = code;
  }
}

/** What came is no answer to the request. */
export class UnfitAnswer extends Error {
  override readonly name = 'UnfitAnswer';
}

export const maxPduBytes = 253;

/** What one request writes at most. */
export const maxWrittenRegisters = 123;
export const maxWrittenCoils = 1968;
/** What one request of function 23 writes at most. */
export const maxReadWrittenRegisters = 121;

const readFunctions: Readonly<Record<Area, number>> = {
  co: functionCodes.readCoils,
  di: functionCodes.readDiscreteInputs,
  hr: functionCodes.readHoldingRegisters,
  ir: functionCodes.readInputRegisters,
};

export function readRequest(area: Area, start: number, count: number): Uint8Array {
  return words(readFunctions[area], start, count);
}

export function writeSingleCoil(at: number, value: boolean): Uint8Array {
  return words(functionCodes.writeSingleCoil, at, value ? 0xff00 : 0);
}

/** `bytes` of the one register. */
export function writeSingleRegister(at: number, bytes: Uint8Array): Uint8Array {
  return words(functionCodes.writeSingleRegister, at, ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0));
}

export function writeMultipleCoils(start: number, values: readonly boolean[]): Uint8Array {
  const data = new Uint8Array(Math.ceil(values.length / 8));
  for (const [at, value] of values.entries()) if (value) data[at >> 3] = (data[at >> 3] ?? 0) | (1 << (at & 7));
  return withData(functionCodes.writeMultipleCoils, start, values.length, data);
}

/** `bytes` of all registers. */
export function writeMultipleRegisters(start: number, bytes: Uint8Array): Uint8Array {
  return withData(functionCodes.writeMultipleRegisters, start, bytes.length / 2, bytes);
}

/** The register becomes (what it has AND `and`) OR (`or` AND NOT `and`). */
export function maskWriteRegister(at: number, and: number, or: number): Uint8Array {
  return words(functionCodes.maskWriteRegister, at, and, or);
}

/** Writes, then reads, in one. `bytes` of all registers that are written. */
export function readWriteRegisters(start: number, count: number, at: number, bytes: Uint8Array): Uint8Array {
  const pdu = new Uint8Array(10 + bytes.length);
  pdu.set(words(functionCodes.readWriteRegisters, start, count, at, bytes.length / 2));
  pdu[9] = bytes.length;
  pdu.set(bytes, 10);
  return pdu;
}

/** Whether its answer has data behind their count of bytes. */
export function isRead([code = 0]: Uint8Array): boolean {
  return code <= functionCodes.readInputRegisters || code === functionCodes.readWriteRegisters;
}

/** How long the answer to a request is that is no exception. */
export function answerLength(request: Uint8Array): number {
  const [code = 0] = request;
  if (code <= functionCodes.readDiscreteInputs) return 2 + Math.ceil(word(request, 3) / 8);
  if (isRead(request)) return 2 + 2 * word(request, 3);
  return code === functionCodes.maskWriteRegister ? 7 : 5;
}

/** Throws a `ModbusException`, or an `UnfitAnswer` where it cannot be the answer to this request. */
export function checkAnswer(request: Uint8Array, answer: Uint8Array): void {
  const [code = 0] = request;
  if (answer[0] === (code | 0x80) && answer.length === 2) throw new ModbusException(answer[1] ?? 0);
  if (answer[0] !== code) throw new UnfitAnswer(`function ${code} was asked, and ${answer[0]} was answered`);
  const length = answerLength(request);
  if (answer.length !== length) {
    throw new UnfitAnswer(`an answer of ${length} bytes was expected, and ${answer.length} came`);
  }
  if (isRead(request)) {
    if (answer[1] === length - 2) return;
    throw new UnfitAnswer(`${length - 2} bytes of data were expected, and the answer says ${answer[1]}`);
  }
  // Writes are answered with what was asked, of a multiple one without its data.
  for (let at = 1; at < length; at++) {
    if (answer[at] !== request[at]) throw new UnfitAnswer('the answer belongs to another write');
  }
}

export function word(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

function words(code: number, ...values: number[]): Uint8Array {
  const pdu = new Uint8Array(1 + 2 * values.length);
  pdu[0] = code;
  for (const [at, value] of values.entries()) {
    pdu[1 + 2 * at] = value >> 8;
    pdu[2 + 2 * at] = value;
  }
  return pdu;
}

function withData(code: number, start: number, count: number, data: Uint8Array): Uint8Array {
  const pdu = new Uint8Array(6 + data.length);
  pdu.set(words(code, start, count));
  pdu[5] = data.length;
  pdu.set(data, 6);
  return pdu;
}
