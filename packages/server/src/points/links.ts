// The links of connectors and providers, and their watchdog measurements: which the service drives where they have no
// address, and which drive the link where the device drives them.
import { isBad } from '@telltale/schema';
import type { HeldReadings } from './held-readings.ts';
import type { PointStatus } from './reading.ts';

export type LinkRole = 'connector' | 'provider';

export interface Link {
  /** By which the points of a connector know it; never 0. */
  readonly number: number;
  readonly role: LinkRole;
  readonly name: string;
  watchdog: string | undefined;
  /** Undefined until the first attempt to connect has come to an end. */
  isUp: boolean | undefined;
  sinceUs: number;
  /** While a watchdog that the device drives reports that the link is down. */
  held: HeldReadings | undefined;
  /** Somebody has taken it out of service: it is stopped, and not up. */
  isDisabled: boolean;
  /** While its thread does not answer. */
  silent: SilentLink | undefined;
}

/** Nothing is heard of a connector or provider: what it said last may be old, or has to count as lost. */
export type Silence = 'late' | 'lost';

export interface SilentLink {
  silence: Silence;
  /** Its points as they were, without those read since, by handle. */
  readonly before: Map<number, PointStatus>;
}

export class Links {
  readonly #byRole = { connector: new Map<string, Link>(), provider: new Map<string, Link>() };
  readonly #byNumber = new Map<number, Link>();
  readonly #byWatchdog = new Map<string, Link>();
  #lastNumber = 0;

  find(role: LinkRole, name: string): Link | undefined {
    return this.#byRole[role].get(name);
  }

  /** No number is higher. */
  get lastNumber(): number {
    return this.#lastNumber;
  }

  connectors(): Iterable<Link> {
    return this.#byRole.connector.values();
  }

  numbered(number: number): Link | undefined {
    return this.#byNumber.get(number);
  }

  /** The link whose watchdog the measurement is. */
  watchedBy(measurement: string): Link | undefined {
    return this.#byWatchdog.get(measurement);
  }

  /** A connector or provider that is new or changed; its link, if it has one, is reported by events. */
  define(role: LinkRole, name: string, watchdog: string | undefined, isDisabled: boolean, nowUs: number): Link {
    const known = this.find(role, name);
    const link = known ?? {
      number: ++this.#lastNumber,
      role,
      name,
      watchdog,
      isUp: isDisabled ? false : undefined,
      sinceUs: nowUs,
      isDisabled,
      held: undefined,
      silent: undefined,
    };
    this.#leave(link);
    link.watchdog = watchdog;
    if (watchdog !== undefined) this.#byWatchdog.set(watchdog, link);
    this.#byRole[role].set(name, link);
    this.#byNumber.set(link.number, link);
    return link;
  }

  remove(role: LinkRole, name: string): void {
    const link = this.find(role, name);
    if (link === undefined) return;
    this.#leave(link);
    this.#byRole[role].delete(name);
    this.#byNumber.delete(link.number);
  }

  /** Its watchdog may be another link's by now. */
  #leave(link: Link): void {
    if (link.watchdog !== undefined && this.watchedBy(link.watchdog) === link) this.#byWatchdog.delete(link.watchdog);
  }
}

/** Whether a watchdog that the device drives reports that the link is up. */
export function isHealthy(value: number, quality: number): boolean {
  return value === 1 && !isBad(quality);
}
