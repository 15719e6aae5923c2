// What people have beside a password to sign in, over HTTP. Only a user who has signed in during the last ten minutes changes it.
import type { CreatedPasskey, SecondFactors as Shown } from '@telltale/schema';
import type { OperationCalls } from './operation-calls.ts';
import type { AskOptions } from './transport.ts';

/** For an authenticator app. */
export interface NewApp {
  /** To type. */
  readonly secret: string;
  /** The same, for a QR code. */
  readonly uri: string;
}

export class SecondFactors {
  readonly #calls: OperationCalls;

  constructor(calls: OperationCalls) {
    this.#calls = calls;
  }

  /** The own ones. */
  get({ signal }: AskOptions = {}): Promise<Shown> {
    return this.#calls.json('getSecondFactors', {}, { signal });
  }

  /** A secret for an app, which counts when a code of it was sent within ten minutes. */
  beginTotp({ signal }: AskOptions = {}): Promise<NewApp> {
    return this.#calls.json('beginTotp', {}, { signal });
  }

  /** From now on, signing in needs a code. Resolves with codes for recovery, where there were none before: they are shown this once. */
  async confirmTotp(code: string, { signal }: AskOptions = {}): Promise<readonly string[]> {
    const { recoveryCodes } = await this.#calls.json<RecoveryCodes, 'confirmTotp'>('confirmTotp', { code }, { signal });
    return recoveryCodes;
  }

  removeTotp({ signal }: AskOptions = {}): Promise<void> {
    return this.#calls.send('removeTotp', {}, { signal });
  }

  /** The earlier ones end. */
  async renewRecoveryCodes({ signal }: AskOptions = {}): Promise<readonly string[]> {
    const { recoveryCodes } = await this.#calls.json<RecoveryCodes, 'renewRecoveryCodes'>(
      'renewRecoveryCodes',
      {},
      { signal },
    );
    return recoveryCodes;
  }

  /** What `PublicKeyCredential.parseCreationOptionsFromJSON` takes: good once, for five minutes. */
  beginPasskey({ signal }: AskOptions = {}): Promise<object> {
    return this.#calls.json('getPasskeyCreation', {}, { signal });
  }

  /** A passkey that the browser has made, as its `toJSON` writes it. Resolves with codes for recovery, where there were none before. */
  async addPasskey(name: string, passkey: unknown, { signal }: AskOptions = {}): Promise<readonly string[]> {
    const input = { name, passkey: passkey as CreatedPasskey };
    const { recoveryCodes } = await this.#calls.json<RecoveryCodes, 'addPasskey'>('addPasskey', input, { signal });
    return recoveryCodes;
  }

  /** By its id. */
  removePasskey(passkey: string, { signal }: AskOptions = {}): Promise<void> {
    return this.#calls.send('removePasskey', { passkey }, { signal });
  }
}

interface RecoveryCodes {
  readonly recoveryCodes: readonly string[];
}
