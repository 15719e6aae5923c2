// The faults that are injected into a connector: which hold, until when, and whom they strike. They outlive the link.
import type { Value } from '@telltale/schema';
import { type PointKind, Refused } from '@telltale/stack-kit';
import type { Address } from './address.ts';

export type FaultAddress = Extract<Address, { function: FaultFunction }>;
export type FaultFunction = 'drop_link' | 'bad_quality' | 'freeze' | 'slow_write' | 'refuse_write';

/** The kind of point that a fault strikes; of the link, none. */
const strikes: Readonly<Record<FaultFunction, PointKind | undefined>> = {
  drop_link: undefined,
  bad_quality: 'measurement',
  freeze: 'measurement',
  slow_write: 'command',
  refuse_write: 'command',
};

interface Fault {
  readonly address: FaultAddress;
  /** Of the monotonic clock, as all times here. */
  readonly untilMs: number;
}

const maxSeconds = 1_000_000_000;

export function isFault(address: Address): address is FaultAddress {
  return Object.hasOwn(strikes, address.function);
}

export class Faults {
  /** By function, then by the name that it strikes; undefined is every point. */
  readonly #faults = new Map<FaultFunction, Map<string | undefined, Fault>>();

  /** A write that injects a fault: 1 and 0 of a boolean, seconds of a number. `strikable`: there is such a point. */
  write(
    address: FaultAddress,
    value: Value,
    nowMs: number,
    strikable: (kind: PointKind, name: string) => boolean,
  ): void {
    const seconds = typeof value === 'boolean' ? (value ? Number.POSITIVE_INFINITY : 0) : Number(value);
    const [kind, of] = [strikes[address.function], struckBy(address)];
    if (seconds === 0) {
      this.#faults.get(address.function)?.delete(of);
      return;
    }
    if (typeof value !== 'boolean' && !(seconds > 0 && seconds <= maxSeconds)) {
      throw new Refused(`${address.function} takes seconds, 0 to ${maxSeconds}, not ${seconds}`);
    }
    if (kind !== undefined && of !== undefined && !strikable(kind, of)) {
      throw new Refused(`${address.function}: this connector has no ${kind} ${of} that faults affect`);
    }
    const same = this.#faults.get(address.function) ?? new Map<string | undefined, Fault>();
    this.#faults.set(address.function, same.set(of, { address, untilMs: nowMs + seconds * 1000 }));
  }

  /** Ends the faults that no command could end any more. */
  keep(addresses: Iterable<FaultAddress>): void {
    const retained = new Set(Array.from(addresses, keyOf));
    for (const same of this.#faults.values()) {
      for (const [of, { address }] of same) if (!retained.has(keyOf(address))) same.delete(of);
    }
  }

  /** Whether the fault of just this address holds: what a measurement of that address shows. */
  holds(address: FaultAddress, nowMs: number): boolean {
    return this.#holding(address.function, struckBy(address), nowMs) !== undefined;
  }

  linkDown(nowMs: number): boolean {
    return this.#holding('drop_link', undefined, nowMs) !== undefined;
  }

  /** Whether any measurement is struck at all. */
  strikeMeasurements(): boolean {
    return (this.#faults.get('bad_quality')?.size ?? 0) + (this.#faults.get('freeze')?.size ?? 0) > 0;
  }

  /** The quality that is forced upon the measurement, if one is. */
  quality(measurement: string, nowMs: number): number | undefined {
    const address = this.#striking('bad_quality', measurement, nowMs);
    return address?.function === 'bad_quality' ? address.arguments.quality : undefined;
  }

  frozen(measurement: string, nowMs: number): boolean {
    return this.#striking('freeze', measurement, nowMs) !== undefined;
  }

  /** Seconds that a write to the command takes, and the reason for which it is refused. */
  ofWrite(command: string, nowMs: number): { delay: number; reason: string | undefined } {
    const slow = this.#striking('slow_write', command, nowMs);
    const refuse = this.#striking('refuse_write', command, nowMs);
    return {
      delay: slow?.function === 'slow_write' ? slow.arguments.delay : 0,
      reason: refuse?.function === 'refuse_write' ? refuse.arguments.reason : undefined,
    };
  }

  /** A fault of this point goes before one of all points. */
  #striking(name: FaultFunction, point: string, nowMs: number): FaultAddress | undefined {
    return this.#holding(name, point, nowMs) ?? this.#holding(name, undefined, nowMs);
  }

  #holding(name: FaultFunction, of: string | undefined, nowMs: number): FaultAddress | undefined {
    const same = this.#faults.get(name);
    const fault = same?.get(of);
    if (fault === undefined || nowMs < fault.untilMs) return fault?.address;
    same?.delete(of);
    return undefined;
  }
}

function struckBy(address: FaultAddress): string | undefined {
  return address.function === 'drop_link' ? undefined : address.arguments.of;
}

function keyOf(address: FaultAddress): string {
  return `${address.function} ${struckBy(address) ?? ''}`;
}
