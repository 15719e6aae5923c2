// What a broker has to offer: the topics heard in a short while, retained and live, with the parts of JSON payloads as
// points. Received messages are cached for a while, so that the next page needs no listening.
import { type Clock, pause } from '@telltale/schema';
import {
  type BrowseAnswer,
  type BrowsedPoint,
  type BrowseItem,
  type BrowseRequest,
  formatPointer,
  Refused,
} from '@telltale/stack-kit';
import { Payload } from './payload.ts';
import { birthPoints, isBirth, parseSparkplugTopic, type SparkplugTopic } from './sparkplug/birth-points.ts';
import { namespace } from './sparkplug/metric-address.ts';
import { filterFault, hasWildcard, matchesTopic } from './topic.ts';

export interface BrowserOptions {
  readonly clock: Clock;
  readonly subscribe: (filter: string) => Promise<string | undefined>;
  readonly unsubscribe: (filter: string) => Promise<void>;
  readonly askBirth: (group: string, node: string) => void;
}

const listenMs = 2000;
const cachedMs = 60_000;
const maxTopics = 10_000;
const maxLeaves = 1000;
const maxDepth = 8;
const maxPayload = 65_536;
/** Of all payloads together. */
const maxBytes = 32 * 1024 * 1024;

const sparkplugFolder: BrowseItem = {
  title: 'Sparkplug B',
  path: namespace.slice(0, -1),
  measurement: undefined,
  command: undefined,
};

interface Listening {
  readonly filter: readonly string[];
  readonly heard: Map<string, Buffer>;
  readonly asked: Set<string>;
  /** Beside what was asked for, there is Sparkplug. */
  hasSparkplug: boolean;
  bytes: number;
}

export class Browser {
  readonly #options: BrowserOptions;
  #listening: Listening | undefined;
  #cached: { readonly path: string; readonly items: BrowseItem[]; readonly untilMs: number } | undefined;

  constructor(options: BrowserOptions) {
    this.#options = options;
  }

  hear(topic: string, payload: Buffer | undefined): void {
    const listening = this.#listening;
    if (listening === undefined || payload === undefined || payload.length > maxPayload) return;
    if (!matchesTopic(listening.filter, topic.split('/'))) return;
    const sparkplug = parseSparkplugTopic(topic);
    if (sparkplug !== undefined && listening.filter[0] === '#') {
      // Who looks at the whole broker has not asked for births: those of all edge nodes at once are a burden.
      listening.hasSparkplug = true;
      return;
    }
    if (sparkplug !== undefined && !isBirth(sparkplug)) {
      this.#askBirth(listening, sparkplug);
      return;
    }
    const before = listening.heard.get(topic);
    if (before === undefined && listening.heard.size >= maxTopics) return;
    const bytes = listening.bytes + payload.length - (before?.length ?? 0);
    if (bytes > maxBytes) return;
    listening.bytes = bytes;
    listening.heard.set(topic, Buffer.from(payload));
  }

  /** `path` is the beginning of the topics: `plant/tank1` is everything below it, and itself. */
  async browse({ path = '', cursor = '0', limit }: BrowseRequest, signal: AbortSignal): Promise<BrowseAnswer> {
    const nowMs = this.#options.clock.monotonicMs();
    const cached = this.#cached?.path === path && this.#cached.untilMs > nowMs ? this.#cached.items : undefined;
    const items = (cursor !== '0' ? cached : undefined) ?? (await this.#listen(path, signal));
    const from = /^[0-9]{1,9}$/.test(cursor) ? Number(cursor) : 0;
    const to = from + Math.max(1, limit);
    return { items: items.slice(from, to), cursor: to < items.length ? String(to) : undefined };
  }

  async #listen(path: string, signal: AbortSignal): Promise<BrowseItem[]> {
    const { clock, subscribe, unsubscribe } = this.#options;
    const filter = path === '' ? '#' : `${path}/#`;
    const wrong = hasWildcard(path) ? 'the path must not have wildcards' : filterFault(filter);
    if (wrong !== undefined) throw new Refused(wrong);
    if (this.#listening !== undefined) throw new Refused('another browse of this connector is running: retry later');
    const listening: Listening = {
      filter: filter.split('/'),
      heard: new Map(),
      asked: new Set(),
      hasSparkplug: false,
      bytes: 0,
    };
    this.#listening = listening;
    try {
      const refused = await subscribe(filter);
      if (refused !== undefined) throw new Refused(refused);
      await pause(clock, listenMs, signal);
      signal.throwIfAborted();
    } finally {
      this.#listening = undefined;
      unsubscribe(filter).catch(() => undefined);
    }
    const items = [...(listening.hasSparkplug ? [sparkplugFolder] : []), ...itemsOf(listening.heard)];
    this.#cached = { path, items, untilMs: clock.monotonicMs() + cachedMs };
    return items;
  }

  /** Only births have the names of metrics, and they are not retained. */
  #askBirth({ asked }: Listening, { group, kind, node }: SparkplugTopic): void {
    const key = `${group}/${node}`;
    if (!kind.endsWith('DATA') || asked.has(key) || asked.size >= maxTopics) return;
    asked.add(key);
    this.#options.askBirth(group, node);
  }
}

function itemsOf(heard: ReadonlyMap<string, Buffer>): BrowseItem[] {
  const payload = new Payload();
  return [...heard.keys()].sort().flatMap((topic) => {
    const bytes = heard.get(topic) as Buffer;
    const sparkplug = parseSparkplugTopic(topic);
    const points = sparkplug === undefined ? pointsOf(topic, payload.load(bytes)) : birthPoints(sparkplug, bytes);
    return points.map((measurement) => ({
      title: measurement.address,
      path: undefined,
      measurement,
      command: undefined,
    }));
  });
}

/** One for a plain payload, one for each number, text and boolean of a JSON object or array. */
export function pointsOf(topic: string, payload: Payload): BrowsedPoint[] {
  if (filterFault(topic) !== undefined) return [];
  const { text } = payload;
  if (text === undefined) return [];
  const root = payload.at([]);
  if (typeof root !== 'object' || root === null) {
    const trimmed = text.trim();
    const datatype = /^(?:true|false|on|off)$/iu.test(trimmed) ? 'b' : isNumber(trimmed) ? numberType(trimmed) : 's';
    return [{ name: topic, address: topic, datatype }];
  }
  const points: BrowsedPoint[] = [];
  const walk = (value: unknown, path: readonly string[]): void => {
    if (points.length >= maxLeaves) return;
    if (typeof value === 'object' && value !== null) {
      if (path.length < maxDepth) for (const [step, inner] of Object.entries(value)) walk(inner, [...path, step]);
      return;
    }
    if (value === null) return;
    const datatype =
      typeof value === 'boolean' ? 'b' : typeof value === 'string' ? 's' : numberType(payload.source(path) ?? '');
    const address = `${topic}#${formatPointer(path)}`;
    if (address.length <= 1024) points.push({ name: [topic, ...path].join('/'), address, datatype });
  };
  walk(root, []);
  return points;
}

function isNumber(text: string): boolean {
  return /^[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/u.test(text);
}

/** A double, but for whole numbers that it cannot hold. */
function numberType(source: string): 'd' | 'l' {
  return /^[+-]?[0-9]+$/u.test(source) && !Number.isSafeInteger(Number(source)) ? 'l' : 'd';
}
