// Which measurements a message is for, by its topic, and the last message that each subscription brought.
import type { Tap } from './tap.ts';
import { filterOf, hasWildcard, matchesTopic } from './topic.ts';

export interface Route {
  readonly subscription: string;
  readonly filter: readonly string[];
  readonly taps: Tap[];
  topic: string;
  raw: Buffer;
  size: number;
  timeUs: number;
}

/** So many bytes of a payload are stored. */
const maxRaw = 1024;
/** Topics whose routes are remembered. */
const maxTopics = 10_000;

export class Routes {
  readonly all = new Map<string, Route>();
  readonly #exact = new Map<string, Route[]>();
  readonly #wild: Route[] = [];
  readonly #known = new Map<string, readonly Route[]>();

  /** Routes that were there before keep their last message. */
  constructor(taps: Iterable<Tap>, before?: Routes) {
    for (const tap of taps) {
      const subscription = tap.settings?.address.topic;
      if (subscription === undefined) continue;
      const route = this.all.get(subscription) ?? this.#add(subscription, before?.all.get(subscription));
      route.taps.push(tap);
    }
  }

  of(topic: string): readonly Route[] {
    const known = this.#known.get(topic);
    if (known !== undefined) return known;
    const exact = this.#exact.get(topic) ?? [];
    const levels = topic.split('/');
    const wild = this.#wild.filter(({ filter }) => matchesTopic(filter, levels));
    const found = wild.length === 0 ? exact : [...exact, ...wild];
    if (this.#known.size >= maxTopics) this.#known.clear();
    this.#known.set(topic, found);
    return found;
  }

  #add(subscription: string, before: Route | undefined): Route {
    const filter = filterOf(subscription);
    const { topic = '', raw = Buffer.alloc(0), size = 0, timeUs = 0 } = before ?? {};
    const route: Route = { subscription, filter: filter.split('/'), taps: [], topic, raw, size, timeUs };
    this.all.set(subscription, route);
    if (hasWildcard(filter)) this.#wild.push(route);
    else this.#exact.set(filter, [...(this.#exact.get(filter) ?? []), route]);
    return route;
  }
}

/** A copy of the beginning: the payload itself is a part of a larger piece of memory. */
export function keepMessage(route: Route, topic: string, payload: Buffer | undefined, timeUs: number): void {
  route.topic = topic;
  route.raw = payload === undefined ? Buffer.alloc(0) : Buffer.from(payload.subarray(0, maxRaw));
  route.size = payload?.length ?? 0;
  route.timeUs = timeUs;
}
