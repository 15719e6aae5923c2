// Who is signed in, and what they may do. The service decides; the page only leaves out what would be refused.
import { type ReadonlySignal, signal } from '@preact/signals';
import type { Identity, Permission } from '@telltale/schema';
import { base } from '../base.ts';
import { here } from '../router.ts';
import { channel, client, home, link, TelltaleProblem } from './service.ts';

const present = signal<Identity | undefined>(undefined);

/** Undefined until the service has said it. */
export const identity: ReadonlySignal<Identity | undefined> = present;

export function startSession(): void {
  void readIdentity();
  let wasConnected = false;
  link.subscribe(({ state }) => {
    // Rights may have changed while there was no connection, or be the reason for its end.
    const mayBeAnother = base !== '' && state === 'connected';
    if (wasConnected || mayBeAnother || channel.refusal !== undefined) void readIdentity();
    wasConnected = state === 'connected';
  });
}

/** Whether somebody may do it somewhere in the plant: what is out of their part of it, the service refuses. */
export function may(permission: Permission): boolean {
  return present.value?.permissions?.includes(permission) ?? false;
}

/** Leads to the page on which people sign in, and back to where they are. */
export function goToSignIn(): void {
  globalThis.location.assign(`/access/sign-in?to=${encodeURIComponent(base + here())}`);
}

export async function signOut(): Promise<void> {
  await home.access.signOut();
  goToSignIn();
}

export async function readIdentity(): Promise<void> {
  try {
    const found = await home.access.me();
    if (found.kind === 'nobody') goToSignIn();
    else present.value = { ...found, permissions: await permissionsOf(found) };
  } catch (error) {
    if (error instanceof TelltaleProblem && error.status === 401) goToSignIn();
  }
}

/** At a site, what the site grants. While it is away it grants nothing, and what people may see is decided by the centre. */
async function permissionsOf({ permissions }: Identity): Promise<Permission[]> {
  if (base === '') return permissions;
  const atSite = await client.access.me().catch(() => undefined);
  return atSite?.permissions ?? permissions;
}
