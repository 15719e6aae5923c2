// What directories of users, LDAP and OpenID Connect, have in common: whom they vouch for, how they fail, and how many
// may be asked at once.
import { ProblemError, Semaphore } from '@telltale/schema';

export type DirectoryKind = 'ldap' | 'oidc';

/** Somebody for whom a directory has vouched, just now. */
export interface DirectoryUser {
  readonly directory: DirectoryKind;
  /** As the directory spells it. Not checked: it may be any text. */
  readonly name: string;
  /** Names the person for ever, where the name may pass to another one. */
  readonly subject: string;
  /** LDAP: distinguished names as `comparableDn` has them. OpenID Connect: as the claim has them. */
  readonly groups: readonly string[];
}

/** The directory cannot be asked at present. The message is for the log and names no secret. */
export class DirectoryUnavailable extends Error {
  override readonly name = 'DirectoryUnavailable';
}

/** The directory has answered, and the answer cannot be used: nobody signs in. The message is for the log. */
export class DirectoryRefusal extends Error {
  override readonly name = 'DirectoryRefusal';
}

/** The file that names directories is wrong. The message is for the person who starts the server. */
export class UnusableDirectories extends Error {
  override readonly name = 'UnusableDirectories';
}

/** Of one person. Whoever has more is in the first ones. */
export const maxGroups = 1000;
export const maxTextLength = 1024;

/** Limits how many ask a directory at once, and how many wait for it. */
export class DirectoryTurns {
  readonly #semaphore: Semaphore;
  readonly #most: number;
  #present = 0;

  constructor({ atOnce = 4, waiting = 32 } = {}) {
    this.#semaphore = new Semaphore(atOnce);
    this.#most = atOnce + waiting;
  }

  /** Throws `overloaded` where too many wait already. */
  async take<Result>(ask: () => Promise<Result>): Promise<Result> {
    if (this.#present >= this.#most) {
      throw new ProblemError(
        'overloaded',
        'Too many people sign in through the directory at once. Sign in again soon.',
      );
    }
    this.#present++;
    try {
      await this.#semaphore.acquire();
      try {
        return await ask();
      } finally {
        this.#semaphore.release();
      }
    } finally {
      this.#present--;
    }
  }
}
