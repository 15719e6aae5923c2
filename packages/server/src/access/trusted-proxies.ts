// Where a request comes from. Headers are believed only where a listed proxy has sent them, and only what proxies have added.
import { isIP } from 'node:net';
import { Networks, plainAddress } from './networks.ts';

const maxProxies = 256;
/** Of a header: who is beyond has too many proxies in front. */
const maxHops = 20;

export class TrustedProxies {
  readonly #proxies: Networks | undefined;

  /** `text`: the setting; throws an error that names what is wrong. */
  constructor(text: string | undefined) {
    const entries = text === undefined ? [] : text.split(',').map((each) => each.trim());
    if (entries.length > maxProxies)
      throw new Error(`has ${entries.length} entries: at most ${maxProxies} are allowed.`);
    this.#proxies = entries.length === 0 ? undefined : new Networks(entries);
  }

  /**
   * The address of the client. Each proxy appends the address that it was asked from to X-Forwarded-For: from the end, the first
   * that is no proxy of ours is the client. What stands before it, anybody may have written.
   */
  sourceOf(
    remoteAddress: string | undefined,
    forwardedFor: string | readonly string[] | undefined,
  ): string | undefined {
    const peer = remoteAddress === undefined ? undefined : plainAddress(remoteAddress);
    const proxies = this.#proxies;
    if (proxies === undefined || forwardedFor === undefined || !proxies.has(peer)) return peer;
    let source = peer;
    for (const hop of String(forwardedFor).split(',').slice(-maxHops).reverse()) {
      const address = plainAddress(hop.trim());
      if (isIP(address) === 0) return source;
      source = address;
      if (!proxies.has(address)) return source;
    }
    return source;
  }
}
