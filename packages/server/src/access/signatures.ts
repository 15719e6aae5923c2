// Somebody signs an action: enters credentials for it, at their own session or at that of somebody else; or has signed in a
// moment ago, which counts once.
import { ProblemError, type SignIn } from '@telltale/schema';
import type { Accounts } from './accounts.ts';
import type { Caller } from './caller.ts';
import { noRights } from './rights.ts';
import type { Sessions } from './sessions.ts';
import type { SignIns } from './sign-ins.ts';

export interface SignaturesOptions {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly signIns: SignIns;
}

/** Where the request came from, and the marks of its browser. */
interface Station {
  readonly caller: Caller;
  readonly source: string;
  readonly marks: string | undefined;
}

export class Signatures {
  readonly #options: SignaturesOptions;

  constructor(options: SignaturesOptions) {
    this.#options = options;
  }

  /** Resolves with the user who has signed, with all that this one may do: a session that may only view is no matter. */
  async of(given: SignIn, { caller, source, marks }: Station): Promise<Caller> {
    const { accounts, sessions, signIns } = this.#options;
    if (!accounts.hasUsers) throw new ProblemError('not-initialized', 'Nobody can sign while there are no users.');
    const own = caller.kind === 'user' ? caller.author : undefined;
    if (given.password === undefined && given.passkey === undefined) {
      const isFresh = (given.user ?? own) === own && sessions.takeSignIn(caller.session ?? '');
      if (own !== undefined && isFresh) return this.ofUser(own, caller.session);
      throw new ProblemError(
        'signature-needed',
        'Send your password as signature, with a code where you have a second factor; or a passkey.',
      );
    }
    if (own !== undefined && (given.user ?? own) === own && given.passkey === undefined) {
      const user = await signIns.proveAgain(given, own, caller.session ?? '');
      return this.ofUser(user, user === own ? caller.session : undefined);
    }
    const { user } = await signIns.prove(given, source, marks);
    return this.ofUser(user, user === own ? caller.session : undefined);
  }

  /** The user with what the user may do now: nothing, once disabled or deleted. */
  ofUser(user: string, session: string | undefined): Caller {
    const { accounts } = this.#options;
    return {
      author: user,
      kind: 'user',
      module: undefined,
      session,
      get rights() {
        if (accounts.mustHaveFactor(user) && !accounts.hasFactor(user)) return noRights;
        return accounts.rightsOf(accounts.grantedTo(user));
      },
      authorityOr: () => user,
    };
  }
}
