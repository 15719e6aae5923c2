// The servers that a connector may use, of which it uses one: those of a redundant set stand in for each other, the healthier
// ones first.
import type { Clock } from '@telltale/schema';
import { type DeviceDetail, NotConnected, RedundantPeers } from '@telltale/stack-kit';

/** As the server says it itself (Part 4, 6.6.2): the better ones last. */
export type Health = 'unusable' | 'degraded' | 'healthy';

const running = 0;
const leastDegraded = 2;
const leastHealthy = 200;

/** By ServerState and ServiceLevel; a server that does not say is healthy. */
export function healthOf(state: unknown, level: unknown): Health {
  if (typeof state === 'number' && state !== running) return 'unusable';
  if (typeof level !== 'number' || level >= leastHealthy) return 'healthy';
  return level >= leastDegraded ? 'degraded' : 'unusable';
}

interface Link {
  close(): Promise<void>;
}

export class ServerList {
  readonly #urls: readonly string[];
  readonly #peers: RedundantPeers;

  constructor(urls: readonly string[], clock: Clock) {
    this.#urls = urls;
    this.#peers = new RedundantPeers(urls, clock);
  }

  get isRedundant(): boolean {
    return this.#peers.count > 1;
  }

  /** The one in use. */
  get used(): string | undefined {
    return this.#peers.used;
  }

  detail(): DeviceDetail[] {
    return this.#peers.detail();
  }

  /** The link to the one in use has ended: the next is tried first. */
  lost(reason: string): void {
    this.#peers.lost(reason);
  }

  /**
   * Takes the first that is healthy; else the first that is degraded. Throws `NotConnected` with what is wrong with each, or
   * what `open` throws where there is one alone.
   */
  async connect<Opened extends Link>(
    signal: AbortSignal,
    open: (url: string, signal: AbortSignal) => Promise<Opened>,
    look: (link: Opened) => Promise<Health>,
  ): Promise<Opened> {
    let spare: { readonly at: number; readonly link: Opened } | undefined;
    try {
      for (const at of this.#peers.order) {
        const found = await this.#peers.attempt(at, signal, async (attempt) => {
          const link = await open(this.#urls[at] ?? '', attempt);
          return { link, health: this.isRedundant ? await usable(link, look, attempt) : 'healthy' };
        });
        if (found?.health === 'healthy') {
          await spare?.link.close();
          this.#peers.use(at);
          return found.link;
        }
        if (found === undefined) continue;
        if (spare === undefined) spare = { at, link: found.link };
        else await found.link.close();
      }
    } catch (error) {
      await spare?.link.close();
      throw error;
    }
    if (spare === undefined) throw new NotConnected(`no server can be used: ${this.#peers.faults}`);
    this.#peers.use(spare.at);
    return spare.link;
  }
}

/** Throws, and closes the link, where it is not. */
async function usable<Opened extends Link>(
  link: Opened,
  look: (link: Opened) => Promise<Health>,
  attempt: AbortSignal,
): Promise<Health> {
  try {
    const health = await look(link);
    attempt.throwIfAborted();
    if (health !== 'unusable') return health;
    throw new NotConnected('its ServerState or ServiceLevel says that it is not to be used');
  } catch (error) {
    await link.close();
    throw error;
  }
}
