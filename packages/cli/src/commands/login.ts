// `telltale login`, `logout` and `whoami`: who commands ask as. The command line is a program: it makes itself a token of its
// user, with a short life, and keeps it in the keyring.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { TelltaleProblem } from '@telltale/client';
import { type Identity, toTimestamp } from '@telltale/schema';
import { chooseServer } from '../choose-server.ts';
import type { ChosenServer, Key } from '../chosen.ts';
import { type Call, type CommandDeclaration, Refused } from '../declaration.ts';
import { grantsText } from '../grants.ts';
import { findKey, keyringFile, removeKey, storeKey } from '../keyring.ts';
import { readSeconds } from '../moments.ts';
import { passwordStdin } from '../prompts.ts';
import { withSession } from '../sessions.ts';
import { trustServer } from '../trust.ts';
import { timeText } from '../words.ts';

const usualLifeS = 12 * 3600;
const longestLifeS = 30 * 24 * 3600;

export const login: CommandDeclaration = {
  path: ['login'],
  summary: 'Sign in: ask for user and password, and keep a token for the commands that follow',
  arguments: [{ name: 'URL', optional: true }],
  options: [
    { name: 'user', value: 'NAME', summary: 'User; default: asked for' },
    { name: 'for', value: 'DURATION', summary: 'How long it holds, such as 1h; default: 12h' },
    passwordStdin,
  ],
  isLocal: true,
  details:
    'Without URL, it is the server that other commands ask: --url, --context, TELLTALE_URL or the current context. The token is ' +
    'stored in keyring.json beside the contexts, readable for you only, and sent to this server only. It permits what its user may.\n' +
    'With --password-stdin, the first line is the password, and the next the code of the second factor.',
  examples: [
    'telltale login',
    'telltale --context plant login --user anna',
    'telltale login https://plant.example:8443/',
  ],
  run: async (call) => {
    const { options, environment, terminal, signal, clock } = call;
    const lifeS = readSeconds('for', options.get('for') ?? String(usualLifeS), longestLifeS);
    const server = await meant(call);
    const before = await findKey(environment, server);
    const key = await withSession({ ...call, url: server.url, user: options.get('user') }, async (person) => {
      const { client, identity } = person;
      const { identity: user, grants = [] } = identity;
      if (grants.length === 0) throw nothingToKeep(user);
      const expires = Math.floor(clock.now() / 1e6 + lifeS);
      const name = tokenName(user);
      const token = await client.access.tokens.make(name, { grants, expires }, { signal });
      const made: Key = { ...server, user, name, token, expires };
      await storeKey(environment, made);
      if (before?.user === user) await client.access.tokens.delete(before.name).catch(() => undefined); // it ends by itself
      return made;
    });
    const { url, user, expires } = key;
    const until = timeText(toTimestamp(expires * 1e6)).slice(0, 16);
    if (terminal.isJson) await terminal.json({ url, user, expires, context: server.context ?? null });
    else await terminal.line(`${user} is signed in at ${url} until ${until}.`);
  },
};

/** A user may be there to sign in for single commands. */
function nothingToKeep(user: string): Refused {
  return new Refused(
    `${user} has no role, so there is nothing to keep: give --as ${user} with each command, such as telltale user list --as ${user}`,
  );
}

export const logout: CommandDeclaration = {
  path: ['logout'],
  summary: 'Sign out: delete the token of telltale login, here and at the server',
  arguments: [],
  options: [],
  isLocal: true,
  run: async (call) => {
    const { environment, terminal } = call;
    const server = await meant(call);
    const key = await findKey(environment, server);
    if (key === undefined) throw new Refused(`Nobody is signed in at ${server.url}.`);
    const fault = await end(call, key);
    await removeKey(environment, key);
    if (terminal.isJson) await terminal.json({ url: server.url, user: key.user, ended: fault === undefined });
    else await terminal.line(`${key.user} is signed out of ${server.url}.`);
    if (fault !== undefined) {
      const until = timeText(toTimestamp(key.expires * 1e6)).slice(0, 16);
      terminal.note(`The token ${key.name} is forgotten here; at the server it holds until ${until}: ${fault}`);
    }
  },
};

/** Why the server has not deleted it; undefined where it is gone. */
async function end({ connect, signal }: Call, { url, name, token }: Key): Promise<string | undefined> {
  try {
    await connect({ url, by: '' }, { token }).access.tokens.delete(name, { signal });
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof TelltaleProblem && error.status === 401 ? undefined : (error as Error).message;
  }
}

export const whoami: CommandDeclaration = {
  path: ['whoami'],
  summary: 'Show who you are to the service, by what, and what you may do',
  arguments: [],
  options: [],
  run: async (call) => {
    const { client, terminal, signal, token, server, environment } = call;
    const identity = await client.access.me({ signal });
    const by = token === undefined ? null : token.by;
    if (terminal.isJson)
      return terminal.json({ ...identity, url: server.url, by, expires: token?.key?.expires ?? null });
    const line = (title: string, text: string) => terminal.line({ text: title.padEnd(13), style: 'bold' }, text);
    await line('Identity', identityText(identity, token?.key));
    await line('Server', server.url);
    if (token?.key !== undefined) {
      await line(
        'Signed in',
        `until ${timeText(toTimestamp(token.key.expires * 1e6)).slice(0, 16)}, ${keyringFile(environment)}`,
      );
    } else if (by !== null) await line('Token', `of ${by}`);
    if (identity.grants !== undefined) await line('Grants', grantsText(identity.grants));
    await line('Permissions', identity.permissions.join(', ') || 'none');
    if (identity.kind === 'nobody') terminal.note('Sign in: telltale login');
    if (identity.isOpen) {
      terminal.note(
        'There are no users: every program of this machine may do everything. telltale access init makes the first.',
      );
    }
  },
};

function identityText({ identity, displayName }: Identity, key: Key | undefined): string {
  const person = key === undefined ? displayName : key.user;
  return person === undefined ? identity : `${identity} (${person})`;
}

/** The one of the argument, else the one that other commands ask. */
async function meant({ args: [url], options, environment }: Call): Promise<ChosenServer> {
  const server = url === undefined ? await chooseServer(options, environment) : { url, by: 'URL' };
  await trustServer(server, options, environment);
  return server;
}

/** Whose it is and where it is used; another one each time. */
function tokenName(user: string): string {
  const host = hostname().replaceAll(/[^A-Za-z0-9_.-]/g, '-');
  const end = `-${randomBytes(4).toString('hex')}`;
  return `${`${user}-${host}`.slice(0, 64 - end.length)}${end}`;
}
