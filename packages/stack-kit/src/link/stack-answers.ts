// What a stack answers when it is asked, read with care: it may be of any form and any size, and getters may throw. Only
// fresh plain objects of bounded size leave here.
import { isDatatype, maxTextBytes, type Value } from '@telltale/schema';
import type {
  BrowseAnswer,
  BrowsedAlarm,
  BrowsedPoint,
  BrowseItem,
  DeviceDetail,
  ForwardingDetail,
  ReadingTrace,
  ScanGroupDetail,
} from '../connector.ts';
import type { WriteResult } from '../write-result.ts';

export interface StackDetail {
  readonly devices: readonly DeviceDetail[];
  readonly scanGroups: readonly ScanGroupDetail[];
  readonly clients: number | undefined;
  readonly forwarding: ForwardingDetail | undefined;
  /** Devices and groups above the limits, and invalid ones. Devices that are down come first. */
  readonly leftOut: number;
}

export const noDetail: StackDetail = Object.freeze({
  devices: [],
  scanGroups: [],
  clients: undefined,
  forwarding: undefined,
  leftOut: 0,
});

const maxDevices = 256;
const maxScanGroups = 64;
/** A longer list is no list of devices. */
const maxListed = 10_000;
const maxShown = 500;
const maxRaw = 2000;
/** What the stack is given back must be whole. */
const maxLength = 4096;
const maxProperties = 64;

type Fields = Readonly<Record<string, unknown>>;

/** Nothing is thrown: what makes no sense is left out. */
export function readDetail(given: unknown): StackDetail {
  try {
    if (!isObject(given)) return noDetail;
    const all = listed(given.devices, deviceOf);
    const groups = listed(given.scanGroups, groupOf);
    const down = all.items.filter(({ isUp }) => !isUp);
    const devices =
      all.items.length <= maxDevices
        ? all.items
        : [...down, ...all.items.filter(({ isUp }) => isUp)].slice(0, maxDevices);
    const scanGroups = groups.items.slice(0, maxScanGroups);
    const count = all.count + groups.count;
    const clients = isCount(given.clients) ? given.clients : undefined;
    const forwarding = forwardingOf(given.forwarding);
    return { devices, scanGroups, clients, forwarding, leftOut: count - devices.length - scanGroups.length };
  } catch {
    return noDetail;
  }
}

/** Undefined where there was no reading. Throws where it is no trace. */
export function readTrace(given: unknown): ReadingTrace | undefined {
  if (given === undefined) return undefined;
  if (!isObject(given)) throw new TypeError('the explanation of the stack is not an object');
  const { value } = given;
  if (!isNumber(given.timeUs) || typeof given.request !== 'string' || (value !== undefined && !isValue(value))) {
    throw new TypeError('the explanation of the stack lacks its time or request, or has an invalid value');
  }
  return {
    timeUs: given.timeUs,
    request: cut(given.request, maxShown),
    raw: optionalText(given.raw, maxRaw),
    value: typeof value === 'string' ? cut(value, maxTextBytes) : value,
    error: optionalText(given.error, maxShown),
    device: optionalText(given.device, maxShown),
    scanPeriodMs: isNumber(given.scanPeriodMs) ? given.scanPeriodMs : undefined,
  };
}

/** Throws where it is no answer to a request for so many items: leaving some out would hide what the device has. */
export function readBrowseAnswer(given: unknown, limit: number): BrowseAnswer {
  if (!isObject(given) || !Array.isArray(given.items)) throw new TypeError('the stack answered without a list');
  const { items } = given;
  if (items.length > limit)
    throw new TypeError(`the stack answered with ${items.length} items; at most ${limit} are allowed`);
  return { items: Array.from(items, itemOf), cursor: whole(given.cursor, 'the cursor') };
}

/** Undefined where it is none: then nothing is known of the write. */
export function readWriteResult(given: unknown): WriteResult | undefined {
  try {
    if (!isObject(given)) return undefined;
    const { kind, reason } = given;
    if (kind === 'accepted') return { kind };
    if (kind !== 'refused' && kind !== 'notSent' && kind !== 'unknown') return undefined;
    return { kind, reason: optionalText(reason, maxShown) ?? 'it gives no reason' };
  } catch {
    return undefined;
  }
}

function itemOf(given: unknown, at: number): BrowseItem {
  const place = `item ${at}`;
  if (!isObject(given) || typeof given.title !== 'string') throw new TypeError(`${place} has no title`);
  return {
    title: cut(given.title, maxShown),
    path: whole(given.path, `the path of ${place}`),
    measurement: browsedPoint(given.measurement, `the measurement of ${place}`),
    command: browsedPoint(given.command, `the command of ${place}`),
    ...(given.alarm !== undefined && { alarm: browsedAlarm(given.alarm, `the alarm of ${place}`) }),
  };
}

function browsedPoint(given: unknown, place: string): BrowsedPoint | undefined {
  if (given === undefined) return undefined;
  if (!isObject(given)) throw new TypeError(`${place} is not a point`);
  const { datatype, eu, euRange } = given;
  if (typeof datatype !== 'string' || !isDatatype(datatype)) throw new TypeError(`${place} has no datatype`);
  return {
    ...browsedObject(given, place),
    datatype,
    ...(typeof eu === 'string' && { eu: cut(eu, maxShown) }),
    ...(isRange(euRange) && { euRange: [euRange[0], euRange[1]] as const }),
  };
}

function browsedAlarm(given: unknown, place: string): BrowsedAlarm {
  if (!isObject(given)) throw new TypeError(`${place} is not an alarm`);
  const { severity } = given;
  if (!isCount(severity)) throw new TypeError(`${place} has no severity`);
  return { ...browsedObject(given, place), severity };
}

function browsedObject(given: Fields, place: string): Pick<BrowsedPoint, keyof BrowsedPoint & keyof BrowsedAlarm> {
  const { name, description, properties } = given;
  const address = whole(given.address, `the address of ${place}`);
  if (typeof name !== 'string' || address === undefined) throw new TypeError(`${place} has no name or no address`);
  return {
    name: cut(name, maxShown),
    address,
    ...(typeof description === 'string' && { description: cut(description, maxShown) }),
    ...(properties !== undefined && { properties: propertiesOf(properties, place) }),
  };
}

function isRange(given: unknown): given is readonly [number, number] {
  return Array.isArray(given) && given.length === 2 && given.every(Number.isFinite);
}

function propertiesOf(given: unknown, place: string): Record<string, string> {
  const wrong = () => new TypeError(`the properties of ${place} must be texts, at most ${maxProperties}`);
  if (!isObject(given)) throw wrong();
  const entries = Object.entries(given);
  if (entries.length > maxProperties) throw wrong();
  return Object.fromEntries(
    entries.map(([name, text]) => {
      if (name === '' || name.length > maxShown || typeof text !== 'string' || text.length > maxLength) throw wrong();
      return [name, text];
    }),
  );
}

function listed<Item>(given: unknown, read: (item: unknown) => Item | undefined): { items: Item[]; count: number } {
  if (!Array.isArray(given)) return { items: [], count: 0 };
  const items: Item[] = [];
  for (let at = 0; at < Math.min(given.length, maxListed); at++) {
    const item = read(given[at]);
    if (item !== undefined) items.push(item);
  }
  return { items, count: given.length };
}

function deviceOf(given: unknown): DeviceDetail | undefined {
  if (!isObject(given)) return undefined;
  const { name, isUp, sinceUs, lastError } = given;
  if (typeof name !== 'string' || typeof isUp !== 'boolean' || !isNumber(sinceUs)) return undefined;
  return { name: cut(name, maxShown), isUp, sinceUs, lastError: optionalText(lastError, maxShown) };
}

function groupOf(given: unknown): ScanGroupDetail | undefined {
  if (!isObject(given)) return undefined;
  const { periodMs, points, requests, scans, overruns, tookMs } = given;
  if (!isNumber(periodMs) || !isCount(points) || !isCount(requests) || !isCount(scans) || !isCount(overruns)) {
    return undefined;
  }
  return { periodMs, points, requests, scans, overruns, tookMs: isNumber(tookMs) ? tookMs : undefined };
}

function forwardingOf(given: unknown): ForwardingDetail | undefined {
  if (!isObject(given)) return undefined;
  const { sent, givenUp, waitingSinceUs } = given;
  if (!isCount(sent) || !isCount(givenUp)) return undefined;
  return { sent, givenUp, waitingSinceUs: isNumber(waitingSinceUs) ? waitingSinceUs : undefined };
}

function isObject(given: unknown): given is Fields {
  return typeof given === 'object' && given !== null;
}

function isNumber(given: unknown): given is number {
  return typeof given === 'number' && Number.isFinite(given);
}

function isCount(given: unknown): given is number {
  return Number.isSafeInteger(given) && (given as number) >= 0;
}

function isValue(given: unknown): given is Value {
  return ['boolean', 'number', 'bigint', 'string'].includes(typeof given);
}

function optionalText(given: unknown, limit: number): string | undefined {
  return typeof given === 'string' ? cut(given, limit) : undefined;
}

function cut(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

function whole(given: unknown, what: string): string | undefined {
  if (given === undefined) return undefined;
  if (typeof given !== 'string' || given.length > maxLength) {
    throw new TypeError(`${what} is not a text of at most ${maxLength} characters`);
  }
  return given;
}
