// The connector of the simulator: scans its measurements in an even rhythm, writes its commands, and lets faults strike
// both. What is simulated is the device's.
import { Batch, onAbort, type Value } from '@telltale/schema';
import {
  type Connector,
  type ConnectorOptions,
  type InstanceDetail,
  NotConnected,
  type PointKind,
  type ReadingTrace,
  Refused,
  type StackCommand,
  type StackPoint,
  type StackPoints,
  type WriteResult,
  written,
} from '@telltale/stack-kit';
import { type Address, parseAddress } from './address.ts';
import { Device, misconfigured } from './device.ts';
import { explainReading } from './explain-reading.ts';
import { isFault } from './faults.ts';
import { hold, type Item, putHeld, type Scan } from './item.ts';
import type { CreateModel } from './model.ts';

export interface Variables {
  readonly scanPeriodMs: number;
  readonly speed: number;
  readonly seed: number;
  readonly bus: string;
}

interface Target {
  readonly text: string;
  readonly address: Address | undefined;
}

/** A timer of the system may come a little before its time. */
const earlyMs = 2;
/** Of a process that stood still for long, not every scan that did not come was missed. */
const mostMissed = 10;

export function createConnector(options: ConnectorOptions<Variables>, createModel?: CreateModel): Connector {
  return new SimulatorConnector(options, createModel);
}

class SimulatorConnector implements Connector {
  readonly #options: ConnectorOptions<Variables>;
  readonly #device: Device;
  readonly #hasModel: boolean;
  readonly #batch = new Batch();
  #items = new Map<string, Item>();
  #commands = new Map<string, Target>();
  readonly #madeMs: number;
  #last: Scan;
  #scans = 0;
  #overruns = 0;
  #tookMs = 0;
  #connected = false;
  #usesBus = false;
  #anyHeld = false;
  /** While it runs: lets the next scan come at once. */
  #hurry: (() => void) | undefined;
  /** Writes that wait for a slow device; called when the link goes. */
  readonly #slow = new Set<() => void>();

  constructor(options: ConnectorOptions<Variables>, createModel?: CreateModel) {
    this.#options = options;
    this.#hasModel = createModel !== undefined;
    this.#device = new Device(options.variables, options.log, createModel);
    this.#madeMs = options.clock.monotonicMs();
    this.#last = this.#present();
  }

  setPoints({ measurements, commands }: StackPoints): void {
    const nowUs = this.#options.clock.now();
    const known = this.#commands;
    this.#commands = new Map();
    for (const { name, address: text } of commands) {
      const before = known.get(name);
      this.#commands.set(
        name,
        before?.text === text ? before : { text, address: parseAddress(text, this.#hasModel).address },
      );
    }
    const items = new Map<string, Item>();
    for (const point of measurements) items.set(point.name, this.#itemOf(point, nowUs));
    this.#items = items;
    const addresses = [...this.#commands.values()].flatMap(({ address }) => address ?? []);
    this.#device.faults.keep(addresses.filter(isFault));
    for (const { name, last } of commands) {
      const { address } = this.#commands.get(name) ?? {};
      if (address === undefined || address === known.get(name)?.address || last === undefined) continue;
      this.#begin(name, address, last);
    }
    this.#usesBus = [...measurements, ...commands].some(({ address }) => address.startsWith('bus('));
    if (this.#connected && this.#usesBus) this.#device.bus.open();
    this.#hurry?.();
  }

  async connect(): Promise<void> {
    if (this.#device.faults.linkDown(this.#options.clock.monotonicMs())) throw linkDropped();
    if (this.#usesBus) this.#device.bus.open();
    this.#connected = true;
  }

  run(signal: AbortSignal): Promise<void> {
    const { clock, variables } = this.#options;
    const { scanPeriodMs: periodMs } = variables;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let cancel = () => {};
    let dueMs = clock.monotonicMs();
    const end = () => {
      cancel();
      this.#hurry = undefined;
      stopListening();
    };
    const tick = () => {
      const scan = this.#present();
      try {
        this.#refuseUnlessConnected();
        this.#scan(scan);
      } catch (error) {
        end();
        reject(error);
        return;
      }
      // In an even rhythm; scans that could not be made in time are left out.
      const passedMs = scan.monotonicMs + earlyMs - dueMs;
      if (passedMs >= 0) {
        const missed = Math.floor(passedMs / periodMs);
        for (let each = 0; each < Math.min(missed, mostMissed); each++) this.#miss();
        dueMs += periodMs * (1 + missed);
        this.#device.bus.pass(periodMs);
      }
      // Whoever was published to may have ended it, or changed its points.
      cancel();
      if (!signal.aborted) cancel = clock.after(dueMs - scan.monotonicMs, tick);
    };
    if (signal.aborted) return Promise.resolve();
    const stopListening = onAbort(signal, () => {
      end();
      resolve();
    });
    this.#hurry = () => {
      cancel();
      cancel = clock.after(0, tick);
    };
    tick();
    return promise;
  }

  async write(command: StackCommand, value: Value, signal: AbortSignal): Promise<WriteResult> {
    try {
      return await this.#write(command, value, signal);
    } catch (error) {
      // Everything is simulated here: whatever these two say is certain.
      if (error instanceof Refused) return written.refused(error.message);
      if (error instanceof NotConnected) return written.notSent(error.message);
      throw error;
    }
  }

  async #write(command: StackCommand, value: Value, signal: AbortSignal): Promise<WriteResult> {
    const { clock } = this.#options;
    this.#refuseUnlessConnected();
    const address = this.#commands.get(command.name)?.address;
    if (address === undefined) throw new Refused(`the simulator does not know the command ${command.name}`);
    if (isFault(address)) {
      this.#device.faults.write(address, value, clock.monotonicMs(), (...point) => this.#strikable(...point));
      if (address.function === 'freeze') this.#freeze(address.arguments.of);
      if (this.#device.faults.linkDown(clock.monotonicMs())) this.#dropLink();
      return written.accepted;
    }
    const { delay, reason } = this.#device.faults.ofWrite(command.name, clock.monotonicMs());
    if (delay > 0) await this.#wait(delay * 1000, signal);
    this.#refuseUnlessConnected();
    if (reason !== undefined) throw new Refused(reason);
    if (!this.#options.mayWrite()) return written.notPermitted;
    return this.#device.write(address, value, clock, signal);
  }

  async close(): Promise<void> {
    this.#connected = false;
    for (const leave of [...this.#slow]) leave();
    this.#device.bus.close();
  }

  detail(): InstanceDetail {
    const group = { periodMs: this.#options.variables.scanPeriodMs, points: this.#items.size, requests: 0 };
    const tookMs = this.#scans === 0 ? undefined : this.#tookMs;
    return { scanGroups: [{ ...group, scans: this.#scans, overruns: this.#overruns, tookMs }] };
  }

  explain({ name }: StackPoint): ReadingTrace | undefined {
    const item = this.#items.get(name);
    if (item === undefined || this.#scans === 0) return undefined;
    return explainReading(item, this.#last, this.#device.faults, this.#options.variables.scanPeriodMs);
  }

  /** A command that is new to the device shows this value: so that it does not lie, the device begins with it. */
  #begin(name: string, address: Address, value: Value): void {
    const { clock } = this.#options;
    try {
      if (!isFault(address)) this.#device.begin(address, value, clock.now());
      else if (value === true)
        this.#device.faults.write(address, value, clock.monotonicMs(), (...point) => this.#strikable(...point));
    } catch (error) {
      this.#options.log.warn(`${name} has an initial value that the device cannot take: ${(error as Error).message}`);
    }
  }

  #itemOf(point: StackPoint, nowUs: number): Item {
    const before = this.#items.get(point.name);
    if (before?.point.address === point.address && before.point.datatype === point.datatype) {
      before.point = point;
      return before;
    }
    const { address } = parseAddress(point.address, this.#hasModel);
    if (address === undefined) return { point, read: misconfigured, strikable: false, held: undefined };
    const read = this.#device.reader(point, address, nowUs);
    return { point, read, strikable: !isFault(address), held: undefined };
  }

  #strikable(kind: PointKind, name: string): boolean {
    if (kind === 'measurement') return this.#items.get(name)?.strikable === true;
    const address = this.#commands.get(name)?.address;
    return address !== undefined && !isFault(address);
  }

  #miss(): void {
    this.#overruns++;
    this.#options.meter.overrun();
  }

  #scan(scan: Scan): void {
    const begun = performance.now();
    this.#device.advance(scan);
    if (this.#device.faults.strikeMeasurements() || this.#anyHeld) this.#readStruck(scan);
    else for (const { point, read } of this.#items.values()) read(this.#batch, point.id, scan);
    this.#last = scan;
    this.#scans++;
    this.#tookMs = performance.now() - begun;
    if (this.#batch.count > 0) this.#options.publish(this.#batch);
  }

  #readStruck(scan: Scan): void {
    const { faults } = this.#device;
    this.#anyHeld = false;
    for (const item of this.#items.values()) {
      const { point, read, strikable } = item;
      if (!strikable || !faults.frozen(point.name, scan.monotonicMs)) item.held = undefined;
      else if (item.held === undefined) hold(item, new Batch(1), scan);
      this.#anyHeld ||= item.held !== undefined;
      const forced = strikable ? faults.quality(point.name, scan.monotonicMs) : undefined;
      if (forced !== undefined) this.#batch.none(point.id, forced, scan.timeUs);
      else if (item.held !== undefined) putHeld(item, this.#batch, scan.timeUs);
      else read(this.#batch, point.id, scan);
    }
  }

  /** What is frozen stands still at what it was at the last scan. What is not, the next scan lets go. */
  #freeze(of: string | undefined): void {
    const batch = new Batch(of === undefined ? this.#items.size : 1);
    for (const item of of === undefined ? this.#items.values() : [this.#items.get(of)]) {
      if (item?.strikable && item.held === undefined) hold(item, batch, this.#last);
    }
    this.#anyHeld = true;
  }

  /** The scan that finds the link down comes by the clock: the write that dropped it has been answered by then. */
  #dropLink(): void {
    this.#connected = false;
    this.#hurry?.();
  }

  #present(): Scan {
    const { clock, variables } = this.#options;
    const { speed } = variables;
    const [timeUs, monotonicMs] = [clock.now(), clock.monotonicMs()];
    const elapsedSeconds = ((monotonicMs - this.#madeMs) / 1000) * speed;
    return { timeUs, monotonicMs, clockSeconds: (timeUs / 1e6) * speed, elapsedSeconds };
  }

  #refuseUnlessConnected(): void {
    if (this.#connected) return;
    throw this.#device.faults.linkDown(this.#options.clock.monotonicMs()) ? linkDropped() : linkDown();
  }

  /** Until the device answers; ends at once, with nothing written, when the write is aborted or the link is lost. */
  #wait(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw givenUp();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const done = () => {
      cancel();
      this.#slow.delete(leave);
      stopListening();
    };
    const leave = () => {
      done();
      reject(linkDown());
    };
    const cancel = this.#options.clock.after(ms, () => {
      done();
      resolve();
    });
    this.#slow.add(leave);
    const stopListening = onAbort(signal, () => {
      done();
      reject(givenUp());
    });
    return promise;
  }
}

const linkDown = () => new NotConnected('the link is down');
const givenUp = () => new NotConnected('it was aborted before it was written');
const linkDropped = () => new NotConnected('the link is down: drop_link() is active');
