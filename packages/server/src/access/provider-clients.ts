// Clients of providers: what they write and acknowledge is done by the provider, `provider/NAME`, or by the user of the service as
// whom they have signed in. Where there are users, only to what the provider's properties.writes lists.
import { mayWrite, ProblemError, readWriteList } from '@telltale/schema';
import { type Caller, notAllowed } from './caller.ts';

/** What a client of a provider wants to do. */
export interface ProviderAsked {
  readonly provider: string;
  /** Of the provider. */
  readonly properties: Readonly<Record<string, string>>;
  readonly permission: 'write' | 'acknowledge';
  /** Of the command or alarm. */
  readonly name: string;
  /** The session of the user of the service as whom it has signed in. */
  readonly user?: number | undefined;
}

/** Who does it. */
export interface ProviderClient extends Pick<Caller, 'author' | 'kind' | 'session'> {
  /** The authority of an alarm, where a client says who it is. */
  readonly authorityOr: (said: string) => string;
}

/** Who has signed in, and where what it asks for is in the plant. */
export interface AskingUser {
  readonly caller: Caller;
  readonly area: string | undefined;
}

/** Throws where it may not. While there are no users the provider may do everything, and a client says who it is. */
export function admitClient(asked: ProviderAsked, isOpen: boolean, user?: AskingUser): ProviderClient {
  const { provider, properties, name } = asked;
  const author = `provider/${provider}`;
  const itself = { author, kind: 'provider', session: undefined } as const;
  if (isOpen && user === undefined) return { ...itself, authorityOr: (said) => said };
  if (user !== undefined) checkUser(user, asked);
  const writes = Object.hasOwn(properties, 'writes') ? properties.writes : undefined;
  if (!mayWrite(readWriteList(writes ?? ''), name)) {
    const object = JSON.stringify(name.slice(0, 80));
    throw new ProblemError('not-allowed', `properties.writes of provider ${provider} does not list ${object}.`);
  }
  return user?.caller ?? { ...itself, authorityOr: () => author };
}

function checkUser({ caller, area }: AskingUser, { permission, name }: ProviderAsked): void {
  if (!caller.rights.on('view', name, area)) {
    throw new ProblemError('unknown-object', `There is no ${JSON.stringify(name.slice(0, 80))}.`);
  }
  if (!caller.rights.on(permission, name, area)) throw notAllowed(caller, permission, name);
}
