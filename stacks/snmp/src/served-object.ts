// A point as the agent serves it: its newest value as the type that its address says, and what a client sets as a value
// of its datatype.
import { form as carried, fitValue, formatText, formatTimestamp, isBad, traitsOf, type Value } from '@telltale/schema';
import type { ServedPoint } from '@telltale/stack-kit';
import { hasOwnType } from './address.ts';
import { integerContent, tag } from './ber.ts';
import { errorStatus, type Varbind } from './pdu.ts';
import { parseServedAddress, type ServedAddress } from './served-address.ts';
import { encodeValue, isException, numberOf, readValue, Unfit } from './snmp-value.ts';

/** The columns below the base, each with the index of the point behind it. */
export const columns = { value: 1, quality: 2, time: 3, name: 4 } as const;
export type Column = keyof typeof columns;

export class ServedObject {
  readonly served: ServedPoint;
  readonly address: ServedAddress;

  constructor(served: ServedPoint) {
    this.served = served;
    this.address = parseServedAddress(served.point.address, served.point.datatype);
  }

  /** Undefined where there is nothing to show. */
  read(column: Column, oid: string, showsBad: boolean): Varbind | undefined {
    const { point, quality, timeUs } = this.served;
    switch (column) {
      case 'value':
        return isBad(quality) && !showsBad ? undefined : this.#readValue(oid);
      case 'quality':
        return { oid, tag: tag.gauge32, content: integerContent(quality) };
      case 'time':
        return timeUs === 0 ? undefined : text(oid, formatTimestamp(timeUs));
      case 'name':
        return text(oid, point.name);
    }
  }

  #readValue(oid: string): Varbind | undefined {
    let { value } = this.served;
    if (value === undefined) return undefined;
    const { form } = this.address;
    try {
      if (form === 'text') return text(oid, formatText(this.served.point.datatype, value));
      if (typeof value === 'number' && (form === 'integer' || form === 'unsigned')) value = Math.round(value);
      // A counter wraps, as clients expect of counters.
      if (form === 'counter32' && BigInt(value) >= 0n) value = BigInt.asUintN(32, BigInt(value));
      return encodeValue(oid, value, form);
    } catch {
      // It does not go into the type: no value is better than another one.
      return undefined;
    }
  }

  /** What a client wants to set, or the status to answer. */
  parse(varbind: Varbind): { readonly value: Value } | number {
    const { datatype } = this.served.point;
    if (traitsOf(datatype).form === carried.text) {
      if (varbind.tag !== tag.octets) return errorStatus.wrongType;
      const given = varbind.content.toString('utf8');
      return Buffer.from(given, 'utf8').equals(varbind.content) && !given.includes('\0')
        ? { value: given }
        : errorStatus.wrongEncoding;
    }
    if (isException(varbind.tag) || (varbind.tag === tag.octets && hasOwnType(datatype))) {
      return errorStatus.wrongType;
    }
    if (numberOf(varbind) === undefined) {
      return varbind.tag === tag.octets ? errorStatus.wrongValue : errorStatus.wrongType;
    }
    const value = readValue(varbind, datatype, this.address.form === 'truth' ? 'truth' : undefined);
    if (value === undefined) return errorStatus.wrongValue;
    const fitted = fitValue(datatype, value);
    return fitted === undefined ? errorStatus.wrongValue : { value: fitted };
  }
}

function text(oid: string, given: string): Varbind {
  const content = Buffer.from(given, 'utf8');
  if (content.length > 65_000) throw new Unfit('the text is too long for a message');
  return { oid, tag: tag.octets, content };
}
