// Reads the points of a polling stack in scan groups, an even rhythm each. Devices are independent: what one of them does
// not answer leaves the others alone.
import { onAbort, Semaphore } from '@telltale/schema';
import { type InstanceDetail, NotConnected, type StackPoint } from '../connector.ts';
import type { PollRun, SharedLine } from './device-circuit.ts';
import { PolledDevice } from './polled-device.ts';
import type { PollerOptions, PollRequest } from './poller-options.ts';
import { scanPeriodOf } from './scan-period.ts';

/** All points of one period, whichever their devices. */
interface ScanGroup<R extends PollRequest> {
  readonly periodMs: number;
  devices: PolledDevice<R>[];
  /** When its next scan is due, by the clock that goes on evenly. */
  dueMs: number;
  scans: number;
  overruns: number;
  cancel: () => void;
}

/** A timer of the system may come a little before its time. */
const earlyMs = 2;

export class Poller<R extends PollRequest> {
  readonly #options: PollerOptions<R>;
  readonly #line: SharedLine;
  #devices = new Map<string, PolledDevice<R>>();
  #groups = new Map<number, ScanGroup<R>>();
  #run: PollRun | undefined;
  /** The device that is asked first when the link is made: those behind silent ones have their turn as well. */
  #probeFrom = 0;

  constructor(options: PollerOptions<R>) {
    this.#options = options;
    const atOnce = options.requestsAtOnceInAll ?? Number.POSITIVE_INFINITY;
    this.#line = { requests: new Semaphore(atOnce), probes: new Semaphore(Math.ceil(atOnce / 2)) };
  }

  /** Also while it runs: everything is planned and read again at once. */
  setPoints(measurements: readonly StackPoint[]): void {
    const byDevice = new Map<string, Map<number, StackPoint[]>>();
    for (const point of measurements) {
      const device = this.#options.deviceOf(point);
      const byPeriod = byDevice.get(device) ?? new Map<number, StackPoint[]>();
      byDevice.set(device, byPeriod);
      const periodMs = this.groupOf(point);
      const points = byPeriod.get(periodMs);
      if (points === undefined) byPeriod.set(periodMs, [point]);
      else points.push(point);
    }
    this.#regroup(byDevice);
    const devices = new Map<string, PolledDevice<R>>();
    for (const [name, byPeriod] of byDevice) {
      const device = this.#device(name);
      devices.set(name, device);
      device.setPoints(byPeriod);
      for (const periodMs of byPeriod.keys()) this.#groups.get(periodMs)?.devices.push(device);
    }
    for (const [name, device] of this.#devices) {
      if (!devices.has(name)) device.retire();
    }
    this.#devices = devices;
    if (this.#run === undefined) return;
    for (const device of devices.values()) device.scanAll();
  }

  /** For `connect`: resolves when any device has answered, or nothing is to be read. Throws `NotConnected`. */
  async probe(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const devices = this.#askable();
    if (devices.length === 0) return;
    const from = this.#probeFrom % devices.length;
    const found = new AbortController();
    const stopListening = onAbort(signal, (reason) => found.abort(reason));
    let isAnswered = false;
    const asked = await Promise.allSettled(
      [...devices.slice(from), ...devices.slice(0, from)].map(async (device) => {
        const answers = await device.circuit.signOfLife(found.signal, () => this.#probeFrom++);
        isAnswered ||= answers;
        if (answers) found.abort();
      }),
    );
    stopListening();
    signal.throwIfAborted();
    if (isAnswered) {
      this.#probeFrom = from;
      return;
    }
    for (const each of asked) if (each.status === 'rejected') throw each.reason;
    throw noneAnswers(devices);
  }

  /**
   * Until aborted, then resolves when no request is under way any more. Throws `NotConnected` when no device answers any
   * more, so that the host reconnects, and with what else `read` throws.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const ending = new AbortController();
    const underWay = new Set<Promise<void>>();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const end = () => {
      ending.abort(signal.reason);
      resolve();
    };
    const run: PollRun = {
      signal: ending.signal,
      track(work) {
        const tracked = work.catch(reject).finally(() => underWay.delete(tracked));
        underWay.add(tracked);
      },
      onSilent: () => {
        const devices = this.#askable();
        if (devices.every(({ isSilent }) => isSilent)) reject(noneAnswers(devices));
      },
    };
    const stopListening = onAbort(signal, end);
    this.#run = run;
    try {
      for (const device of this.#devices.values()) device.start(run);
      for (const group of this.#groups.values()) this.#startGroup(group);
      await promise;
    } finally {
      stopListening();
      ending.abort(signal.reason);
      this.#run = undefined;
      for (const group of this.#groups.values()) group.cancel();
      for (const device of this.#devices.values()) device.stop();
      await Promise.all(underWay);
    }
  }

  detail(): InstanceDetail {
    return {
      devices: Array.from(this.#devices.values(), ({ circuit }) => circuit.detail()),
      scanGroups: Array.from(this.#groups.values(), ({ periodMs, devices, scans, overruns }) => {
        const sum = { periodMs, points: 0, requests: 0, scans, overruns, tookMs: undefined as number | undefined };
        for (const device of devices) {
          const { points, requests, tookMs } = device.groupDetail(periodMs);
          sum.points += points;
          sum.requests += requests;
          if (tookMs !== undefined) sum.tookMs = Math.max(sum.tookMs ?? 0, tookMs);
        }
        return sum;
      }),
    };
  }

  groupOf(point: StackPoint): number {
    return scanPeriodOf(point, this.#options.scanPeriodMs);
  }

  #askable(): PolledDevice<R>[] {
    return [...this.#devices.values()].filter(({ canBeAsked }) => canBeAsked);
  }

  #device(name: string): PolledDevice<R> {
    const known = this.#devices.get(name);
    if (known !== undefined) return known;
    const device = new PolledDevice(name, this.#options, this.#line);
    if (this.#run !== undefined) device.start(this.#run);
    return device;
  }

  /** Groups that stay keep their rhythm and their counts. */
  #regroup(byDevice: ReadonlyMap<string, ReadonlyMap<number, unknown>>): void {
    const before = this.#groups;
    this.#groups = new Map();
    for (const byPeriod of byDevice.values()) {
      for (const periodMs of byPeriod.keys()) {
        if (this.#groups.has(periodMs)) continue;
        const group = before.get(periodMs) ?? newGroup(periodMs);
        group.devices = [];
        this.#groups.set(periodMs, group);
        if (!before.has(periodMs)) {
          group.dueMs = this.#options.clock.monotonicMs() + periodMs;
          this.#rest(group);
        }
      }
    }
    for (const [periodMs, group] of before) {
      if (!this.#groups.has(periodMs)) group.cancel();
    }
  }

  #startGroup(group: ScanGroup<R>): void {
    group.dueMs = this.#options.clock.monotonicMs();
    this.#tick(group);
  }

  #tick(group: ScanGroup<R>): void {
    const { clock, meter } = this.#options;
    const missed = Math.floor((clock.monotonicMs() + earlyMs - group.dueMs) / group.periodMs);
    if (missed >= 0) {
      group.dueMs += group.periodMs * (1 + missed);
      const left = group.devices.filter((device) => !device.scan(group.periodMs)).length;
      if (left < group.devices.length) group.scans++;
      const overruns = left + (missed > 0 ? 1 : 0); // a timer that came too late has left out scans as well
      group.overruns += overruns;
      for (let each = 0; each < overruns; each++) meter.overrun();
    }
    this.#rest(group);
  }

  /** Until its next scan is due; not if the receiver of a batch has stopped it. */
  #rest(group: ScanGroup<R>): void {
    const { clock } = this.#options;
    group.cancel();
    if (this.#run === undefined || this.#groups.get(group.periodMs) !== group) return;
    group.cancel = clock.after(group.dueMs - clock.monotonicMs(), () => this.#tick(group));
  }
}

function noneAnswers<R extends PollRequest>(devices: readonly PolledDevice<R>[]): NotConnected {
  const [first] = devices;
  const reason = `${first?.name} is down: ${first?.circuit.lastError}`;
  return new NotConnected(devices.length === 1 ? reason : `all ${devices.length} devices are down; ${reason}`);
}

function newGroup<R extends PollRequest>(periodMs: number): ScanGroup<R> {
  return { periodMs, devices: [], dueMs: 0, scans: 0, overruns: 0, cancel: () => {} };
}
