// The syntax of addresses, such as `3/hr100:float32/cdab`: parsed into where and how a value lies in a device. Pure.
import {
  isNumberType,
  isTextType,
  type Layout,
  type NumberType,
  numberLayout,
  numberTypes,
  type Order,
  orders,
  textLayout,
  textTypes,
} from './registers.ts';

/** Coils, discrete inputs, input registers, holding registers. */
export type Area = 'co' | 'di' | 'ir' | 'hr';

export interface Address {
  /** Undefined: that of the connector or provider. */
  readonly unit: number | undefined;
  readonly area: Area;
  /** As the protocol has it, from 0. */
  readonly start: number;
  /** How many registers, or 1 for a coil or a discrete input. */
  readonly length: number;
  /** Of a register, 0 the least significant. */
  readonly bit: number | undefined;
  /** Of registers that are read as a whole. */
  readonly layout: Layout | undefined;
  /** Whether the address says itself how its registers are laid out. */
  readonly isTyped: boolean;
}

export type ParsedAddress = { address: Address; fault?: never } | { address?: never; fault: string };

const areaPattern = '(?:co|di|ir|hr)[0-9]{1,5}|[0134][0-9]{4,5}';
const inner = String.raw`(?:[0-9]{1,3}/)?(?:${areaPattern})(?:\.[0-9]{1,2})?(?::[a-z0-9]{1,8}(?:\([0-9]{1,3}\))?)?(?:/[abcd]{2,4})?`;

/** The outer form; what it means is the parser's. */
export const addressRegex = `^${inner}$`;

const form = new RegExp(
  String.raw`^(?:([0-9]{1,3})/)?(${areaPattern})(?:\.([0-9]{1,2}))?(?::([a-z0-9]{1,8})(?:\(([0-9]{1,3})\))?)?(?:/([abcd]{2,4}))?$`,
  'u',
);

/** What one request reads at most. */
export const maxRegisters = 125;
export const maxBits = 2000;
/** Registers, coils: 0 to 65535. */
const addressCount = 65_536;
const classicAreas: Readonly<Record<string, Area>> = { 0: 'co', 1: 'di', 3: 'ir', 4: 'hr' };

/** `defaultOrder`: of values of two and four registers whose address does not say. */
export function parseAddress(text: string, defaultOrder: Order = 'abcd'): ParsedAddress {
  const [, unitText, placeText, bitText, type, lengthText, orderText] = form.exec(text) ?? [];
  if (placeText === undefined) return { fault: `${JSON.stringify(text)} is not of the form unit/hr100:type/order` };
  const unit = unitText === undefined ? undefined : Number(unitText);
  if (unit !== undefined && unit > 255) return { fault: `unit ${unit} is above 255` };
  const found = parseStart(placeText);
  if (typeof found === 'string') return { fault: found };
  const { area, start } = found;
  const bit = bitText === undefined ? undefined : Number(bitText);
  if (area === 'co' || area === 'di') {
    if (bit !== undefined || type !== undefined || orderText !== undefined) {
      return { fault: `${placeText} is a single bit: it has no bit number, type or order` };
    }
    return { address: { unit, area, start, length: 1, bit: undefined, layout: undefined, isTyped: true } };
  }
  if (bit !== undefined) {
    if (bit > 15) return { fault: `bit ${bit} is above 15: a register has bits 0 to 15, 0 the least significant` };
    if (type !== undefined || orderText !== undefined)
      return { fault: `bit ${bit} of ${placeText} has no type or order` };
    return { address: { unit, area, start, length: 1, bit, layout: undefined, isTyped: true } };
  }
  const layout = parseLayout(type ?? 'uint16', lengthText, orderText, defaultOrder);
  if (typeof layout === 'string') return { fault: layout };
  const length = layout.registers;
  if (start + length > addressCount)
    return { fault: `${text} reaches beyond register ${addressCount - 1}, the last one` };
  return { address: { unit, area, start, length, bit: undefined, layout, isTyped: type !== undefined } };
}

/** For people and for the names of requests: `hr100`. */
export function addressName(area: Area, start: number): string {
  return `${area}${start}`;
}

function parseStart(text: string): { area: Area; start: number } | string {
  const area = classicAreas[text.charAt(0)];
  if (area === undefined) {
    const start = Number(text.slice(2));
    if (start >= addressCount)
      return `${text} is above ${text.slice(0, 2)}${addressCount - 1}, the last one: it counts from 0`;
    return { area: text.slice(0, 2) as Area, start };
  }
  const number = Number(text.slice(1));
  if (number === 0 || number > addressCount) {
    return `${text} is none of ${text.charAt(0)}00001 to ${text.charAt(0)}65536: this notation counts from 1`;
  }
  return { area, start: number - 1 };
}

function parseLayout(
  type: string,
  lengthText: string | undefined,
  orderText: string | undefined,
  defaultOrder: Order,
): Layout | string {
  if (isTextType(type)) {
    const bytes = Number(lengthText);
    if (lengthText === undefined || bytes < 1 || bytes > 2 * maxRegisters) {
      return `${type} wants its length in bytes, 1 to ${2 * maxRegisters}, as in ${type}(16)`;
    }
    const order = shortOrder(orderText);
    return order === undefined ? wrongShortOrder(type) : textLayout(type, bytes, order);
  }
  if (!isNumberType(type)) {
    return `unknown type ${type}: one of ${[...numberTypes, ...textTypes.map((each) => `${each}(length)`)].join(', ')}`;
  }
  if (lengthText !== undefined) return `${type} has no length`;
  return parseNumberLayout(type, orderText, defaultOrder);
}

function parseNumberLayout(type: NumberType, orderText: string | undefined, defaultOrder: Order): Layout | string {
  if (numberLayout(type, 'abcd').registers === 1) {
    const order = shortOrder(orderText);
    return order === undefined ? wrongShortOrder(type) : numberLayout(type, order);
  }
  const order = orders.find((each) => each === (orderText ?? defaultOrder));
  return order === undefined ? `the order of ${type} must be one of ${orders.join(', ')}` : numberLayout(type, order);
}

/** Of single registers and texts. The default of a connector is not for them: devices that turn words rarely turn these. */
function shortOrder(text = 'ab'): Order | undefined {
  if (text === 'ab') return 'abcd';
  return text === 'ba' ? 'badc' : undefined;
}

function wrongShortOrder(type: string): string {
  return `the order of ${type} must be ab or ba: that of the two bytes in a register`;
}
