// Proves who somebody is: by password and, where the user has one, a second factor; or by a passkey. Slows down who guesses,
// and marks browsers that have signed in, so that these are never slowed down by others.
import { randomBytes } from 'node:crypto';
import { type Clock, ProblemError, type SignIn } from '@telltale/schema';
import type { StoredEntry } from './access-store.ts';
import type { Accounts } from './accounts.ts';
import { type Changes, Collection } from './collection.ts';
import { type Attempt, Guessing } from './passwords/guessing.ts';
import { KnownDevices } from './passwords/known-devices.ts';
import type { SecondFactors } from './second-factors.ts';

export interface SignInsOptions {
  readonly accounts: Accounts;
  readonly changes: Changes;
  readonly factors: SecondFactors;
  readonly clock: Clock;
  /** Resolves with the user whose they are; throws `wrong-credentials` where they are nobody's. */
  readonly checkPassword: (name: string, password: string, who: 'known' | 'stranger') => Promise<string>;
}

export interface Proved {
  readonly user: string;
  /** The marks of the browser from now on. */
  readonly marks: string;
}

const keyName = 'devices';

export class SignIns {
  readonly #options: SignInsOptions;
  readonly #guessing: Guessing;
  readonly #keys = new Collection<string>('key', 'key');
  #devices: KnownDevices | undefined;

  constructor(options: SignInsOptions) {
    this.#options = options;
    this.#guessing = new Guessing(options.clock);
  }

  load(entries: readonly StoredEntry[]): void {
    this.#keys.load(entries);
    this.#useKey();
  }

  /** Throws `wrong-credentials`, `second-factor-needed`, `too-many-attempts`. `marks` are those that the browser brings. */
  async prove(given: SignIn, source: string, marks: string | undefined): Promise<Proved> {
    const { account, check } = this.#proofOf(given);
    return this.#attempt({ account, source, marks }, check);
  }

  /** The same, by password, of somebody who has a session: failures are counted by that. */
  proveAgain(given: SignIn, user: string, session: string): Promise<string> {
    const { check } = this.#proofOf({ ...given, user });
    return this.#ofSession(user, session, () => check('known'));
  }

  /** The password of somebody who has a session: its failures are counted by that. */
  checkPassword(user: string, password: string, session: string): Promise<string> {
    return this.#ofSession(user, session, () => this.#options.checkPassword(user, password, 'known'));
  }

  #ofSession(user: string, session: string, check: () => Promise<string>): Promise<string> {
    const attempt = this.#guessing.begin({ account: user, source: '', device: `session ${session}` });
    return this.#outcome(attempt, check);
  }

  /** Of whom it is a proof, as is said, and what finds out. */
  #proofOf({ passkey, user, password, code }: SignIn): {
    account: string;
    check: (who: 'known' | 'stranger') => Promise<string>;
  } {
    const { factors, accounts, checkPassword } = this.#options;
    if (passkey !== undefined) {
      const owner = factors.ownerOf(passkey.id) ?? `passkey ${passkey.id}`;
      return { account: owner, check: () => factors.takePasskey(owner, passkey).then(() => owner) };
    }
    if (user === undefined || password === undefined) {
      throw new ProblemError('invalid-body', 'Send a user and a password, or a passkey.');
    }
    const check = async (who: 'known' | 'stranger'): Promise<string> => {
      const name = await checkPassword(user, password, who);
      if (!accounts.hasFactor(name)) return name;
      if (code === undefined) {
        throw new ProblemError(
          'second-factor-needed',
          'Send the code of your authenticator app, or one for recovery, as code; or sign in with a passkey.',
        );
      }
      await factors.takeCode(name, code);
      return name;
    };
    return { account: user, check };
  }

  async #attempt(
    { account, source, marks }: { account: string; source: string; marks: string | undefined },
    check: (who: 'known' | 'stranger') => Promise<string>,
  ): Promise<Proved> {
    const devices = this.#devices ?? (await this.#makeKey());
    const device = devices.deviceOf(marks, account);
    const attempt = this.#guessing.begin({ account: account.toLowerCase(), source, device });
    const user = await this.#outcome(attempt, () => check(device === undefined ? 'stranger' : 'known'));
    return { user, marks: devices.mark(marks, account) };
  }

  /** Only what says that something was wrong counts as a failure. */
  async #outcome<Result>(attempt: Attempt, check: () => Promise<Result>): Promise<Result> {
    try {
      const result = await check();
      attempt.succeeded();
      return result;
    } catch (error) {
      if (!(error instanceof ProblemError && error.problem === 'wrong-credentials')) attempt.withdrawn();
      throw error;
    }
  }

  /** Of this installation alone; on disk before a mark of it is given away. */
  async #makeKey(): Promise<KnownDevices> {
    await this.#options.changes.run(() => {
      const isThere = this.#keys.get(keyName) !== undefined;
      const key = randomBytes(32).toString('base64url');
      return { changes: isThere ? [] : [this.#keys.change(keyName, key)], result: undefined };
    });
    return this.#useKey() as KnownDevices;
  }

  #useKey(): KnownDevices | undefined {
    const key = this.#keys.get(keyName);
    this.#devices ??=
      key === undefined ? undefined : new KnownDevices(Buffer.from(key, 'base64url'), this.#options.clock);
    return this.#devices;
  }
}
