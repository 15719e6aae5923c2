// Whether an address suits its point: what can be written, and which datatypes hold what lies there.
import { type Datatype, datatypes, firstHolding, form, type IntegerType, traitsOf } from '@telltale/schema';
import type { Point, PointKind } from '@telltale/stack-kit';
import { type Address, parseAddress } from './address.ts';
import { maxWrittenRegisters } from './pdu.ts';
import type { RegisterType } from './registers.ts';
import { parseServedAddress } from './served-address.ts';

const texts = datatypes.filter((datatype) => traitsOf(datatype).form === form.text);
const numbers = datatypes.filter((datatype) => traitsOf(datatype).form !== form.text);
const quantities = datatypes.filter((datatype) => traitsOf(datatype).isQuantity);
const signed32 = quantities.filter((datatype) => Number(traitsOf(datatype).lowest) <= -(2 ** 31));
const unsigned32 = quantities.filter((datatype) => Number(traitsOf(datatype).highest) >= 2 ** 32 - 1);
const signed64 = signed32.filter((datatype) => unsigned32.includes(datatype));
const decimals = quantities.filter((datatype) => traitsOf(datatype).precision !== 'whole');

/** The raw datatypes that hold every reading, maybe rounded; b takes 0 and 1, q 0 to 3. Beyond l, it is bad. */
export const holders: Readonly<Record<RegisterType | 'bit', readonly Datatype[]>> = {
  bit: numbers,
  int16: numbers,
  uint16: numbers,
  int32: signed32,
  uint32: unsigned32,
  int64: signed64,
  uint64: signed64,
  float32: decimals,
  float64: decimals,
  bcd16: quantities,
  bcd32: quantities,
  string: texts,
  latin1: texts,
};

/** Of a connector's point. What is wrong and what would be right, or undefined. */
export function checkAddress(kind: PointKind, text: string, point: Point): string | undefined {
  const { address, fault } = parseAddress(text);
  if (address === undefined) return fault;
  const datatype = point.rawDatatype ?? point.datatype;
  return (kind === 'command' ? checkWritable(address) : undefined) ?? checkHolds(address, datatype);
}

/** Of a provider's point. Numbers are served in any layout: those that do not fit it are served as bad ones are. */
export function checkServedAddress(kind: PointKind, text: string, { datatype }: Point): string | undefined {
  const { served, fault } = parseServedAddress(text);
  if (served === undefined) return fault;
  const { address, quality } = served;
  if (kind === 'command') {
    const wrong = checkWritable(address);
    if (wrong !== undefined) return wrong;
    if (quality !== undefined) return 'a command has no quality: remove the semicolon and what follows';
  }
  const type = typeOf(address);
  if (texts.includes(datatype) !== (holders[type] === texts)) return unheld(address, datatype);
  if (type === 'bit')
    return traitsOf(datatype).isBoolean ? undefined : `a single bit is of datatype b, not ${datatype}`;
  if (!address.isTyped && traitsOf(datatype).isQuantity) {
    return `datatype ${datatype} requires a type, as in ${text.split(';')[0]}:${layoutOf(datatype)}`;
  }
  return undefined;
}

const integers: readonly IntegerType<RegisterType>[] = [
  ['int32', -(2 ** 31), 2 ** 31 - 1],
  ['uint32', 0, 2 ** 32 - 1],
  ['int64', -(2n ** 63n), 2n ** 63n - 1n],
];

/** The layout that holds every value of a number. */
function layoutOf(datatype: Datatype): RegisterType {
  if (traitsOf(datatype).precision === 'single') return 'float32';
  return firstHolding(datatype, integers) ?? 'float64';
}

function checkWritable({ area, length }: Address): string | undefined {
  if (length > maxWrittenRegisters) {
    return `${length} registers cannot be written at once: at most ${maxWrittenRegisters}, ${2 * maxWrittenRegisters} bytes, can`;
  }
  if (area === 'co' || area === 'hr') return undefined;
  return `${area === 'di' ? 'discrete inputs' : 'input registers'} can only be read: coils (co) and holding registers (hr) can be written`;
}

function checkHolds(address: Address, datatype: Datatype): string | undefined {
  return holders[typeOf(address)].includes(datatype) ? undefined : unheld(address, datatype);
}

function unheld(address: Address, datatype: Datatype): string {
  const type = typeOf(address);
  const fitting = datatypes.filter((each) => holders[type].includes(each)).join(', ');
  const hint = texts.includes(datatype) ? ' (a text is laid out as string(length))' : '';
  return `${type} is of raw datatype ${fitting}, not ${datatype}${hint}`;
}

function typeOf({ layout }: Address): RegisterType | 'bit' {
  return layout?.type ?? 'bit';
}
