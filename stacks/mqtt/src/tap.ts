// One measurement and its newest reading, made from the messages of its topic.
import { isDeepStrictEqual } from 'node:util';
import { type Batch, type Clock, isBad, isGood, quality, type Value } from '@telltale/schema';
import type { SourceTimes, StackPoint } from '@telltale/stack-kit';
import { type MeasurementSettings, type MeasurementVariables, readMeasurement } from './measurement-settings.ts';
import type { Payload } from './payload.ts';
import { missing, readQuality, readTime, readValue, unusable } from './read-value.ts';

export interface TapContext {
  readonly clock: Clock;
  readonly times: SourceTimes;
  /** Whether a live message may be about the past. */
  readonly allowsLate: boolean;
}

export interface Delivery {
  /** The broker had it as the last of its topic. */
  readonly isRetained: boolean;
  /** It may have waited at the broker while the connection was down. */
  readonly mayBeRetained: boolean;
  /** Counts up: where there are too many, a message may be read after one that came later. */
  readonly order: number;
}

/** Nothing that the broker sends again later, such as for another subscription, is newer. */
export function isLive({ isRetained, mayBeRetained }: Delivery): boolean {
  return !isRetained && !mayBeRetained;
}

export class Tap {
  point: StackPoint;
  readonly settings: MeasurementSettings | undefined;
  device: { readonly name: string; readonly isUp: boolean | undefined } | undefined;
  /** Of the newest reading. */
  error: string | undefined;
  value: Value | undefined;
  /** When its message came; undefined where none has. */
  heardMs: number | undefined;
  #quality = 0;
  #timeUs = 0;
  #hasValue = false;
  #isStale = false;
  /** A live message has arrived: a retained one is older, or the same. */
  #isLive = false;
  /** Of the newest message with a value. */
  #order = 0;
  /** What it would be worth if somebody knew that the device is there. */
  #ifThere: number | undefined;

  constructor(point: StackPoint, defaults: MeasurementVariables) {
    this.point = point;
    const { settings, fault } = readMeasurement(point.address, point, defaults);
    this.settings = settings;
    this.error = fault;
  }

  /** Whether it stays unchanged by a new configuration of the points. */
  isFor({ name, address, datatype, properties }: StackPoint): boolean {
    const { point } = this;
    if (point.name !== name || point.address !== address || point.datatype !== datatype) return false;
    return isDeepStrictEqual(point.properties, properties);
  }

  /** Reads a message; returns false where it says nothing of the measurement. */
  read(payload: Payload, delivery: Delivery, { clock, times, allowsLate }: TapContext): boolean {
    const { settings } = this;
    const { isRetained, mayBeRetained } = delivery;
    if (settings === undefined || (isRetained && (this.#isLive || settings.retained === 'ignore'))) return false;
    const { address, where } = settings;
    if (where !== undefined && payload.words({ kind: 'json', path: where.path }) !== where.text) return false;
    const value = readValue(payload, address.selector, settings);
    if (delivery.order < this.#order || (value === missing && settings.missing === 'keep')) return false;
    const nowUs = clock.now();
    if (value === missing || value === unusable) {
      this.error = value === missing ? 'the message does not have it' : unusableText(payload, settings);
      this.#set(undefined, value === missing ? quality.bad.configurationError : quality.bad.sensorFailure, nowUs);
    } else {
      this.error = undefined;
      let own = settings.quality === undefined ? quality.good : readQuality(payload.at(settings.quality));
      if (isRetained && settings.retained === 'uncertain' && isGood(own)) own = quality.uncertain.lastUsableValue;
      if (settings.time === undefined) {
        const isOfUnknownAge = isRetained ? settings.retained === 'auto' : mayBeRetained;
        if (isOfUnknownAge && isGood(own)) this.#doubt(value, own, isRetained, nowUs);
        else this.#set(value, own, nowUs);
      } else {
        const sourceUs = readTime(payload.at(settings.time), settings.timeFormat);
        times.judge(sourceUs, isRetained || allowsLate ? undefined : sourceUs, own);
        this.#set(value, times.quality, times.timeUs);
      }
    }
    this.#heard(delivery, clock);
    return true;
  }

  /** The message was too large to be read; returns as `read` does. */
  refuse(error: string, delivery: Delivery, clock: Clock): boolean {
    if (delivery.order < this.#order || (delivery.isRetained && this.#isLive)) return false;
    this.error = error;
    this.#set(undefined, quality.bad.sensorFailure, clock.now());
    this.#heard(delivery, clock);
    return true;
  }

  /** Puts the newest reading into a batch, if there is one. */
  put(batch: Batch): void {
    if (this.heardMs === undefined) return;
    const { id } = this.point;
    if (!this.#hasValue || this.value === undefined) batch.none(id, this.#quality, this.#timeUs);
    else batch.value(id, this.value, this.#quality, this.#timeUs);
  }

  /** Whether nothing came for too long; true once, until something comes again. */
  turnsStale(nowMs: number, nowUs: number): boolean {
    const after = this.settings?.staleAfter ?? 0;
    if (after === 0 || this.#isStale || this.heardMs === undefined || nowMs - this.heardMs < after) return false;
    this.#isStale = true;
    this.#age(nowUs);
    return true;
  }

  /** Its device has been away since: what it has left with the broker counts again. */
  outlive(nowUs: number): void {
    this.#isLive = false;
    this.#age(nowUs);
  }

  /** The device has said that it is there: what it has left with the broker is its present state. */
  vouch(nowUs: number): void {
    if (this.#ifThere === undefined) return;
    this.#quality = this.#ifThere;
    this.#ifThere = undefined;
    this.#timeUs = nowUs;
  }

  forget(): void {
    this.heardMs = undefined;
    this.#isStale = false;
    this.#isLive = false;
  }

  #heard(delivery: Delivery, clock: Clock): void {
    this.heardMs = clock.monotonicMs();
    this.#isStale = false;
    this.#isLive ||= isLive(delivery);
    this.#order = delivery.order;
  }

  /** What was heard before is not the present any more. What was bad does not become better by it. */
  #age(nowUs: number): void {
    this.#ifThere = undefined;
    if (this.#hasValue && !isBad(this.#quality)) this.#quality = quality.uncertain.lastUsableValue;
    this.#timeUs = nowUs;
  }

  /** Nobody knows of when it is. Of what is retained, a device that is there is an answer. */
  #doubt(value: Value, own: number, isRetained: boolean, nowUs: number): void {
    if (isRetained && this.device?.isUp === true) {
      this.#set(value, own, nowUs);
      return;
    }
    this.#set(value, quality.uncertain.lastUsableValue, nowUs);
    if (isRetained) this.#ifThere = own;
  }

  #set(value: Value | undefined, ownQuality: number, timeUs: number): void {
    this.value = value;
    this.#hasValue = value !== undefined;
    this.#ifThere = undefined;
    this.#quality = ownQuality;
    this.#timeUs = timeUs;
  }
}

function unusableText(payload: Payload, { address, datatype }: MeasurementSettings): string {
  if (address.selector.kind === 'json' && payload.jsonFault !== undefined) return payload.jsonFault;
  return `the message has no value of datatype ${datatype}`;
}
