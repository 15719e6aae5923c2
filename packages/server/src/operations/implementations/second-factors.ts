// Implements the operations on second factors. Who changes how to sign in has entered credentials a moment ago: an open session
// that somebody else finds is not enough.
import { type Clock, ProblemError } from '@telltale/schema';
import { type Access, type Caller, userOf } from '../../access/index.ts';
import type { Asked, Implementations } from './implementation.ts';
import { notingSides } from './noted-sides.ts';

const recentS = 10 * 60;

export function secondFactors({ access, clock }: { readonly access: Access; readonly clock: Clock }) {
  const { factors, sessions } = access;
  const recent = (caller: Caller): string => {
    const user = userOf(caller);
    const signedIn = sessions.list(user).find(({ id }) => id === caller.session)?.signedIn ?? 0;
    if (Math.abs(clock.now() / 1e6 - signedIn) > recentS) {
      throw new ProblemError('sign-in-again', 'It is more than ten minutes ago that you entered your credentials.');
    }
    return user;
  };
  const shown = async (codes: Promise<readonly string[]>) => ({ recoveryCodes: await codes });
  /** It is done to the user, who does it. */
  const named = ({ caller, note }: Asked): Caller => {
    note({ object: caller.author });
    return caller;
  };
  const noting = <Result>(asked: Asked, work: () => Promise<Result>) =>
    notingSides(asked, () => factors.shown(asked.caller.author), work);
  return {
    getPasskeyRequest: () => factors.passkeyRequest(),
    getSecondFactors: (_, { caller }) => factors.shown(userOf(caller)),
    beginTotp: (_, asked) => factors.beginTotp(recent(named(asked))),
    confirmTotp: ({ code }, asked) => noting(asked, () => shown(factors.confirmTotp(recent(named(asked)), code))),
    removeTotp: (_, asked) => noting(asked, () => factors.removeTotp(recent(named(asked)))),
    renewRecoveryCodes: (_, asked) => noting(asked, () => shown(factors.renewRecoveryCodes(recent(named(asked))))),
    getPasskeyCreation: (_, { caller }) => factors.passkeyCreation(userOf(caller)),
    addPasskey: ({ name, passkey }, asked) =>
      noting(asked, () => shown(factors.addPasskey(recent(named(asked)), name, passkey))),
    removePasskey: ({ passkey }, asked) => noting(asked, () => factors.removePasskey(recent(named(asked)), passkey)),
    removeSecondFactors: ({ account }, asked) =>
      notingSides(
        asked,
        () => factors.shown(account),
        async () => {
          await factors.removeAll(account, asked.caller);
          await sessions.endOf(account);
        },
      ),
  } satisfies Partial<Implementations>;
}
