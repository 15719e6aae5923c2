// `telltale token` and `telltale session`: what programs ask with, and where people are signed in.
import { type Session, type Token, toTimestamp } from '@telltale/schema';
import { type ArgumentDeclaration, type Call, type CommandDeclaration, UsageError } from '../declaration.ts';
import { writeFileWhole } from '../files.ts';
import { grantForms, grantsText, readGrants } from '../grants.ts';
import { readSeconds } from '../moments.ts';
import { acting, asOptions, withSession } from '../sessions.ts';
import { timeText } from '../words.ts';

const usualLife = '90d';
const longestLifeS = 366 * 24 * 3600;
const ownerOnly = 0o600;

const make: CommandDeclaration = {
  path: ['token', 'make'],
  summary: 'Make a token for a program, and show it this once; your password is asked for',
  arguments: [{ name: 'NAME' }, { name: 'GRANT', names: 'roles' }],
  repeatsFrom: 1,
  options: [
    { name: 'for', value: 'DURATION', summary: `How long it holds, at most a year; default: ${usualLife}` },
    { name: 'networks', value: 'NETWORK,…', summary: 'The only addresses and networks from which it is taken' },
    { name: 'out', value: 'FILE', summary: 'Write it to a file that only you can read, and do not show it' },
    ...asOptions,
  ],
  details:
    `${grantForms}\nA token permits at most what you may, and ends with you. A program sends it as Authorization: Bearer tt_…; ` +
    'commands take it from --token-file or TELLTALE_TOKEN.',
  examples: [
    'telltale token make report viewer --for 30d --out report.token',
    'telltale token make press-hmi operator:works.press --networks 10.1.0.0/16',
  ],
  run: async (call) => {
    const { args, options, clock, server, token: own, terminal, signal } = call;
    const [name = '', ...texts] = args;
    const grants = readGrants(texts);
    const networks = options
      .get('networks')
      ?.split(',')
      .filter((each) => each !== '');
    const lifeS = readSeconds('for', options.get('for') ?? usualLife, longestLifeS);
    const expires = Math.floor(clock.now() / 1e6 + lifeS);
    const file = options.get('out');
    if (file === '-') throw new UsageError('--out is a file: without it, the token is printed.');
    const user = options.get('as') ?? own?.key?.user;
    const token = await withSession({ ...call, url: server.url, user }, async ({ client }) => {
      const made = await client.access.tokens.make(
        name,
        { grants, expires, ...(networks && { networks }) },
        { signal },
      );
      try {
        if (file !== undefined) await write(file, made);
      } catch (error) {
        await client.access.tokens.delete(name); // nobody has it
        throw error;
      }
      return made;
    });
    if (terminal.isJson) await terminal.json({ name, expires, ...(file === undefined ? { token } : { file }) });
    else if (file === undefined) await terminal.line(token);
    const until = timeText(toTimestamp(expires * 1e6)).slice(0, 16);
    terminal.note(`${name} holds until ${until}.${file === undefined ? ' It is shown this once: keep it now.' : ''}`);
  },
};

async function write(file: string, token: string): Promise<void> {
  async function* all() {
    yield Buffer.from(`${token}\n`);
  }
  await writeFileWhole(file, all(), ownerOnly);
}

const list: CommandDeclaration = {
  path: ['token', 'list'],
  summary: 'List your tokens, or all where you manage users',
  arguments: [],
  options: asOptions,
  run: (call) =>
    acting(call, async (client) => {
      const tokens = await client.access.tokens.list(call);
      noteOwn(call, Object.keys(tokens));
      if (call.terminal.isJson) await call.terminal.json(tokens);
      else
        await call.terminal.table(
          ['NAME', 'OWNER', 'EXPIRES', 'LAST USED', 'GRANTS'],
          Object.values(tokens).map(rowOf),
        );
    }),
};

/** A token acts for itself: it sees nothing of the person who made it. */
function noteOwn({ token, options, terminal }: Call, found: readonly unknown[]): void {
  if (found.length > 0 || token === undefined || options.has('as')) return;
  terminal.note(`To see your own, give --as ${token.key?.user ?? 'USER'}: your password is asked for.`);
}

function rowOf({ name, owner, expires, lastUsed, grants, networks = [] }: Token): string[] {
  const from = networks.length === 0 ? '' : ` from ${networks.join(', ')}`;
  return [name, owner, dayText(expires), dayText(lastUsed), `${grantsText(grants)}${from}`];
}

function dayText(seconds = 0): string {
  return timeText(toTimestamp(Math.round(seconds * 1e6))).slice(0, 16);
}

const each = (
  path: readonly [string, ...string[]],
  { summary, argument, happened }: { summary: string; argument: ArgumentDeclaration; happened: string },
  carryOut: (client: Call['client'], name: string, call: Call) => Promise<void>,
): CommandDeclaration => ({
  path,
  summary,
  arguments: [argument],
  repeatsFrom: 0,
  options: asOptions,
  run: (call) =>
    acting(call, async (client) => {
      const done: string[] = [];
      for (const name of call.args) {
        await carryOut(client, name, call);
        done.push(name);
        if (!call.terminal.isJson) await call.terminal.line(`${name} ${happened}`);
      }
      if (call.terminal.isJson) await call.terminal.json({ [path[1] ?? '']: done });
    }),
});

const listSessions: CommandDeclaration = {
  path: ['session', 'list'],
  summary: 'List where you are signed in with a browser, or everybody where you manage users',
  arguments: [],
  options: asOptions,
  run: (call) =>
    acting(call, async (client) => {
      const sessions = await client.access.sessions.list(call);
      noteOwn(call, sessions);
      if (call.terminal.isJson) return call.terminal.json(sessions);
      const row = ({ id, user, mode, source = '', signedIn, lastUsed }: Session) => [
        id,
        user,
        mode,
        dayText(signedIn),
        dayText(lastUsed),
        source,
      ];
      return call.terminal.table(['ID', 'USER', 'MODE', 'SIGNED IN', 'LAST USED', 'FROM'], sessions.map(row));
    }),
};

export const tokenCommands: readonly CommandDeclaration[] = [
  make,
  list,
  each(
    ['token', 'delete'],
    {
      summary: 'Delete tokens: they are refused from now on, on open channels too',
      argument: { name: 'NAME', names: 'tokens' },
      happened: 'is deleted.',
    },
    (client, name, call) => client.access.tokens.delete(name, call),
  ),
  listSessions,
  each(
    ['session', 'end'],
    { summary: 'End sessions: whoever has them signs in again', argument: { name: 'ID' }, happened: 'has ended.' },
    (client, id, call) => client.access.sessions.end(id, call),
  ),
];
