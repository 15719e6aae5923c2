// The words of certificates, and what people are shown of them. Their schemas are in certificates.ts.

export const certificateStates = ['own', 'trusted', 'issuer', 'rejected'] as const;
export const certificateUses = ['application', 'client', 'user', 'peer', 'authority'] as const;

/** From so many days before its end on, people are told that a certificate expires. */
export const expiryNoticeDays = 30;

/** Enough of a thumbprint to name a certificate by, for people. */
export function shortThumbprint(thumbprint: string): string {
  return thumbprint.slice(0, 16);
}
