// Who may do what, and what waits for a second person, at the server that the browser speaks with. Passwords, tokens and codes pass
// through here and stay nowhere.
import { home } from './service.ts';

export type { NewApp } from '@telltale/client';
export const { access, approvals } = home;

/** The browser makes a passkey and the service takes it; resolves with codes for recovery where there were none. */
export async function makePasskey(name: string): Promise<readonly string[]> {
  const asked = await access.secondFactors.beginPasskey();
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(asked as PublicKeyCredentialCreationOptionsJSON);
  const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential | null;
  return made === null ? [] : access.secondFactors.addPasskey(name, made.toJSON());
}

/** Browsers make passkeys for pages over TLS, or of this machine. */
export const canMakePasskeys = globalThis.isSecureContext && 'PublicKeyCredential' in globalThis;
