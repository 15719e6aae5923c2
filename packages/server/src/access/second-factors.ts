// What users have beside a password: one-time codes, codes for recovery, passkeys. Each code and each use of a key is taken once,
// and that is on disk before it counts.
import { type Clock, ProblemError, type SecondFactors as Shown } from '@telltale/schema';
import type { SealKeys } from '../secrets/index.ts';
import type { Accounts } from './accounts.ts';
import type { Manager } from './manager.ts';
import { Passkeys, type Site } from './passwords/passkeys.ts';
import { newRecoveryCodes, takeRecoveryCode } from './passwords/recovery-codes.ts';
import type { StoredFactors } from './passwords/stored-factors.ts';
import { newTotp, type Totp, takeCode, totpUri } from './passwords/totp.ts';
import { SealedTotps } from './sealed-totps.ts';
import type { StoredUser } from './stored-user.ts';

export interface SecondFactorsOptions {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly site: () => Site;
  /** That seal the secrets of one-time codes on disk. */
  readonly secretKeys: SealKeys;
}

const issuer = 'Telltale';
/** To scan a code and type another one. */
const pendingMs = 10 * 60_000;
const mostPasskeys = 20;

export class SecondFactors {
  readonly #options: SecondFactorsOptions;
  readonly #passkeys: Passkeys;
  readonly #sealed: SealedTotps;
  /** Secrets that no code was sent of, by user. */
  readonly #pending = new Map<string, { readonly totp: Totp; readonly untilMs: number }>();

  constructor(options: SecondFactorsOptions) {
    this.#options = options;
    this.#passkeys = new Passkeys(options);
    this.#sealed = new SealedTotps(options.secretKeys);
  }

  /** What was stored before there was a key, or with an earlier one, is sealed with the present one. */
  async sealAll(): Promise<void> {
    const { accounts } = this.#options;
    for (const [name, { factors }] of accounts.all()) {
      if (factors?.totp === undefined || this.#sealed.isCurrent(factors.totp)) continue;
      await this.#change(name, (now) => {
        const totp = now.totp && this.#sealed.open(name, now.totp);
        return totp === undefined ? now : { ...now, totp: this.#sealed.seal(name, totp) };
      });
    }
  }

  /** Whether the codes of a user cannot be checked: they are sealed with a key that the server does not have. */
  isUnopened(name: string): boolean {
    const totp = this.#options.accounts.stored(name)?.factors?.totp;
    return totp !== undefined && this.#sealed.open(name, totp) === undefined;
  }

  shown(name: string): Shown {
    const { accounts } = this.#options;
    const { totp, recovery = [], passkeys = [] } = accounts.stored(name)?.factors ?? {};
    return {
      isRequired: accounts.mustHaveFactor(name),
      totp: totp !== undefined,
      passkeys: passkeys.map(({ id, name: called, created, lastUsed }) => ({
        id,
        name: called,
        created,
        ...(lastUsed !== undefined && { lastUsed }),
      })),
      recoveryCodes: recovery.length,
    };
  }

  /** A secret for an app, which counts when a code of it was sent. */
  beginTotp(name: string): { secret: string; uri: string } {
    const nowMs = this.#options.clock.monotonicMs();
    for (const [user, { untilMs }] of this.#pending) if (untilMs <= nowMs) this.#pending.delete(user);
    const totp = newTotp();
    this.#pending.set(name, { totp, untilMs: nowMs + pendingMs });
    return { secret: totp.secret, uri: totpUri(totp, name, issuer) };
  }

  /** Resolves with codes for recovery, where the user has none yet. */
  async confirmTotp(name: string, code: string): Promise<readonly string[]> {
    const { clock } = this.#options;
    const pending = this.#pending.get(name);
    const taken =
      pending !== undefined && clock.monotonicMs() < pending.untilMs && takeCode(pending.totp, code, clock.now());
    if (!taken) {
      throw new ProblemError('wrong-code', 'The code is not that of the secret that was given last, now.');
    }
    const codes = await this.#add(name, (factors) => ({ ...factors, totp: this.#sealed.seal(name, taken) }));
    this.#pending.delete(name);
    return codes;
  }

  removeTotp(name: string): Promise<void> {
    return this.#change(name, ({ totp: _, ...factors }) => factors);
  }

  async renewRecoveryCodes(name: string): Promise<readonly string[]> {
    const { texts, hashes } = newRecoveryCodes();
    await this.#change(name, (factors) => ({ ...factors, recovery: hashes }));
    return texts;
  }

  passkeyCreation(name: string): Promise<object> {
    return this.#passkeys.creationOptions(name, this.#options.accounts.stored(name)?.factors?.passkeys ?? []);
  }

  /** Resolves with codes for recovery, where the user has none yet. */
  async addPasskey(name: string, called: string, created: unknown): Promise<readonly string[]> {
    const passkey = await this.#passkeys.create(name, created);
    if (this.#owner(passkey.id) !== undefined) throw new ProblemError('invalid-passkey', 'It is there already.');
    return this.#add(name, ({ passkeys = [], ...factors }) => {
      if (passkeys.length >= mostPasskeys) {
        throw new ProblemError('too-many-requests', `You have ${mostPasskeys} passkeys: remove some first.`);
      }
      return { ...factors, passkeys: [...passkeys, { ...passkey, name: called, created: this.#nowS() }] };
    });
  }

  removePasskey(name: string, id: string): Promise<void> {
    return this.#change(name, ({ passkeys = [], ...factors }) => {
      const left = passkeys.filter((each) => each.id !== id);
      if (left.length === passkeys.length) throw new ProblemError('unknown-object', 'There is no such passkey.');
      return { ...factors, passkeys: left };
    });
  }

  /** By whoever manages the user. */
  removeAll(name: string, manager: Manager): Promise<void> {
    return this.#options.accounts.noteUser(name, { factors: {} }, manager);
  }

  /** Of an app, or for recovery. Throws `wrong-credentials`. */
  async takeCode(name: string, code: string): Promise<void> {
    await this.#change(name, (factors) => {
      const known = factors.totp && this.#sealed.open(name, factors.totp);
      const totp = known && takeCode(known, code, this.#options.clock.now());
      if (totp !== undefined) return { ...factors, totp: this.#sealed.seal(name, totp) };
      const recovery = takeRecoveryCode(factors.recovery ?? [], code);
      if (recovery !== undefined) return { ...factors, recovery };
      throw new ProblemError('wrong-credentials', 'The code is wrong, or was used before.');
    });
  }

  passkeyRequest(): Promise<object> {
    return this.#passkeys.requestOptions();
  }

  /** Whose a key is, by its id alone. */
  ownerOf(id: string): string | undefined {
    return this.#owner(id)?.[0];
  }

  /** Throws `wrong-credentials` where it is not the key of this user, or was not asked for. */
  async takePasskey(name: string, presented: { readonly id: string }): Promise<void> {
    const wrong = () => new ProblemError('wrong-credentials', 'The passkey is not known here, or its answer is wrong.');
    const { factors, disabled } = this.#options.accounts.stored(name) ?? {};
    const known = factors?.passkeys?.find(({ id }) => id === presented.id);
    const used = known && disabled !== true && (await this.#passkeys.verify(presented, known));
    if (!used) throw wrong();
    await this.#change(name, ({ passkeys = [], ...factors }) => {
      const present = passkeys.find(({ id }) => id === used.id);
      if (present === undefined) throw wrong();
      const after = { ...present, counter: Math.max(present.counter, used.counter), lastUsed: this.#nowS() };
      return { ...factors, passkeys: passkeys.map((each) => (each === present ? after : each)) };
    });
  }

  #owner(id: string): [string, StoredUser] | undefined {
    const { accounts } = this.#options;
    return accounts.all().find(([, { factors }]) => factors?.passkeys?.some((each) => each.id === id) === true);
  }

  /** With codes for recovery, where the user has none. */
  async #add(name: string, change: (factors: StoredFactors) => StoredFactors): Promise<readonly string[]> {
    const { texts, hashes } = newRecoveryCodes();
    let shown: readonly string[] = [];
    await this.#change(name, (factors) => {
      const isFirst = (factors.recovery ?? []).length === 0;
      shown = isFirst ? texts : [];
      return { ...change(factors), ...(isFirst && { recovery: hashes }) };
    });
    return shown;
  }

  #change(name: string, change: (factors: StoredFactors) => StoredFactors): Promise<void> {
    return this.#options.accounts.noteUser(name, ({ factors = {} }) => ({ factors: change(factors) }));
  }

  #nowS(): number {
    return Math.floor(this.#options.clock.now() / 1e6);
  }
}
