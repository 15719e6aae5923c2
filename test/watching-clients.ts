// Runs as a process of its own: clients of the channel that watch counters and look whether they get every change. The
// parent says what to watch, and waits for all of them to have seen a number.
import { ChannelSocket } from './channel-socket.ts';
import { counterName, counterNumber } from './counters-plant.ts';

export interface WatchOrder {
  readonly watch: {
    readonly url: string;
    readonly clients: number;
    readonly points: number;
    /** How many points each watches: client n those from n * each on, around. */
    readonly each: number;
    /** Connections that are being made at once. */
    readonly atOnce: number;
  };
}

/** Answered when every client has seen this number of every point that it watches. */
export type Order = WatchOrder | { readonly seeAll: number };

export interface Watched {
  readonly elapsedMs: number;
}

export interface Seen {
  /** Changes that did not follow the one before. */
  readonly gaps: number;
  readonly updates: number;
  /** From the reading to the client, over all messages since the last order; of each its oldest update. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface Parsed {
  readonly message: Buffer;
  readonly points: Int32Array;
  readonly counts: Int32Array;
  readonly oldestMs: number;
}

/** Clients with the same list get the same bytes, which are parsed once. */
const parsed: Parsed[] = [];
const maxMessages = 16;

function parse(message: Buffer): Parsed {
  const known = parsed.find((each) => each.message.equals(message));
  if (known !== undefined) return known;
  const { updates } = JSON.parse(message.toString()) as {
    updates: { name: string; vtq: [string, [number, number]] }[];
  };
  const fresh = {
    message,
    points: Int32Array.from(updates, ({ name }) => counterNumber(name)),
    counts: Int32Array.from(updates, ({ vtq }) => Number(vtq[0].slice(1))),
    oldestMs: Math.min(...updates.map(({ vtq: [, [seconds, micros]] }) => seconds * 1000 + micros / 1000)),
  };
  parsed.push(fresh);
  if (parsed.length > maxMessages) parsed.shift();
  return fresh;
}

class Watcher {
  readonly #seen: Int32Array;
  readonly #first: number;
  readonly #each: number;
  gaps = 0;
  updates = 0;
  /** Points that have not come to the number yet. */
  missing: number;
  wanted = 0;

  constructor(points: number, first: number, each: number) {
    this.#seen = new Int32Array(points).fill(-1);
    this.#first = first;
    this.#each = each;
    this.missing = each;
  }

  get names(): string[] {
    const points = this.#seen.length;
    return Array.from({ length: this.#each }, (_, at) => counterName((this.#first + at) % points));
  }

  want(number: number): void {
    this.wanted = number;
    this.missing = this.names.filter((name) => (this.#seen[counterNumber(name)] as number) < number).length;
  }

  take({ points, counts }: Parsed): void {
    for (let at = 0; at < points.length; at++) {
      const point = points[at] as number;
      const count = counts[at] as number;
      const before = this.#seen[point] as number;
      if (before >= 0 && count !== before + 1) this.gaps++;
      this.#seen[point] = count;
      if (before < this.wanted && count >= this.wanted) this.missing--;
    }
    this.updates += points.length;
  }
}

const watchers: Watcher[] = [];
const latenciesMs: number[] = [];

async function watch({ watch: { url, clients, points, each, atOnce } }: WatchOrder): Promise<Watched> {
  const sinceMs = performance.now();
  let next = 0;
  const connect = async () => {
    while (next < clients) {
      const watcher = new Watcher(points, (next++ * each) % points, each);
      watchers.push(watcher);
      const channel = await ChannelSocket.open(url, (message) => {
        const parts = parse(message);
        latenciesMs.push(Date.now() - parts.oldestMs);
        watcher.take(parts);
      });
      const { result, error } = await channel.ask({ request: 'WatchMeasurements', measurements: watcher.names });
      if (!result) throw new Error(error?.detail);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, connect));
  return { elapsedMs: performance.now() - sinceMs };
}

async function seeAll(number: number): Promise<Seen> {
  for (const watcher of watchers) watcher.want(number);
  latenciesMs.length = 0;
  while (watchers.some(({ missing }) => missing > 0)) await new Promise((resolve) => setTimeout(resolve, 5));
  const sorted = latenciesMs.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  const sum = (of: 'gaps' | 'updates') => watchers.reduce((total, watcher) => total + watcher[of], 0);
  return { gaps: sum('gaps'), updates: sum('updates'), p50Ms: at(0.5), p99Ms: at(0.99) };
}

process.on('message', async (order: Order) => {
  process.send?.('watch' in order ? await watch(order) : await seeAll(order.seeAll));
});
process.on('disconnect', () => process.exit());
