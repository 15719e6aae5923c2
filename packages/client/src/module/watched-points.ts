// The measurements or commands that a module reads: the last values, bad as soon as the link to the service is lost.
import { type Clock, fromTimestamp, parsePrefixed, quality } from '@telltale/schema/values';
import type { Channel, Watch } from '../channel.ts';
import { TelltaleProblem } from '../errors.ts';
import type { NamedUpdate, Updates } from '../update-queue.ts';
import { Point } from './point.ts';

type WireValue = readonly [value: string, time: [number, number], quality?: number];

export interface WatchedPointsOptions<Update extends NamedUpdate> {
  readonly channel: Channel;
  readonly clock: Clock;
  readonly names: readonly string[];
  readonly watch: (names: readonly string[]) => Watch<Update>;
  readonly wireOf: (update: Update) => WireValue;
  /** A name cannot be watched; reported once until it can. */
  readonly onRefused: (name: string, reason: string) => void;
}

/** Where not one of the names is there, they are tried again after so long. */
const retryMs = 5000;

export class WatchedPoints<Update extends NamedUpdate> {
  readonly #options: WatchedPointsOptions<Update>;
  readonly #points: Map<string, Point>;
  readonly #unknown: Set<string>;
  readonly #refused = new Set<string>();
  readonly #known = Promise.withResolvers<void>();
  readonly #stopListening: () => void;
  #hasEnded = false;
  #cancelRetry: () => void = () => undefined;

  constructor(options: WatchedPointsOptions<Update>) {
    this.#options = options;
    this.#points = new Map(options.names.map((name) => [name, Point.unknown(name)]));
    this.#unknown = new Set(this.#points.keys());
    this.#stopListening = options.channel.onState((state) => {
      if (state !== 'connected') this.#turnAllBad();
    });
    this.#noteKnown('');
    if (this.#points.size > 0) this.#follow();
  }

  /** Resolves when each name was reported or refused for the first time. */
  get known(): Promise<void> {
    return this.#known.promise;
  }

  /** As it is now; it does not change any more. */
  image(): ReadonlyMap<string, Point> {
    return new Map(this.#points);
  }

  close(): void {
    this.#hasEnded = true;
    this.#cancelRetry();
    this.#stopListening();
  }

  async #follow(): Promise<void> {
    const { watch, clock } = this.#options;
    try {
      for await (const updates of watch([...this.#points.keys()])) this.#take(updates);
    } catch (error) {
      if (!(error instanceof TelltaleProblem)) throw error;
      for (const name of this.#points.keys()) this.#refuse(name, error.message);
      if (!this.#hasEnded) this.#cancelRetry = clock.after(retryMs, () => this.#follow());
    }
  }

  #take({ updates, refused }: Updates<Update>): void {
    // While the connection is lost, what waited to be read is old.
    if (this.#options.channel.state !== 'connected') return;
    for (const update of updates) {
      if (update.removed) this.#refuse(update.name, 'it is no longer configured');
      else this.#put(update);
    }
    for (const { name, error } of refused) this.#refuse(name, error?.detail ?? 'it cannot be watched');
  }

  #put(update: Update): void {
    const { name } = update;
    const [text, time, q = quality.good] = this.#options.wireOf(update);
    this.#refused.delete(name);
    this.#points.set(name, new Point({ name, ...parsePrefixed(text), quality: q, timeUs: fromTimestamp(time) }));
    this.#noteKnown(name);
  }

  #refuse(name: string, reason: string): void {
    const point = this.#points.get(name) ?? Point.unknown(name);
    this.#points.set(name, point.turnedBad(quality.bad.configurationError, this.#options.clock.now()));
    if (!this.#refused.has(name)) this.#options.onRefused(name, reason);
    this.#refused.add(name);
    this.#noteKnown(name);
  }

  #turnAllBad(): void {
    const { clock } = this.#options;
    for (const [name, point] of this.#points) {
      this.#points.set(name, point.turnedBad(quality.bad.communicationFailure, clock.now()));
    }
  }

  #noteKnown(name: string): void {
    this.#unknown.delete(name);
    if (this.#unknown.size === 0) this.#known.resolve();
  }
}
