// The hashes of credentials that are in use, so that not every request hashes. Whether a credential holds, is looked up by its
// hash each time: what was revoked is gone at once, though its hash is known.
import { hashOf } from './token-text.ts';

/** More than the programs and people who ask often. */
const usualMost = 2000;
/** Of a text: a header with a token or with our cookies has a few hundred characters. */
const mostCharacters = 1000;

export class KnownHashes {
  readonly #hashes = new Map<string, string>();
  readonly #hash: (text: string) => string;
  readonly #most: number;

  constructor(hash: (text: string) => string = hashOf, most = usualMost) {
    this.#hash = hash;
    this.#most = most;
  }

  get size(): number {
    return this.#hashes.size;
  }

  /**
   * What is found by the hash of the secret, which `read` takes out of the text, such as a header. Only texts by which something
   * is found are kept: nobody pushes others out with invented ones.
   */
  find<Found>(
    text: string,
    read: (text: string) => string | undefined,
    lookUp: (hash: string) => Found | undefined,
  ): Found | undefined {
    const known = this.#hashes.get(text);
    if (known !== undefined) return this.#kept(text, lookUp(known));
    const secret = read(text);
    const hash = secret === undefined ? undefined : this.#hash(secret);
    const found = hash === undefined ? undefined : lookUp(hash);
    if (hash === undefined || found === undefined || text.length > mostCharacters) return found;
    const [oldest] = this.#hashes.size < this.#most ? [] : this.#hashes.keys();
    if (oldest !== undefined) this.#hashes.delete(oldest);
    this.#hashes.set(text, hash);
    return found;
  }

  #kept<Found>(text: string, found: Found | undefined): Found | undefined {
    if (found === undefined) this.#hashes.delete(text);
    return found;
  }
}
