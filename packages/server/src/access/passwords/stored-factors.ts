// What is stored of the second factors of a user.
import type { Passkey } from './passkeys.ts';
import type { Totp } from './totp.ts';

export interface StoredPasskey extends Passkey {
  readonly name: string;
  /** In seconds since 1970. */
  readonly created: number;
  readonly lastUsed?: number;
}

export interface StoredFactors {
  readonly totp?: Totp;
  /** Hashes. */
  readonly recovery?: readonly string[];
  readonly passkeys?: readonly StoredPasskey[];
}

/** Whether there is any beside codes for recovery. */
export function hasFactor({ totp, passkeys = [] }: StoredFactors = {}): boolean {
  return totp !== undefined || passkeys.length > 0;
}
