// The counters of a provider, and the diagnostics (function 8) by which clients read and clear them.
import { exceptionCodes, ModbusException, word } from './pdu.ts';

const subfunctions = {
  returnQueryData: 0,
  restartCommunications: 1,
  clearCounters: 10,
  busMessages: 11,
  busErrors: 12,
  exceptions: 13,
  serverMessages: 14,
  noResponses: 15,
  negativeAcknowledges: 16,
  busy: 17,
  overruns: 18,
  clearOverruns: 20,
} as const;

export class Diagnostics {
  /** Requests of all units. */
  requests = 0;
  /** Of these, those of a unit that is served. */
  served = 0;
  /** Frames that are no Modbus TCP: each has cost its client the connection. */
  garbage = 0;
  exceptions = 0;
  /** Carried out, and their clients were gone. */
  unanswered = 0;

  /** Throws a `ModbusException`. */
  answer(pdu: Uint8Array): Uint8Array {
    const subfunction = pdu.length < 3 ? undefined : word(pdu, 1);
    if (subfunction === subfunctions.returnQueryData && pdu.length % 2 === 1) return pdu.slice();
    const data = word(pdu, 3);
    switch (subfunction) {
      case undefined:
      case subfunctions.returnQueryData:
        throw new ModbusException(exceptionCodes.illegalDataValue);
      case subfunctions.restartCommunications:
        refuseUnless(pdu.length === 5 && (data === 0 || data === 0xff00));
        this.#clear();
        return pdu.slice();
      case subfunctions.clearCounters:
        refuseUnless(pdu.length === 5 && data === 0);
        this.#clear();
        return pdu.slice();
      case subfunctions.clearOverruns:
        refuseUnless(pdu.length === 5 && data === 0);
        return pdu.slice();
      default: {
        const count = this.#count(subfunction);
        if (count === undefined) throw new ModbusException(exceptionCodes.illegalFunction);
        refuseUnless(pdu.length === 5 && data === 0);
        return Uint8Array.of(...pdu.subarray(0, 3), count >> 8, count);
      }
    }
  }

  /** Of 16 bits, beginning anew beyond; undefined where there is no such counter. */
  #count(subfunction: number): number | undefined {
    switch (subfunction) {
      case subfunctions.busMessages:
        return this.requests & 0xffff;
      case subfunctions.busErrors:
        return this.garbage & 0xffff;
      case subfunctions.exceptions:
        return this.exceptions & 0xffff;
      case subfunctions.serverMessages:
        return this.served & 0xffff;
      case subfunctions.noResponses:
        return this.unanswered & 0xffff;
      // Not on TCP, and no such exceptions are answered.
      case subfunctions.negativeAcknowledges:
      case subfunctions.busy:
      case subfunctions.overruns:
        return 0;
      default:
        return undefined;
    }
  }

  #clear(): void {
    this.requests = 0;
    this.served = 0;
    this.garbage = 0;
    this.exceptions = 0;
    this.unanswered = 0;
  }
}

/** Whether it changes something: it clears counters. */
export function clearsCounters(pdu: Uint8Array): boolean {
  const clearing: readonly number[] = [
    subfunctions.restartCommunications,
    subfunctions.clearCounters,
    subfunctions.clearOverruns,
  ];
  return clearing.includes(word(pdu, 1));
}

function refuseUnless(isRight: boolean): void {
  if (!isRight) throw new ModbusException(exceptionCodes.illegalDataValue);
}
