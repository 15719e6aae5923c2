// Hashes passwords and checks them, with argon2id: two at once, since each takes 64 MiB and a thread of the pool that
// files use too; a few wait, and more are refused. Browsers that are known go first, however many strangers wait.
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ProblemError } from '@telltale/schema';
import { normalized, passwordFault } from './password-fault.ts';
import { type Argon2, formatPhc, parsePhc } from './phc.ts';

/** RFC 9106, 4: the second recommended option, with one lane. */
const present: Argon2 = { memory: 64 << 10, passes: 3, parallelism: 1 };
const [saltBytes, hashBytes] = [16, 32];
const mostAtOnce = 2;
/** Of strangers, and as many of known browsers: a few seconds. */
const mostWaiting = 16;

export type Derive = (text: string, salt: Buffer, parameters: Argon2, bytes: number) => Promise<Buffer>;

const deriveByArgon2: Derive = (message, nonce, parameters, tagLength) =>
  promisify(argon2)('argon2id', { message, nonce, tagLength, ...parameters });

export class Passwords {
  readonly #derive: Derive;
  readonly #waiting = { known: [] as (() => void)[], stranger: [] as (() => void)[] };
  #running = 0;

  constructor(derive: Derive = deriveByArgon2) {
    this.#derive = derive;
  }

  /** Why it cannot be a password of this user; undefined where it can. */
  faultOf(password: string, user: string): string | undefined {
    return passwordFault(password, user);
  }

  /** As a PHC string. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(saltBytes);
    const hash = await this.#inTurn('known', () => this.#derive(normalized(password), salt, present, hashBytes));
    return formatPhc({ ...present, salt, hash });
  }

  /** Of no hash, or one that cannot be read: takes as long, and is false. */
  async verify(password: string, phc: string | undefined, who: 'known' | 'stranger' = 'stranger'): Promise<boolean> {
    const stored = phc === undefined ? undefined : parsePhc(phc);
    const { salt, hash } = stored ?? { salt: randomBytes(saltBytes), hash: randomBytes(hashBytes) };
    const { memory, passes, parallelism } = stored ?? present;
    const parameters = { memory, passes, parallelism };
    const found = await this.#inTurn(who, () => this.#derive(normalized(password), salt, parameters, hash.length));
    return timingSafeEqual(found, hash) && stored !== undefined;
  }

  /** Whether it was made with other parameters than those of today: hash it anew when the password is at hand. */
  needsRehash(phc: string): boolean {
    const stored = parsePhc(phc);
    return (
      stored === undefined ||
      stored.memory !== present.memory ||
      stored.passes !== present.passes ||
      stored.parallelism !== present.parallelism ||
      stored.hash.length !== hashBytes
    );
  }

  async #inTurn(who: 'known' | 'stranger', work: () => Promise<Buffer>): Promise<Buffer> {
    if (this.#running >= mostAtOnce) await this.#wait(who);
    else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.known.shift() ?? this.#waiting.stranger.shift();
      if (next === undefined) this.#running--;
      else next(); // which takes over the place
    }
  }

  #wait(who: 'known' | 'stranger'): Promise<void> {
    if (this.#waiting[who].length >= mostWaiting) {
      throw new ProblemError('overloaded', `${mostWaiting} passwords wait to be checked.`);
    }
    return new Promise((resolve) => this.#waiting[who].push(resolve));
  }
}
