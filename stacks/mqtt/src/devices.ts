// The devices behind a broker, each with a topic that says whether it is there: by its birth and its last will.
import type { Clock } from '@telltale/schema';
import type { DeviceDetail } from '@telltale/stack-kit';
import { type Address, parseAddress } from './address.ts';
import type { Payload } from './payload.ts';
import { type Delivery, isLive, type Tap } from './tap.ts';
import { filterFault, hasWildcard } from './topic.ts';

export interface Device {
  readonly name: string;
  readonly statusTopic: string;
  readonly taps: Tap[];
  /** Undefined: it has not said. */
  isUp: boolean | undefined;
  /** It has said so by a live message: what is retained is older, or the same once more. */
  isLive: boolean;
  /** When it said so, or the connection was made. */
  sinceUs: number;
  /** When it went the last time; undefined where it has not, over this connection. */
  wentMs: number | undefined;
  lastError: string | undefined;
}

export interface StatusVariables {
  readonly statusTopic: string;
  readonly onlinePayload: string;
  readonly offlinePayload: string;
}

const placeholder = '{device}';

/** What is wrong with the variable. */
export function statusTopicFault(statusTopic: string): string | undefined {
  if (statusTopic === '') return undefined;
  const { address, fault } = parseAddress(statusTopic);
  if (address === undefined) return fault;
  if (hasWildcard(address.topic)) return `must be the topic of one device, with ${placeholder} where devices differ`;
  const levels = address.topic.split('/').filter((level) => level.includes(placeholder));
  if (levels.length > 1 || levels.some((level) => level !== placeholder)) {
    return `${placeholder} must be one level, by itself`;
  }
  return undefined;
}

export class Devices {
  readonly all = new Map<string, Device>();
  readonly #byTopic = new Map<string, Device>();
  readonly #variables: StatusVariables;
  readonly #status: Address | undefined;

  constructor(taps: Iterable<Tap>, variables: StatusVariables, before?: Devices) {
    this.#variables = variables;
    this.#status = variables.statusTopic === '' ? undefined : parseAddress(variables.statusTopic).address;
    for (const tap of taps) {
      const name = this.#nameFor(tap);
      const device = name === undefined ? undefined : this.#device(name, before);
      tap.device = device;
      device?.taps.push(tap);
    }
  }

  get statusTopics(): string[] {
    return [...this.#byTopic.keys()];
  }

  /** The device whose status has changed by this message. */
  hear(topic: string, payload: Payload, delivery: Delivery, clock: Clock): Device | undefined {
    const device = this.#byTopic.get(topic);
    if (device === undefined || this.#status === undefined || (delivery.isRetained && device.isLive)) return undefined;
    const word = payload.words(this.#status.selector)?.trim();
    const isUp =
      word === this.#variables.onlinePayload || (word === this.#variables.offlinePayload ? false : undefined);
    if (isUp === undefined) return undefined;
    device.isLive ||= isLive(delivery);
    if (isUp === device.isUp) return undefined;
    device.isUp = isUp;
    device.sinceUs = clock.now();
    if (isUp) return device;
    device.wentMs = clock.monotonicMs();
    device.lastError = `${topic} says ${word}`;
    return device;
  }

  /** With a new connection, nothing is known. */
  forget(nowUs: number): void {
    for (const device of this.all.values()) {
      device.isUp = undefined;
      device.isLive = false;
      device.wentMs = undefined;
      device.sinceUs = nowUs;
    }
  }

  detail(): DeviceDetail[] {
    return Array.from(this.all.values(), ({ name, isUp, sinceUs, lastError }) => ({
      name,
      isUp: isUp !== false,
      sinceUs,
      lastError,
    }));
  }

  /** By its property, or by the level of its topic at which the status topic has the device. */
  #nameFor({ settings }: Tap): string | undefined {
    if (settings === undefined || this.#status === undefined) return undefined;
    const levels = this.#status.topic.split('/');
    const at = levels.indexOf(placeholder);
    if (at < 0) return this.#status.topic;
    if (settings.device !== undefined) return settings.device;
    const own = settings.address.topic.split('/');
    const name = own[at];
    const isBelow = levels.slice(0, at).every((level, index) => level === own[index]);
    return !isBelow || !name || hasWildcard(name) ? undefined : name;
  }

  #device(name: string, before: Devices | undefined): Device | undefined {
    const known = this.all.get(name);
    if (known !== undefined) return known;
    const statusTopic = this.#status?.topic.replace(placeholder, () => name) ?? '';
    if (filterFault(statusTopic) !== undefined || hasWildcard(statusTopic)) return undefined;
    const { isUp, isLive: hasSaid = false, sinceUs = 0, wentMs, lastError } = before?.all.get(name) ?? {};
    const device: Device = { name, statusTopic, taps: [], isUp, isLive: hasSaid, sinceUs, wentMs, lastError };
    this.all.set(name, device);
    this.#byTopic.set(statusTopic, device);
    return device;
  }
}
