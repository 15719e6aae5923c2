// Which points each connector reads and writes, and each provider serves, and under which ids. What a rendering changes of
// it is sent ahead, and counts when the rendering takes effect.
import type { Clock, Command, Datatype, Measurement } from '@telltale/schema';
import type { StackPoint } from '@telltale/stack-kit';
import { isArchived } from '../archive/index.ts';
import { type Commands, type Measurements, sourceOf } from '../points/index.ts';
import type { Role, StackHost } from '../stacks/index.ts';
import { ProviderFeed } from './provider-feed.ts';
import { type PointKind, StackIds } from './stack-ids.ts';
import { StackPointsFeed } from './stack-points.ts';

export interface PointFeedOptions {
  readonly measurements: Measurements;
  readonly commands: Commands;
  readonly host: StackHost;
  readonly clock: Clock;
}

export type Point = Measurement | Command;

/** Whether a connector or provider is to be given points. */
export type Wants = (role: Role, name: string) => boolean;

/** What is left to do of one point when the rendering takes effect; undefined: nothing. */
export type TakeOver = (() => void) | undefined;

export class PointFeed {
  readonly #options: PointFeedOptions;
  readonly read: StackIds;
  readonly served: StackIds;
  readonly values: ProviderFeed;
  readonly #points: StackPointsFeed;
  /** Given since the last takeover, should it not come to one. */
  readonly #reserved: { readonly ids: StackIds; readonly kind: PointKind; readonly id: number }[] = [];

  constructor(options: PointFeedOptions) {
    const { measurements, commands, host, clock } = options;
    this.#options = options;
    this.read = new StackIds(clock);
    this.served = new StackIds(clock);
    this.values = new ProviderFeed(measurements, commands, this.served, (provider, batch) =>
      host.publish(provider, batch),
    );
    this.#points = new StackPointsFeed(host);
  }

  touch(role: Role, name: string): void {
    this.#points.touch(role, name);
  }

  forget(role: Role, name: string): void {
    this.#points.forget(role, name);
  }

  /** Sends ahead the changes of a point; undefined: it did not exist, or exists no longer. */
  prepare(kind: PointKind, handle: number, before: Point | undefined, after: Point | undefined): TakeOver {
    const read = this.#prepareRead(kind, handle, before, after);
    const serve = this.#prepareServed(kind, handle, before, after);
    if (read === undefined || serve === undefined) return read ?? serve;
    return () => {
      read();
      serve();
    };
  }

  /** Everything that was sent ahead counts; answers with those whose points are others now. */
  done(): { readonly role: Role; readonly name: string }[] {
    this.#reserved.length = 0;
    return this.#points.done();
  }

  /** Nothing that was sent ahead counts. */
  discardNew(): void {
    for (const { ids, kind, id } of this.#reserved.splice(0)) ids.giveBack(kind, id);
    this.#points.drop();
  }

  /** Sends all of a point again, as it is, to those that need it. */
  repeat(kind: PointKind, point: Point, handle: number, wants: Wants): void {
    const { connectorName, providerAddresses = {} } = point;
    if (isRead(point) && wants('connector', connectorName as string)) {
      this.#putRead(kind, point, this.read.idOf(kind, handle), handle);
    }
    for (const provider of Object.keys(providerAddresses)) {
      if (wants('provider', provider)) this.#putServed(kind, point, this.served.idOf(kind, handle), provider);
    }
  }

  #prepareRead(kind: PointKind, handle: number, before: Point | undefined, after: Point | undefined): TakeOver {
    const ids = this.read;
    const wasRead = isRead(before);
    // The initial value of a command goes to its stack as well.
    const isSame =
      wasRead &&
      isRead(after) &&
      sourceOf(before as Point) === sourceOf(after) &&
      initialValueOf(before) === initialValueOf(after);
    if (isSame || (!wasRead && !isRead(after))) return undefined;
    const id = isRead(after) ? this.#reserve(ids, kind) : -1;
    // A command's last value is its device's when it takes effect.
    if (isRead(after) && kind === 'measurements') this.#putRead(kind, after, id, -1);
    if (before === undefined && kind === 'measurements') {
      ids.assign(kind, handle, id); // not in use yet
      return undefined;
    }
    return () => {
      if (wasRead) this.#points.remove('connector', before?.connectorName as string, kind, ids.idOf(kind, handle));
      if (id < 0) ids.end(kind, handle);
      else ids.assign(kind, handle, id);
      if (isRead(after) && kind === 'commands') this.#putRead(kind, after, id, handle);
    };
  }

  #prepareServed(kind: PointKind, handle: number, before: Point | undefined, after: Point | undefined): TakeOver {
    const ids = this.served;
    const [was, is] = [Object.keys(before?.providerAddresses ?? {}), Object.keys(after?.providerAddresses ?? {})];
    if (was.length + is.length === 0) return undefined;
    const isOther = was.length === 0 || is.length === 0 || before?.datatype !== after?.datatype;
    const id = isOther && is.length > 0 ? this.#reserve(ids, kind) : -1;
    if (after !== undefined && id >= 0) for (const provider of is) this.#putServed(kind, after, id, provider);
    return () => {
      const old = ids.idOf(kind, handle);
      for (const provider of was) {
        if (!isOther && is.includes(provider)) continue;
        this.values.unserve(kind, handle, provider);
        this.#points.remove('provider', provider, kind, old);
      }
      if (id >= 0) ids.assign(kind, handle, id);
      else if (is.length === 0) ids.end(kind, handle);
      for (const provider of is) {
        this.values.serve(kind, handle, provider);
        if (!isOther && after !== undefined && servedText(before, provider) !== servedText(after, provider)) {
          this.#putServed(kind, after, old, provider);
        }
      }
    };
  }

  #reserve(ids: StackIds, kind: PointKind): number {
    const id = ids.reserve();
    this.#reserved.push({ ids, kind, id });
    return id;
  }

  #putRead(kind: PointKind, point: Point, id: number, handle: number): void {
    const { connectorName = '', datatype, rawDatatype = datatype } = point;
    const read = stackPoint(point, id, point.address as string, rawDatatype);
    if (kind === 'measurements') this.#points.putMeasurement('connector', connectorName, read);
    else {
      const last = this.#options.commands.lastRawOf(handle);
      this.#points.putCommand('connector', connectorName, { ...read, last });
    }
  }

  #putServed(kind: PointKind, point: Point, id: number, provider: string): void {
    const { providerAddresses = {}, description, eu, area } = point;
    const euRange = euRangeOf(point);
    // A provider may serve more of it to its clients.
    const served = {
      ...stackPoint(point, id, providerAddresses[provider] as string, point.datatype),
      ...(description !== undefined && { description }),
      ...(eu !== undefined && { eu }),
      ...(euRange !== undefined && { euRange }),
      ...(area !== undefined && { area }),
      ...(isArchived(point) && { isArchived: true }),
    };
    if (kind === 'measurements') this.#points.putMeasurement('provider', provider, served);
    else this.#points.putCommand('provider', provider, { ...served, last: undefined });
  }
}

function isRead<P extends Point>(point: P | undefined): point is P {
  return point?.connectorName !== undefined && point.address !== undefined;
}

function initialValueOf(point: Point): string | undefined {
  return 'initialValue' in point ? point.initialValue : undefined;
}

function servedText(point: Point | undefined, provider: string): string {
  const { providerAddresses = {}, description, eu, area, properties } = point ?? {};
  const isStored = point !== undefined && isArchived(point);
  const euRange = point && euRangeOf(point);
  return JSON.stringify([providerAddresses[provider], description, eu, euRange, area, properties, isStored]);
}

function euRangeOf({ euRangeLo, euRangeHi }: Point): readonly [number, number] | undefined {
  if (euRangeLo === undefined || euRangeHi === undefined) return undefined;
  const [low, high] = [Number(euRangeLo), Number(euRangeHi)];
  return Number.isFinite(low) && Number.isFinite(high) ? [low, high] : undefined;
}

function stackPoint(point: Point, id: number, address: string, datatype: Datatype): StackPoint {
  return { id, name: point.name, address, datatype, properties: point.properties ?? {} };
}
