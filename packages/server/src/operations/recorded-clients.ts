// What clients of providers do passes here instead of the gate: it is permitted, and recorded as that of any other caller is.
import { declarationOf, type OperationName, ProblemError, type Resource } from '@telltale/schema';
import {
  admitClient,
  type BegunSession,
  nobody,
  type ProviderAsked,
  type ProviderClient,
  type ProviderCredentials,
  type ProviderSessions,
} from '../access/index.ts';
import type { Confirmations } from './confirmations.ts';
import type { Note, RecordedCaller, RecordedOperation, Recording } from './recording.ts';

export interface RecordedClientsOptions {
  readonly recording: Recording;
  readonly confirmations: Confirmations;
  readonly access: { readonly isOpen: boolean; readonly providers: ProviderSessions };
  readonly areaOf: (resource: Resource, name: string) => string | undefined;
}

/** What is recorded of it. */
const recordedAs: Readonly<Record<ProviderAsked['permission'], OperationName>> = {
  write: 'writeCommand',
  acknowledge: 'acknowledgeAlarm',
};

export class RecordedClients {
  readonly #options: RecordedClientsOptions;

  constructor(options: RecordedClientsOptions) {
    this.#options = options;
  }

  /** Resolves when its record is on disk. */
  async carryOut(asked: ProviderAsked, work: (client: ProviderClient, note: Note) => Promise<void>): Promise<void> {
    const { recording, confirmations } = this.#options;
    const operation = recorded(recordedAs[asked.permission]);
    let client: ProviderClient;
    try {
      client = this.#admit(asked, operation.effect.resource);
      // No client of a provider can sign, whoever it is: the provider has to be named.
      if (asked.permission === 'write') confirmations.check('writeCommand', asked.name, itselfOf(asked));
    } catch (error) {
      recording.denied(operation, this.#askingOf(asked), asked.name, error as Error);
      throw error;
    }
    await recording.carryOut(operation, { caller: client, credentials: {} }, asked.name, (note) => work(client, note));
  }

  /** As a user of the service; its record names the provider as its session. */
  signIn(provider: string, credentials: ProviderCredentials): Promise<BegunSession> {
    const { recording, access } = this.#options;
    const { source, user } = credentials;
    return recording.carryOut(recorded('signIn'), { caller: nobody, credentials: { source } }, user, async (note) => {
      note({ session: `provider/${provider}` });
      const begun = await access.providers.begin(provider, credentials);
      note({ who: begun.name, kind: 'user' });
      return begun;
    });
  }

  signOut(provider: string, session: number): void {
    this.#options.access.providers.signOut(provider, session);
  }

  signOutAll(provider: string): void {
    this.#options.access.providers.signOutAll(provider);
  }

  #admit(asked: ProviderAsked, resource: Resource): ProviderClient {
    const { access, areaOf } = this.#options;
    const { provider, user, name } = asked;
    if (user === undefined) return admitClient(asked, access.isOpen);
    const caller = access.providers.find(provider, user);
    if (caller === undefined) throw new ProblemError('not-allowed', 'The user is signed out.');
    return admitClient(asked, access.isOpen, { caller, area: areaOf(resource, name) });
  }

  #askingOf({ provider, user }: ProviderAsked): RecordedCaller {
    const caller = user === undefined ? undefined : this.#options.access.providers.find(provider, user);
    return { caller: caller ?? itselfOf({ provider }), credentials: {} };
  }
}

function itselfOf({ provider }: Pick<ProviderAsked, 'provider'>) {
  return { author: `provider/${provider}`, kind: 'provider', session: undefined } as const;
}

function recorded(name: OperationName): RecordedOperation {
  return { name, effect: declarationOf(name).effect };
}
