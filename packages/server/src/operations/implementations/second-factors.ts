// Implements the operations on second factors. Who changes how to sign in has entered credentials a moment ago: an open session
// that somebody else finds is not enough.
import { type Clock, ProblemError } from '@telltale/schema';
import { type Access, type Caller, userOf } from '../../access/index.ts';
import type { Implementations } from './implementation.ts';

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
  return {
    getPasskeyRequest: () => factors.passkeyRequest(),
    getSecondFactors: (_, { caller }) => factors.shown(userOf(caller)),
    beginTotp: (_, { caller }) => factors.beginTotp(recent(caller)),
    confirmTotp: async ({ code }, { caller }) => shown(factors.confirmTotp(recent(caller), code)),
    removeTotp: (_, { caller }) => factors.removeTotp(recent(caller)),
    renewRecoveryCodes: async (_, { caller }) => shown(factors.renewRecoveryCodes(recent(caller))),
    getPasskeyCreation: (_, { caller }) => factors.passkeyCreation(userOf(caller)),
    addPasskey: async ({ name, passkey }, { caller }) => shown(factors.addPasskey(recent(caller), name, passkey)),
    removePasskey: ({ passkey }, { caller }) => factors.removePasskey(recent(caller), passkey),
    removeSecondFactors: async ({ account }, { caller }) => {
      await factors.removeAll(account, caller);
      await sessions.endOf(account);
    },
  } satisfies Partial<Implementations>;
}
