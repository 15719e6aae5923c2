// Connectors and providers: what the service says of them, and what people do to them.
import type { LiveConnector, LiveProvider } from '@telltale/schema';
import { client } from './service.ts';

export type LinkRole = 'connector' | 'provider';

export type LinkRow = Pick<
  LiveConnector,
  'name' | 'stack' | 'state' | 'since' | 'last-error' | 'disabled' | 'values-per-second' | 'points'
> & {
  readonly role: LinkRole;
  /** Behind it, of those that are listed. */
  readonly devicesDown: number;
};

export type LinkDetails =
  | (LiveConnector & { readonly role: 'connector' })
  | (LiveProvider & { readonly role: 'provider' });

const fields = [
  'name',
  'stack',
  'state',
  'since',
  'last-error',
  'disabled',
  'values-per-second',
  'points',
  'devices',
] as const;

export async function readLinks(signal: AbortSignal): Promise<LinkRow[]> {
  const [connectors, providers] = await Promise.all([
    client.connectors.list({ fields, signal }),
    client.providers.list({ fields, signal }),
  ]);
  const rowsOf = (role: LinkRole, links: Readonly<Record<string, Pick<LiveConnector, (typeof fields)[number]>>>) =>
    Object.values(links).map(({ devices, ...link }): LinkRow => {
      return { ...link, role, devicesDown: devices.filter(({ state }) => state === 'down').length };
    });
  return [...rowsOf('connector', connectors), ...rowsOf('provider', providers)];
}

export async function readLink(role: LinkRole, name: string, signal: AbortSignal): Promise<LinkDetails> {
  return role === 'connector'
    ? { ...(await client.connectors.get(name, { signal })), role }
    : { ...(await client.providers.get(name, { signal })), role };
}

export type LinkAction = 'restart' | 'disable' | 'enable';

/** Resolves when it is done: its link has ended, or is made anew. */
export function operateLink(role: LinkRole, name: string, action: LinkAction, reason?: string): Promise<void> {
  const family = role === 'connector' ? client.connectors : client.providers;
  return action === 'disable' ? family.disable(name, { reason }) : family[action](name);
}
