// The servers that a connector may use, of which it uses one: those of a redundant set stand in for each other. Which is
// tried next, how well each can be used, and what people are told of them.
import { type Clock, onAbort } from '@telltale/schema';
import { type DeviceDetail, NotConnected } from '@telltale/stack-kit';

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

interface Known {
  isUp: boolean;
  sinceUs: number;
  lastError: string | undefined;
}

/** A server that is silent takes no more than its share of the time that there is for connecting. */
const connectMs = 9000;

export class ServerList {
  readonly #clock: Clock;
  readonly #urls: readonly string[];
  readonly #known: readonly Known[];
  #used = 0;
  #isUsed = false;
  #next = 0;

  constructor(urls: readonly string[], clock: Clock) {
    this.#urls = urls;
    this.#clock = clock;
    this.#known = urls.map(() => ({ isUp: false, sinceUs: clock.now(), lastError: undefined }));
  }

  get isRedundant(): boolean {
    return this.#urls.length > 1;
  }

  /** The one in use. */
  get used(): string | undefined {
    return this.#isUsed ? this.#urls[this.#used] : undefined;
  }

  /** Of those that there are, the one in use is up. */
  detail(): DeviceDetail[] {
    return this.#urls.map((name, at) => ({ name, ...(this.#known[at] as Known) }));
  }

  /**
   * Takes the first that is healthy, beginning with the one after that which was lost; else the first that is degraded.
   * Throws `NotConnected` with what is wrong with each, or what `open` throws where there is one alone.
   */
  async connect<Opened extends Link>(
    signal: AbortSignal,
    open: (url: string, signal: AbortSignal) => Promise<Opened>,
    look: (link: Opened) => Promise<Health>,
  ): Promise<Opened> {
    if (!this.isRedundant) return this.#use(0, await open(this.#urls[0] ?? '', signal));
    const order = this.#urls.map((_, at) => (this.#next + at) % this.#urls.length);
    let spare: { readonly at: number; readonly link: Opened } | undefined;
    try {
      for (const at of order) {
        const found = await this.#try(at, signal, open, look);
        if (found?.health === 'healthy') {
          await spare?.link.close();
          return this.#use(at, found.link);
        }
        if (found === undefined) continue;
        if (spare === undefined) spare = { at, link: found.link };
        else await found.link.close();
      }
    } catch (error) {
      await spare?.link.close();
      throw error;
    }
    if (spare !== undefined) return this.#use(spare.at, spare.link);
    const reasons = order.map((at) => `${this.#urls[at]}: ${this.#known[at]?.lastError ?? 'not tried'}`);
    throw new NotConnected(`no server can be used: ${reasons.join('; ')}`);
  }

  /** The link to the one in use has ended: the next is tried first. */
  left(reason: string): void {
    if (!this.#isUsed) return;
    this.#isUsed = false;
    this.#fail(this.#used, reason);
    this.#next = (this.#used + 1) % this.#urls.length;
  }

  async #try<Opened extends Link>(
    at: number,
    signal: AbortSignal,
    open: (url: string, signal: AbortSignal) => Promise<Opened>,
    look: (link: Opened) => Promise<Health>,
  ): Promise<{ readonly link: Opened; readonly health: Health } | undefined> {
    const limitMs = Math.floor(connectMs / this.#urls.length);
    const attempt = new AbortController();
    const stop = onAbort(signal, (reason) => attempt.abort(reason));
    const late = new NotConnected(`no answer for ${limitMs} ms`);
    const cancel = this.#clock.after(limitMs, () => attempt.abort(late));
    let link: Opened | undefined;
    try {
      link = await open(this.#urls[at] ?? '', attempt.signal);
      const health = await look(link);
      attempt.signal.throwIfAborted();
      if (health !== 'unusable') return { link, health };
      this.#fail(at, 'its ServerState or ServiceLevel says that it is not to be used');
      await link.close();
    } catch (error) {
      await link?.close();
      signal.throwIfAborted();
      this.#fail(at, error instanceof Error ? error.message : String(error));
    } finally {
      stop();
      cancel();
    }
    return undefined;
  }

  #use<Opened>(at: number, link: Opened): Opened {
    this.#used = at;
    this.#isUsed = true;
    this.#next = at;
    const known = this.#known[at];
    if (known !== undefined) Object.assign(known, { isUp: true, sinceUs: this.#clock.now() });
    return link;
  }

  #fail(at: number, lastError: string): void {
    const known = this.#known[at];
    if (known === undefined) return;
    if (known.isUp) known.sinceUs = this.#clock.now();
    known.isUp = false;
    known.lastError = lastError;
  }
}
