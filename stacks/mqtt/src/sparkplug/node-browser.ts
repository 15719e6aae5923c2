// The edge nodes that there are, and what their births offer. Births are not retained and say nothing by themselves: edge nodes
// that are known or heard are asked for theirs. It goes on listening for a while, so that those that speak seldom are found by
// the next browse.
import { type Clock, pause } from '@telltale/schema';
import { type BrowseItem, Refused } from '@telltale/stack-kit';
import { filterFault, hasWildcard } from '../topic.ts';
import { type Birth, birthItems, metricsOfBirth, parseSparkplugTopic, type SparkplugTopic } from './birth-points.ts';
import { namespace } from './metric-address.ts';

export interface NodeBrowserOptions {
  readonly clock: Clock;
  readonly subscribe: (filter: string) => Promise<string | undefined>;
  readonly unsubscribe: (filter: string) => Promise<void>;
  readonly askBirth: (group: string, node: string) => void;
  /** Of edge nodes that points are configured of: they need not be asked. */
  readonly births: () => Birth[];
}

/** A first browse listens at least so long, and at most so long for births that were asked for. */
const listenMs = 2000;
const maxWaitMs = 20_000;
/** After a birth, those of further devices may follow. */
const quietMs = 1000;
const pollMs = 50;
/** It goes on listening after the last browse. */
const lingerMs = 120_000;
const maxNodes = 10_000;
/** Of all births together. */
const maxBytes = 32 * 1024 * 1024;
/** Where brokers that know Sparkplug keep births. */
const certificates = '$sparkplug/certificates/';
/** Among devices. */
const itself = '';

interface SeenNode {
  readonly group: string;
  readonly node: string;
  /** By device; the edge node itself is the one without a name. */
  readonly births: Map<string, Buffer>;
  /** Its birth was asked for at that time, and has not come since. */
  askedMs: number | undefined;
}

interface Place {
  readonly group: string | undefined;
  readonly node: string | undefined;
  readonly device: string | undefined;
  /** What this metric says of itself is looked for. */
  readonly metric: string | undefined;
}

export class NodeBrowser {
  readonly #options: NodeBrowserOptions;
  readonly #nodes = new Map<string, SeenNode>();
  /** What was browsed last, and is subscribed to until it ends; undefined: births are not kept. */
  #place: Place | undefined;
  #filters: readonly string[] = [];
  #cancelLinger = () => {};
  #bytes = 0;
  #heardMs = 0;
  #isBrowsing = false;

  constructor(options: NodeBrowserOptions) {
    this.#options = options;
  }

  /** Every message of edge nodes that comes, whoever has subscribed to it. */
  hear(topic: string, payload: Buffer | undefined): void {
    const isKept = topic.startsWith(certificates);
    const parsed = parseSparkplugTopic(isKept ? topic.slice(certificates.length) : topic);
    if (parsed === undefined || parsed.kind.endsWith('CMD')) return;
    const key = `${parsed.group}/${parsed.node}`;
    if (parsed.kind === 'NDEATH') {
      this.#forget(key);
      return;
    }
    const known = this.#nodes.get(key);
    if (known === undefined && this.#nodes.size >= maxNodes) return;
    const node = known ?? { group: parsed.group, node: parsed.node, births: new Map(), askedMs: undefined };
    this.#nodes.set(key, node);
    if (this.#place === undefined || !isIn(this.#place, node)) return;
    if (parsed.kind.endsWith('BIRTH') && payload !== undefined) this.#keep(node, parsed, payload);
    else if (parsed.kind === 'DDEATH') this.#drop(node, `${parsed.device}`);
    else if (!node.births.has(itself)) this.#ask(node);
  }

  async browse(path: string, signal: AbortSignal): Promise<BrowseItem[]> {
    const place = placeOf(path);
    if (this.#isBrowsing) throw new Refused('another browse of this connector is running: retry later');
    this.#isBrowsing = true;
    try {
      await this.#listen(place, signal);
    } finally {
      this.#isBrowsing = false;
      this.#linger();
    }
    return this.#itemsOf(place);
  }

  /** The connection has ended, and its subscriptions with it. */
  end(): void {
    this.#cancelLinger();
    this.#place = undefined;
    this.#filters = [];
    for (const node of this.#nodes.values()) {
      node.births.clear();
      node.askedMs = undefined;
    }
    this.#bytes = 0;
  }

  async #listen(place: Place, signal: AbortSignal): Promise<void> {
    const { clock, subscribe, births } = this.#options;
    this.#cancelLinger();
    const filters = filtersOf(place);
    const isNew = filters.some((filter) => !this.#filters.includes(filter));
    const startMs = clock.monotonicMs();
    this.#place = place;
    if (isNew) {
      await this.#unsubscribe(this.#filters.filter((filter) => !filters.includes(filter)));
      this.#filters = filters;
      for (const filter of filters) {
        const refused = await subscribe(filter);
        // Brokers may keep what is theirs to themselves.
        if (refused !== undefined && !filter.startsWith('$')) throw new Refused(refused);
      }
    }
    const known = new Set(births().map(({ group, node }) => `${group}/${node}`));
    const isWanted = (node: SeenNode) => !node.births.has(itself) && !known.has(`${node.group}/${node.node}`);
    const wanted = () => [...this.#nodes.values()].filter((node) => isIn(place, node) && isWanted(node));
    for (const node of wanted()) this.#ask(node);
    const isDone = () => {
      const nowMs = clock.monotonicMs();
      if (nowMs - startMs >= maxWaitMs) return true;
      if (isNew && nowMs - startMs < listenMs) return false;
      return wanted().length === 0 && nowMs - this.#heardMs >= quietMs;
    };
    while (!isDone()) {
      await pause(clock, pollMs, signal);
      signal.throwIfAborted();
    }
    // Whoever has not answered by now is waited for no more, unless it speaks again.
    for (const node of wanted()) this.#forget(`${node.group}/${node.node}`);
  }

  #itemsOf(place: Place): BrowseItem[] {
    const known = this.#options.births();
    const names = new Set(known.map(({ group, node }) => `${group}/${node}`));
    const heard = [...this.#nodes].flatMap(([name, { group, node, births }]) => {
      if (names.has(name)) return [];
      return Array.from(births, ([device, bytes]) => ({ group, node, device, metrics: metricsOfBirth(bytes) }));
    });
    const nameOf = ({ group, node, device }: Birth) => `${group}/${node}/${device}`;
    return [...known, ...heard]
      .filter((birth) => isIn(place, birth) && (place.device ?? birth.device) === birth.device)
      .sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
      .flatMap((birth) => birthItems(birth, place.metric));
  }

  #ask(node: SeenNode): void {
    if (node.askedMs !== undefined) return;
    node.askedMs = this.#options.clock.monotonicMs();
    this.#options.askBirth(node.group, node.node);
  }

  #keep(node: SeenNode, { kind, device }: SparkplugTopic, payload: Buffer): void {
    const own = kind === 'NBIRTH' ? itself : device;
    const bytes = this.#bytes + payload.length - (node.births.get(own)?.length ?? 0);
    if (bytes > maxBytes) return;
    this.#bytes = bytes;
    this.#heardMs = this.#options.clock.monotonicMs();
    node.births.set(own, Buffer.from(payload));
    if (own === itself) node.askedMs = undefined;
    // A device without its edge node was born before: the others are missing.
    else if (!node.births.has(itself)) this.#ask(node);
  }

  #drop(node: SeenNode, device: string): void {
    this.#bytes -= node.births.get(device)?.length ?? 0;
    node.births.delete(device);
  }

  #forget(key: string): void {
    const node = this.#nodes.get(key);
    if (node === undefined) return;
    for (const device of [...node.births.keys()]) this.#drop(node, device);
    this.#nodes.delete(key);
  }

  #linger(): void {
    this.#cancelLinger = this.#options.clock.after(lingerMs, () => {
      const filters = this.#filters;
      this.end();
      this.#unsubscribe(filters);
    });
  }

  async #unsubscribe(filters: readonly string[]): Promise<void> {
    for (const filter of filters) await this.#options.unsubscribe(filter).catch(() => undefined);
  }
}

/** `spBv1.0`, `spBv1.0/group/node/device` or a part of it, or the address of a metric. */
function placeOf(path: string): Place {
  const at = path.indexOf('#');
  const [, group, node, device, ...more] = (at < 0 ? path : path.slice(0, at)).split('/');
  const wrong = [group, node, device].find((level) => level === '' || (level !== undefined && hasWildcard(level)));
  if (wrong !== undefined || more.length > 0 || path.length > 4096) {
    throw new Refused(`the path must be ${namespace}group/node/device, or a part of it`);
  }
  const metric = at < 0 ? undefined : path.slice(at + 1);
  return { group, node, device: metric === undefined ? device : (device ?? ''), metric };
}

function filtersOf({ group, node }: Place): string[] {
  const filter =
    group === undefined
      ? `${namespace}#`
      : node === undefined
        ? `${namespace}${group}/#`
        : `${namespace}${group}/+/${node}/#`;
  const wrong = filterFault(filter);
  if (wrong !== undefined) throw new Refused(wrong);
  return [filter, certificates + filter];
}

function isIn(place: Place, { group, node }: Pick<Birth, 'group' | 'node'>): boolean {
  return (place.group ?? group) === group && (place.node ?? node) === node;
}
