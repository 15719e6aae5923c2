// Clients of providers: what they write and acknowledge is done by the provider, `provider/NAME`, and where there are users
// only to what its properties.writes lists.
import { mayWrite, ProblemError, readWriteList } from '@telltale/schema';

/** What a client of a provider wants to do. */
export interface ProviderAsked {
  readonly provider: string;
  /** Of the provider. */
  readonly properties: Readonly<Record<string, string>>;
  readonly permission: 'write' | 'acknowledge';
  /** Of the command or alarm. */
  readonly name: string;
}

/** Who does it. */
export interface ProviderClient {
  readonly author: string;
  readonly authorityOr: (said: string) => string;
}

/** Throws where the provider may not. While there are no users it may do everything, and a client says who it is. */
export function admitClient({ provider, properties, name }: ProviderAsked, isOpen: boolean): ProviderClient {
  const author = `provider/${provider}`;
  if (isOpen) return { author, authorityOr: (said) => said };
  const writes = Object.hasOwn(properties, 'writes') ? properties.writes : undefined;
  if (!mayWrite(readWriteList(writes ?? ''), name)) {
    const object = JSON.stringify(name.slice(0, 80));
    throw new ProblemError('not-allowed', `properties.writes of provider ${provider} does not list ${object}.`);
  }
  return { author, authorityOr: () => author };
}
