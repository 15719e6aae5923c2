// Actions that have to be confirmed: with a reason, or signed with the password of whoever does them.
import { TelltaleProblem } from '@telltale/client';
import type { Approval, ProblemName, Signature, SignedAction } from '@telltale/schema';
import { type Call, type OptionDeclaration, UsageError } from './declaration.ts';
import { passwordStdin } from './prompts.ts';
import { type Person, withSession } from './sessions.ts';
import { timeText } from './words.ts';

const reasonOption: OptionDeclaration = {
  name: 'reason',
  value: 'TEXT',
  summary: 'Why; kept in the audit trail, and wanted by some actions',
};

export const signOptions: readonly OptionDeclaration[] = [
  { name: 'sign', summary: 'Sign it: your password is asked for. Where a second person has to approve it, it waits' },
  { name: 'as', value: 'USER', summary: 'With --sign: who signs; default: who has signed in' },
  passwordStdin,
];

export const confirmOptions: readonly OptionDeclaration[] = [reasonOption, ...signOptions];

export type Action = Pick<SignedAction, 'operation' | 'input'>;

/** Does an action as it was asked for; resolves with what waits for approval, where it does. */
export type CarryOut = (action: Action, plain: () => Promise<void>) => Promise<Approval | undefined>;

/** With the client of whoever acts. `reason` is that of the options, where an action has no other. */
export async function confirming<T>(
  call: Call,
  work: (call: Call, carryOut: CarryOut) => Promise<T>,
  reason = call.options.get(reasonOption.name),
): Promise<T> {
  const { options, signal } = call;
  if (!options.has('sign')) {
    if (options.has('as')) throw new UsageError('--as goes with --sign.');
    return work(call, (_, plain) => plain().then(() => undefined));
  }
  if (reason === undefined) throw new UsageError('What is signed has a reason: give it with --reason or --comment.');
  return asPerson(call, (person) =>
    work({ ...call, client: person.client }, async (action) => {
      const sign = (signature: Signature) => person.client.approvals.sign({ ...action, reason, signature }, { signal });
      const done = await signed(person, sign);
      return done.state === 'pending' ? done : undefined;
    }),
  );
}

/** The person of --as, or who has signed in. */
export function asPerson<T>(call: Call, work: (person: Person) => Promise<T>): Promise<T> {
  const user = call.options.get('as') ?? call.token?.key?.user;
  return withSession({ ...call, url: call.server.url, user }, work);
}

/** Signing in counts as the first signature; later ones need the password again, and a code where there is one. */
export async function signed<T>({ password, prompts }: Person, sign: (signature: Signature) => Promise<T>): Promise<T> {
  const isProblem = (error: unknown, name: ProblemName) => error instanceof TelltaleProblem && error.problem === name;
  try {
    return await sign({});
  } catch (error) {
    if (!isProblem(error, 'signature-needed')) throw error;
  }
  try {
    return await sign({ password });
  } catch (error) {
    if (!isProblem(error, 'second-factor-needed')) throw error;
    return sign({ password, code: await prompts.ask('Code of the second factor: ') });
  }
}

/** Of what waits for a second person. */
export function pendingText({ id = '', ends }: Approval): string {
  const until = timeText([Math.floor(ends), 0]).slice(11, 19);
  return `waits until ${until} for a second person: telltale approval approve ${id}`;
}
