// Few requests for many readings of one unit: neighbours in one area share a request. Pure.
import { coalesce } from '@telltale/stack-kit';
import { type Area, maxBits } from './address.ts';
import { answerLength, readRequest } from './pdu.ts';
import { type Item, isBitArea, type ReadRequest } from './reading.ts';

export interface ReadLimits {
  readonly maxRegisters: number;
  readonly maxGap: number;
}

/** So many coils lie in the room of a register. */
const bitsARegister = 16;

/** An item that is longer than a request may be is in none of them. */
export function planReads(items: readonly Item[], { maxRegisters, maxGap }: ReadLimits): ReadRequest[] {
  const groups = Map.groupBy(items, ({ unit, area }) => `${unit}/${area}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const scale = isBitArea(first.area) ? bitsARegister : 1;
    const maxLength = Math.min(scale * maxRegisters, maxBits);
    const readable = group.filter(({ length }) => length <= maxLength);
    const requests = coalesce(readable, { maxLength, maxGap: scale * maxGap });
    return requests.map(({ spans }) => requestOf(spans));
  });
}

/** Two requests for the items of one that has several. */
export function halve({ items }: ReadRequest): ReadRequest[] {
  const middle = Math.ceil(items.length / 2);
  return [requestOf(items.slice(0, middle)), requestOf(items.slice(middle))];
}

/** For people: `read holding registers 100 to 119 of unit 1`. */
export function requestName({ unit, area, start, length }: ReadRequest): string {
  const addresses = length === 1 ? String(start) : `${start} to ${start + length - 1}`;
  return `read ${areaNames[area]} ${addresses} of unit ${unit}`;
}

const areaNames: Readonly<Record<Area, string>> = {
  co: 'coils',
  di: 'discrete inputs',
  ir: 'input registers',
  hr: 'holding registers',
};

/** Items of one unit and area. */
function requestOf(items: readonly Item[]): ReadRequest {
  const [{ unit, area } = { unit: 0, area: 'hr' as Area }] = items;
  let [start, end] = [Number.POSITIVE_INFINITY, 0];
  for (const item of items) {
    start = Math.min(start, item.start);
    end = Math.max(end, item.start + item.length);
  }
  const pdu = readRequest(area, start, end - start);
  return {
    points: items.map(({ point }) => point),
    unit,
    area,
    start,
    length: end - start,
    items,
    pdu,
    answer: new DataView(new ArrayBuffer(answerLength(pdu))),
    isAnswered: false,
    error: undefined,
    timeUs: 0,
    halves: undefined,
  };
}
