// Devices for the tests of the poller, on a clock that is moved by hand: each has numbered cells, takes its time, and may
// be silent, refuse, or be mute to some of them.
import { type Batch, pause, quality } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { NoAnswer, NotConnected, Refused, type StackPoint } from '../src/connector.ts';
import { coalesce } from '../src/poll/coalesce.ts';
import { Poller } from '../src/poll/poller.ts';
import type { PollRequest } from '../src/poll/poller-options.ts';

export interface CellRequest extends PollRequest {
  readonly device: string;
  readonly start: number;
  readonly length: number;
}

export class PlantDevice {
  isSilent = false;
  isLinkLost = false;
  answersAfterMs = 1;
  /** That a request goes on after it was aborted. */
  lingersMs = 0;
  /** Cells that it refuses, also in the gaps of a request. */
  readonly refused = new Set<number>();
  /** Cells that it does not answer for. */
  readonly mute = new Set<number>();
}

export interface SentRequest {
  readonly ms: number;
  readonly device: string;
  readonly start: number;
  readonly length: number;
}

export interface Reported {
  readonly ms: number;
  /** By name of the point: its value, or the quality in hexadecimal. */
  readonly readings: Record<string, number | string>;
}

/** Where the test does not say. */
export const timeoutMs = 100;

/** Of the address `device/cell`; a cell that is no number cannot be read. */
export function point(address: string, scanPeriod?: number): StackPoint {
  const id = Array.from(address).reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) >>> 0, 7);
  const properties: Record<string, string> = scanPeriod === undefined ? {} : { scanPeriod: String(scanPeriod) };
  return { id, name: address, address, datatype: 'd', properties };
}

const cellOf = ({ address }: StackPoint) => Number(address.split('/')[1]);
const deviceOf = ({ address }: StackPoint) => address.split('/')[0] as string;

export class PolledPlant {
  readonly clock = new ManualClock();
  readonly sent: SentRequest[] = [];
  readonly reported: Reported[] = [];
  readonly lines: string[] = [];
  readonly meter = { answers: 0, failures: 0, overruns: 0 };
  readonly poller: Poller<CellRequest>;
  underWay = 0;
  mostUnderWay = 0;
  readonly #timeoutMs: number;
  readonly #devices = new Map<string, PlantDevice>();
  readonly #names = new Map<number, string>();

  constructor(
    given: { maxLength?: number; maxGap?: number; requestsAtOnce?: number; inAll?: number; timeoutMs?: number } = {},
  ) {
    const { maxLength = 10, maxGap = 0, requestsAtOnce = 1, inAll } = given;
    this.#timeoutMs = given.timeoutMs ?? timeoutMs;
    const line = (message: string) => this.lines.push(message);
    this.poller = new Poller<CellRequest>({
      clock: this.clock,
      meter: {
        answered: () => this.meter.answers++,
        failed: () => this.meter.failures++,
        overrun: () => this.meter.overruns++,
      },
      log: { debug: line, info: line, warn: line, error: line },
      publish: (batch) => this.#take(batch),
      reconnectMaxMs: 5000,
      random: () => 0,
      scanPeriodMs: 1000,
      deviceOf,
      plan: (points) => {
        const spans = points
          .filter((each) => Number.isInteger(cellOf(each)))
          .map((each) => ({ point: each, start: cellOf(each), length: 1 }));
        return coalesce(spans, { maxLength, maxGap }).map(({ start, length, spans: inside }) => ({
          device: deviceOf(points[0] as StackPoint),
          start,
          length,
          points: inside.map((span) => span.point),
        }));
      },
      read: (request, batch, signal) => this.#read(request, batch, signal),
      requestsAtOnce,
      ...(inAll !== undefined && { requestsAtOnceInAll: inAll }),
    });
  }

  device(name: string): PlantDevice {
    const device = this.#devices.get(name) ?? new PlantDevice();
    this.#devices.set(name, device);
    return device;
  }

  setPoints(points: readonly StackPoint[]): void {
    for (const { id, name } of points) this.#names.set(id, name);
    this.poller.setPoints(points);
  }

  /** Step by step, so that what was waited for goes on in between. */
  async advance(ms: number, stepMs = 1): Promise<void> {
    await settled();
    for (let passed = 0; passed < ms; passed += stepMs) {
      this.clock.advance(stepMs);
      await settled();
    }
  }

  /** What was told since it was last asked. */
  take(): Reported[] {
    return this.reported.splice(0);
  }

  takeSent(): SentRequest[] {
    return this.sent.splice(0);
  }

  /** The last that was reported of a point. */
  shown(name: string): number | string | undefined {
    return this.reported.findLast(({ readings }) => Object.hasOwn(readings, name))?.readings[name];
  }

  #take(batch: Batch): void {
    const readings: Reported['readings'] = {};
    for (let at = 0; at < batch.count; at++) {
      const name = this.#names.get(batch.points[at] as number) ?? '?';
      const value = batch.valueAt(at);
      readings[name] = value === undefined ? `0x${(batch.qualities[at] as number).toString(16)}` : Number(value);
    }
    this.reported.push({ ms: this.clock.monotonicMs(), readings });
    batch.clear();
  }

  async #read({ device: name, start, length, points }: CellRequest, batch: Batch, signal: AbortSignal): Promise<void> {
    const device = this.device(name);
    this.sent.push({ ms: this.clock.monotonicMs(), device: name, start, length });
    this.underWay++;
    this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
    const has = (cells: ReadonlySet<number>) => [...cells].some((cell) => cell >= start && cell < start + length);
    const isSilent = device.isSilent || has(device.mute);
    try {
      await this.#wait(isSilent ? this.#timeoutMs : device.answersAfterMs, signal);
    } catch (error) {
      if (device.lingersMs > 0) await this.#wait(device.lingersMs, new AbortController().signal);
      throw error;
    } finally {
      this.underWay--;
    }
    if (device.isLinkLost) throw new NotConnected('the link is lost');
    if (isSilent || device.isSilent) throw new NoAnswer(`no answer within ${this.#timeoutMs} ms`);
    for (const each of points) batch.number(each.id, cellOf(each), quality.good, this.clock.now());
    if (has(device.refused)) throw new Refused('illegal address');
  }

  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    await pause(this.clock, ms, signal);
    signal.throwIfAborted();
  }
}

/** Whatever follows from what has happened, without the clock, has happened too. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
