// What a broker has to offer: the topics heard in a short while, retained and live, with the parts of JSON payloads as
// points; below spBv1.0, what the births of edge nodes offer. What was found is cached for a while, so that the next page needs no
// listening.
import { pause } from '@telltale/schema';
import {
  type BrowseAnswer,
  type BrowsedPoint,
  type BrowseItem,
  type BrowseRequest,
  formatPointer,
  Refused,
} from '@telltale/stack-kit';
import { Payload } from './payload.ts';
import { namespace } from './sparkplug/metric-address.ts';
import { NodeBrowser, type NodeBrowserOptions } from './sparkplug/node-browser.ts';
import { filterFault, hasWildcard, matchesTopic } from './topic.ts';

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
  /** Beside what was asked for, there is Sparkplug. */
  hasSparkplug: boolean;
  bytes: number;
}

export class Browser {
  readonly #options: NodeBrowserOptions;
  readonly #nodes: NodeBrowser;
  #listening: Listening | undefined;
  #cached: { readonly path: string; readonly items: BrowseItem[]; readonly untilMs: number } | undefined;

  constructor(options: NodeBrowserOptions) {
    this.#options = options;
    this.#nodes = new NodeBrowser(options);
  }

  hear(topic: string, payload: Buffer | undefined): void {
    this.#nodes.hear(topic, payload);
    const listening = this.#listening;
    if (listening === undefined || payload === undefined || payload.length > maxPayload) return;
    if (!matchesTopic(listening.filter, topic.split('/'))) return;
    if (topic.startsWith(namespace)) {
      // Who looks at the whole broker has not asked for births: those of all edge nodes at once are a burden.
      listening.hasSparkplug = true;
      return;
    }
    const before = listening.heard.get(topic);
    if (before === undefined && listening.heard.size >= maxTopics) return;
    const bytes = listening.bytes + payload.length - (before?.length ?? 0);
    if (bytes > maxBytes) return;
    listening.bytes = bytes;
    listening.heard.set(topic, Buffer.from(payload));
  }

  /** The connection has ended. */
  end(): void {
    this.#nodes.end();
  }

  /** `path` is the beginning of the topics: `plant/tank1` is everything below it, and itself. */
  async browse({ path = '', cursor = '0', limit }: BrowseRequest, signal: AbortSignal): Promise<BrowseAnswer> {
    const nowMs = this.#options.clock.monotonicMs();
    const cached = this.#cached?.path === path && this.#cached.untilMs > nowMs ? this.#cached.items : undefined;
    const items = (cursor !== '0' ? cached : undefined) ?? (await this.#find(path, signal));
    const from = /^[0-9]{1,9}$/.test(cursor) ? Number(cursor) : 0;
    const to = from + Math.max(1, limit);
    return { items: items.slice(from, to), cursor: to < items.length ? String(to) : undefined };
  }

  async #find(path: string, signal: AbortSignal): Promise<BrowseItem[]> {
    const isSparkplug = `${path}/`.startsWith(namespace);
    const items = await (isSparkplug ? this.#nodes.browse(path, signal) : this.#listen(path, signal));
    this.#cached = { path, items, untilMs: this.#options.clock.monotonicMs() + cachedMs };
    return items;
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
    return [...(listening.hasSparkplug ? [sparkplugFolder] : []), ...itemsOf(listening.heard)];
  }
}

function itemsOf(heard: ReadonlyMap<string, Buffer>): BrowseItem[] {
  const payload = new Payload();
  return [...heard.keys()].sort().flatMap((topic) => {
    const points = pointsOf(topic, payload.load(heard.get(topic) as Buffer));
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
