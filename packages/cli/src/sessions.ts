// Signs a person in for as long as one command takes. A session is of a person: unlike a token, it makes tokens and changes
// the own password.
import { type TelltaleClient, TelltaleProblem } from '@telltale/client';
import type { Identity, SignIn } from '@telltale/schema';
import { checkPrivate } from './credentials.ts';
import { type Call, type OptionDeclaration, Refused, UsageError } from './declaration.ts';
import { newSecret, openPrompts, type Prompts, passwordStdin } from './prompts.ts';

export interface Person {
  readonly client: TelltaleClient;
  readonly identity: Identity;
  readonly password: string;
  /** To ask for more. */
  readonly prompts: Prompts;
}

/** Of commands that one may carry out as somebody else than who has signed in. */
export const asOptions: readonly OptionDeclaration[] = [
  { name: 'as', value: 'USER', summary: 'As this user, whose password is asked for; for this command only' },
  passwordStdin,
];

export type SignInTo = Pick<Call, 'options' | 'input' | 'signal' | 'terminal' | 'connect'> & {
  readonly url: string;
  /** Asked for where it is not known. */
  readonly user: string | undefined;
  /** The work is to add the second factor that a role demands. */
  readonly addsFactor?: boolean;
};

/** The session ends with the work. */
export async function withSession<T>(to: SignInTo, work: (person: Person) => Promise<T>): Promise<T> {
  const { url, signal } = to;
  checkPrivate(url, 'The password');
  if (to.user === undefined && to.options.has('password-stdin')) {
    throw new UsageError(
      'With --password-stdin, say whose password it is: --as USER, or --user NAME of telltale login.',
    );
  }
  const client = to.connect({ url, by: '' }, { fetch: keepingCookie() });
  if ((await client.access.me({ signal })).isOpen) throw nobodyYet();
  using prompts = await openPrompts(to);
  const user = to.user ?? (await prompts.ask('User: '));
  const password = await prompts.secret(`Password of ${user} at ${url}: `);
  const signIn = (more: SignIn = {}) => client.access.signIn({ user, password, ...more }, { signal });
  const identity = await signIn().catch(async (error: unknown) => {
    if (!(error instanceof TelltaleProblem && error.problem === 'second-factor-needed')) throw error;
    return signIn({ code: await prompts.ask('Code of your authenticator app, or one for recovery: ') });
  });
  try {
    if (identity.mustAddSecondFactor && !to.addsFactor) throw factorWanted(identity.identity);
    return await work({ client, identity, password, prompts });
  } finally {
    await client.access.signOut().catch(() => undefined); // it ends by itself later
  }
}

function nobodyYet(): Refused {
  return new Refused(
    'There are no users yet: every program of this machine may do everything. telltale access init makes the first.',
  );
}

function factorWanted(user: string): Refused {
  return new Refused(`A role of ${user} demands a second factor: telltale second-factor totp --as ${user}`);
}

/** Asks for a secret that is set. */
export type NewSecret = (question: string) => Promise<string>;

/** With who has signed in, or with who is named by --as. */
export function acting<T>(call: Call, work: (client: TelltaleClient, newSecret: NewSecret) => Promise<T>): Promise<T> {
  const user = call.options.get('as');
  if (user === undefined) return work(call.client, (question) => newSecret(call, question));
  return withSession({ ...call, url: call.server.url, user }, ({ client, prompts }) =>
    work(client, (question) => prompts.newSecret(question)),
  );
}

const cookieForm = /^(__Host-telltale)=([^;]*)/;

/** What a browser does by itself. */
function keepingCookie(): typeof fetch {
  let cookie: string | undefined;
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('sec-fetch-site', 'none'); // no page asks
    if (cookie !== undefined) headers.set('cookie', cookie);
    const response = await fetch(input, { ...init, headers });
    for (const text of response.headers.getSetCookie()) {
      const [, name, value = ''] = cookieForm.exec(text) ?? [];
      if (name !== undefined) cookie = value === '' ? undefined : `${name}=${value}`;
    }
    return response;
  };
}
