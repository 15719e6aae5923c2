// The codec of registers: how numbers and texts lie in 16-bit registers, in every byte and word order. Pure.
import type { Value } from '@telltale/schema';

/** Of each type, how many registers it takes. */
const numberRegisters = {
  int16: 1,
  uint16: 1,
  int32: 2,
  uint32: 2,
  int64: 4,
  uint64: 4,
  float32: 2,
  float64: 4,
  bcd16: 1,
  bcd32: 2,
} as const;
export const numberTypes = Object.keys(numberRegisters) as readonly NumberType[];
export const textTypes = ['string', 'latin1'] as const;
export type NumberType = keyof typeof numberRegisters;
export type RegisterType = NumberType | (typeof textTypes)[number];

/** The bytes of a value as they come, A the most significant. `cdab`: words turned; `badc`: bytes in words; `dcba`: both. */
export const orders = ['abcd', 'cdab', 'badc', 'dcba'] as const;
export type Order = (typeof orders)[number];

export interface Layout {
  readonly type: RegisterType;
  readonly order: Order;
  /** Whole registers: texts fill the last one with a zero byte. */
  readonly registers: number;
  /** Of a text, less than twice the registers where its length is odd; of a number, all. */
  readonly bytes: number;
}

const numberLayouts: ReadonlyMap<string, Layout> = new Map(
  numberTypes.flatMap((type) => {
    const registers = numberRegisters[type];
    return orders.map((order) => [`${type}/${order}`, { type, order, registers, bytes: 2 * registers }] as const);
  }),
);

export function numberLayout(type: NumberType, order: Order): Layout {
  return numberLayouts.get(`${type}/${order}`) as Layout;
}

export function textLayout(type: (typeof textTypes)[number], bytes: number, order: Order): Layout {
  return { type, order, registers: Math.ceil(bytes / 2), bytes };
}

export function isNumberType(text: string): text is NumberType {
  return Object.hasOwn(numberRegisters, text);
}

export function isTextType(text: string): text is (typeof textTypes)[number] {
  return (textTypes as readonly string[]).includes(text);
}

export function isLongType(type: RegisterType): type is 'int64' | 'uint64' {
  return type === 'int64' || type === 'uint64';
}

/** The value at `offset`. Not for texts and 64-bit integers. NaN if a BCD digit is invalid. */
export function readNumber({ type, order, bytes }: Layout, view: DataView, offset: number): number {
  if (order === 'abcd') return readInOrder(type, view, offset);
  arrange(order, view, offset, scratch, bytes);
  return readInOrder(type, scratch, 0);
}

function readInOrder(type: RegisterType, view: DataView, offset: number): number {
  return readers[type]?.(view, offset) ?? Number.NaN;
}

const readers: { readonly [Type in RegisterType]?: (view: DataView, offset: number) => number } = {
  int16: (view, offset) => view.getInt16(offset),
  uint16: (view, offset) => view.getUint16(offset),
  int32: (view, offset) => view.getInt32(offset),
  uint32: (view, offset) => view.getUint32(offset),
  float32: (view, offset) => view.getFloat32(offset),
  float64: (view, offset) => view.getFloat64(offset),
  bcd16: (view, offset) => fromBcd(view.getUint16(offset)),
  bcd32: (view, offset) => fromBcd(view.getUint16(offset)) * 10_000 + fromBcd(view.getUint16(offset + 2)),
};

/** The same for 64-bit integers, exact. */
export function readLong({ type, order, bytes }: Layout, view: DataView, offset: number): bigint {
  arrange(order, view, offset, scratch, bytes);
  return type === 'uint64' ? scratch.getBigUint64(0) : scratch.getBigInt64(0);
}

/** The same for texts: up to the first zero byte, without the spaces that fill it up. Undefined where it is not UTF-8. */
export function readText(
  { type, order, bytes, registers }: Layout,
  view: DataView,
  offset: number,
): string | undefined {
  const arranged = new DataView(new ArrayBuffer(2 * registers));
  arrange(textOrder(order), view, offset, arranged, 2 * registers);
  const all = new Uint8Array(arranged.buffer, 0, bytes);
  const end = all.indexOf(0);
  const used = end < 0 ? all : all.subarray(0, end);
  try {
    const text = type === 'latin1' ? Buffer.from(used).toString('latin1') : utf8.decode(used);
    return text.replace(/ +$/u, '');
  } catch {
    return undefined;
  }
}

/** Whatever a layout holds; undefined where the bytes are none of it. */
export function readValue(layout: Layout, view: DataView, offset: number): number | bigint | string | undefined {
  if (isTextType(layout.type)) return readText(layout, view, offset);
  if (isLongType(layout.type)) return readLong(layout, view, offset);
  const number = readNumber(layout, view, offset);
  return Number.isNaN(number) && layout.type.startsWith('bcd') ? undefined : number;
}

/**
 * The bytes of a value. Fractions are rounded to the nearest whole number where the layout has whole numbers alone.
 * Throws a RangeError, for the person who wrote, where it does not fit.
 */
export function writeValue(layout: Layout, value: Value): Uint8Array {
  const bytes = new Uint8Array(2 * layout.registers);
  const view = new DataView(bytes.buffer);
  const { type } = layout;
  if (isTextType(type)) {
    putText(layout, bytes, value);
    arrange(textOrder(layout.order), view, 0, view, bytes.length);
  } else {
    putNumber(type, view, value);
    arrange(layout.order, view, 0, view, bytes.length);
  }
  return bytes;
}

/** The least and the greatest whole number of a type; undefined where it has fractions. */
export const wholeRanges: Readonly<Record<NumberType, readonly [bigint, bigint] | undefined>> = {
  int16: [-(2n ** 15n), 2n ** 15n - 1n],
  uint16: [0n, 2n ** 16n - 1n],
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
  float32: undefined,
  float64: undefined,
  bcd16: [0n, 9999n],
  bcd32: [0n, 99_999_999n],
};

const scratch = new DataView(new ArrayBuffer(8));
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Each order is its own inverse: the same turns bytes both ways. `from` and `to` may be the same, from its start. */
function arrange(order: Order, from: DataView, offset: number, to: DataView, bytes: number): void {
  const words = bytes / 2;
  const turnsWords = order === 'cdab' || order === 'dcba';
  const turnsBytes = order === 'badc' || order === 'dcba';
  for (let word = 0; word < Math.ceil(words / 2); word++) {
    const mirror = words - 1 - word;
    const [first, last] = [
      from.getUint16(offset + 2 * word, turnsBytes),
      from.getUint16(offset + 2 * mirror, turnsBytes),
    ];
    to.setUint16(2 * word, turnsWords ? last : first);
    to.setUint16(2 * mirror, turnsWords ? first : last);
  }
}

/** The characters of a text follow each other from register to register; only the two in a register may be turned. */
function textOrder(order: Order): Order {
  return order === 'badc' || order === 'dcba' ? 'badc' : 'abcd';
}

function fromBcd(word: number): number {
  let value = 0;
  for (let shift = 12; shift >= 0; shift -= 4) {
    const digit = (word >> shift) & 15;
    if (digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

function toBcd(value: number): number {
  return Number.parseInt(String(value), 16);
}

function putNumber(type: NumberType, view: DataView, value: Value): void {
  if (typeof value === 'string') throw new RangeError('a text does not fit: a number is expected');
  const range = wholeRanges[type];
  if (range === undefined) {
    const number = Number(value);
    const fits = Number.isFinite(type === 'float32' ? Math.fround(number) : number);
    if (!fits) throw new RangeError(`${value} does not fit ${type}`);
    if (type === 'float32') view.setFloat32(0, number);
    else view.setFloat64(0, number);
    return;
  }
  const whole = typeof value === 'bigint' ? value : wholeOf(Number(value), type);
  if (whole < range[0] || whole > range[1]) {
    throw new RangeError(`${value} does not fit ${type}: ${range[0]} to ${range[1]} is expected`);
  }
  if (isLongType(type)) view.setBigUint64(0, BigInt.asUintN(64, whole));
  else if (type === 'bcd32') view.setUint32(0, toBcd(Number(whole)));
  else if (type === 'bcd16') view.setUint16(0, toBcd(Number(whole)));
  else if (view.byteLength === 4) view.setUint32(0, Number(whole));
  else view.setUint16(0, Number(whole));
}

function wholeOf(number: number, type: NumberType): bigint {
  if (!Number.isFinite(number)) throw new RangeError(`${number} does not fit ${type}`);
  return BigInt(Math.round(number));
}

function putText({ type, bytes }: Layout, to: Uint8Array, value: Value): void {
  if (typeof value !== 'string') throw new RangeError(`${value} does not fit: a text is expected`);
  if (type === 'latin1' && /[^\0-\xff]/u.test(value)) {
    throw new RangeError('the text has characters outside Latin-1');
  }
  if (value.includes('\0')) throw new RangeError('the text has a zero character, which would end it');
  const encoded = Buffer.from(value, type === 'latin1' ? 'latin1' : 'utf8');
  if (encoded.length > bytes) throw new RangeError(`the text has ${encoded.length} bytes: at most ${bytes} fit`);
  to.set(encoded);
}
