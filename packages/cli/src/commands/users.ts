// `telltale user`: who can sign in, and what they may do where.
import { TelltaleProblem } from '@telltale/client';
import { type Grant, toTimestamp, type User } from '@telltale/schema';
import { type Call, type CommandDeclaration, type OptionDeclaration, Refused, UsageError } from '../declaration.ts';
import { grantForms, grantsText, readGrants } from '../grants.ts';
import { acting, asOptions, withSession } from '../sessions.ts';
import type { Cell } from '../terminal.ts';
import { timeText } from '../words.ts';

const displayName: OptionDeclaration = { name: 'display-name', value: 'TEXT', summary: 'The name that people read' };

const list: CommandDeclaration = {
  path: ['user', 'list'],
  summary: 'List the users, and what they may do',
  arguments: [],
  options: asOptions,
  run: (call) =>
    acting(call, async (client) => {
      const users = await client.access.users.list(call);
      if (call.terminal.isJson) await call.terminal.json(users);
      else
        await call.terminal.table(
          ['NAME', 'DISPLAY NAME', 'SIGNS IN', 'LAST SIGN-IN', 'GRANTS'],
          Object.values(users).map(rowOf),
        );
    }),
};

const show: CommandDeclaration = {
  path: ['user', 'show'],
  summary: 'Show a user',
  arguments: [{ name: 'NAME', names: 'users' }],
  options: asOptions,
  run: (call) =>
    acting(call, async (client) => {
      const user = await client.access.users.get(call.args[0] ?? '', call);
      if (call.terminal.isJson) await call.terminal.json(user);
      else await print(call, user);
    }),
};

const add: CommandDeclaration = {
  path: ['user', 'add'],
  summary: 'Add a user, with a password that is asked for',
  arguments: [{ name: 'NAME' }, { name: 'GRANT', names: 'roles' }],
  repeatsFrom: 1,
  options: [
    displayName,
    { name: 'no-password', summary: 'No password yet, so that the user cannot sign in' },
    ...asOptions,
  ],
  details: `${grantForms} telltale role list shows the roles.`,
  examples: [
    'telltale user add anna operator',
    "telltale user add bert engineer:works.dosing 'viewer:tank*' --display-name 'Bert B.'",
  ],
  run: (call) =>
    acting(call, async (client, newSecret) => {
      const { args, options, terminal } = call;
      const { users } = client.access;
      const [name = '', ...texts] = args;
      const body = { grants: readGrants(texts), ...nameIn(call) };
      if (await isThere(() => users.get(name, call))) {
        throw new Refused(`There is a user ${name}: telltale user set ${name}`);
      }
      const password = options.has('no-password') ? undefined : await newSecret(`Password of ${name}: `);
      await users.put(name, body, call);
      try {
        if (password !== undefined) await users.setPassword(name, password, call);
      } catch (error) {
        await users.delete(name); // all of it or nothing
        throw error;
      }
      if (terminal.isJson) await terminal.json({ name, ...body });
      else await terminal.line(`${name} is added: ${grantsText(body.grants)}.`);
      await noteEmptyAreas(call, client, body.grants);
    }),
};

const set: CommandDeclaration = {
  path: ['user', 'set'],
  summary: 'Change what a user may do; the grants that are given replace those of before',
  arguments: [
    { name: 'NAME', names: 'users' },
    { name: 'GRANT', optional: true, names: 'roles' },
  ],
  repeatsFrom: 1,
  options: [displayName, { name: 'no-grants', summary: 'Take all grants away' }, ...asOptions],
  details: `${grantForms} It holds at once, also for those who are signed in.`,
  examples: ['telltale user set anna shift-lead:works viewer', "telltale user set anna --display-name 'Anna A.'"],
  run: (call) => {
    const [name = '', ...texts] = call.args;
    const grants = readGrants(texts);
    if (call.options.has('no-grants') && grants.length > 0) throw new UsageError('Either GRANTs or --no-grants.');
    const isGiven = grants.length > 0 || call.options.has('no-grants');
    if (!isGiven && !call.options.has('display-name'))
      throw new UsageError('Give GRANTs, --no-grants or --display-name.');
    return change(call, name, ({ grants: before, ...user }) => ({
      ...user,
      grants: isGiven ? grants : before,
      ...nameIn(call),
    }));
  },
};

const password: CommandDeclaration = {
  path: ['user', 'password'],
  summary: 'Set the password of a user, or without NAME your own; sessions with the old one end',
  arguments: [{ name: 'NAME', optional: true, names: 'users' }],
  options: asOptions,
  details: 'At least 12 characters, which are not commonly used as a password.',
  run: async (call) => {
    const [name] = call.args;
    const { terminal, signal } = call;
    if (name === undefined) await changeOwn(call);
    else {
      await acting(call, async (client, newSecret) => {
        await client.access.users.setPassword(name, await newSecret(`New password of ${name}: `), { signal });
      });
    }
    if (terminal.isJson) await terminal.json({ changed: name ?? null });
    else await terminal.line(name === undefined ? 'Your password is changed.' : `The password of ${name} is changed.`);
  },
};

async function changeOwn(call: Call): Promise<void> {
  const { options, token, server, signal } = call;
  const user = options.get('as') ?? token?.key?.user;
  await withSession({ ...call, url: server.url, user }, async ({ client, password: current, prompts }) => {
    await client.access.changePassword(current, await prompts.newSecret('New password: '), { signal });
  });
}

const disabling = (verb: 'disable' | 'enable', summary: string): CommandDeclaration => ({
  path: ['user', verb],
  summary,
  arguments: [{ name: 'NAME', names: 'users' }],
  options: asOptions,
  run: (call) => change(call, call.args[0] ?? '', (user) => ({ ...user, disabled: verb === 'disable' })),
});

const remove: CommandDeclaration = {
  path: ['user', 'delete'],
  summary: 'Delete users; their sessions and tokens end at once',
  arguments: [{ name: 'NAME', names: 'users' }],
  repeatsFrom: 0,
  options: asOptions,
  run: (call) =>
    acting(call, async (client) => {
      const deleted: string[] = [];
      for (const name of call.args) {
        await client.access.users.delete(name, call);
        deleted.push(name);
        if (!call.terminal.isJson) await call.terminal.line(`${name} is deleted.`);
      }
      if (call.terminal.isJson) await call.terminal.json({ deleted });
    }),
};

export const userCommands: readonly CommandDeclaration[] = [
  list,
  show,
  add,
  set,
  password,
  disabling('disable', 'Let a user sign in no longer; what they have open ends at once'),
  disabling('enable', 'Let a user sign in again'),
  remove,
];

type Changed = Pick<User, 'grants' | 'displayName' | 'disabled'>;

async function change(call: Call, name: string, changed: (user: Changed) => Changed): Promise<void> {
  const { terminal } = call;
  await acting(call, async (client) => {
    const { grants, displayName: shown, disabled } = await client.access.users.get(name, call);
    const body = {
      grants,
      ...(shown !== undefined && { displayName: shown }),
      ...(disabled !== undefined && { disabled }),
    };
    await client.access.users.put(name, changed(body), call);
    const user = await client.access.users.get(name, call);
    if (terminal.isJson) await terminal.json(user);
    else await print(call, user);
    await noteEmptyAreas(call, client, user.grants);
  });
}

/** An area is there when something is in it, so that a misspelt one is not refused. */
async function noteEmptyAreas({ terminal, signal }: Call, client: Call['client'], grants: readonly Grant[]) {
  const named = grants.flatMap(({ area, site }) => (area && !site ? [area] : []));
  if (named.length === 0) return;
  const areas = await client.areas({ signal }).catch(() => undefined); // who manages users need not view
  for (const area of areas === undefined ? [] : named) {
    if (Object.hasOwn(areas ?? {}, area)) continue;
    terminal.note(`No point or alarm is in the area ${area} yet: telltale areas lists those that there are.`);
  }
}

async function isThere(get: () => Promise<unknown>): Promise<boolean> {
  try {
    await get();
    return true;
  } catch (error) {
    if (error instanceof TelltaleProblem && error.problem === 'unknown-object') return false;
    throw error;
  }
}

function nameIn({ options }: Call): { displayName?: string } {
  const text = options.get('display-name');
  return text === undefined ? {} : { displayName: text };
}

function stateText({ disabled, hasPassword, hasSecondFactor, origin }: User): string {
  if (disabled) return 'disabled';
  if (origin !== 'local') return `by ${origin}`;
  if (!hasPassword) return 'no password';
  return hasSecondFactor ? 'password, second factor' : 'password';
}

const lastSignIn = ({ lastSignIn: s = 0 }: User): string => timeText(toTimestamp(s * 1e6)).slice(0, 16);

function rowOf(user: User): Cell[] {
  const state = stateText(user);
  const style = user.disabled ? 'red' : state === 'no password' ? 'yellow' : 'plain';
  return [user.name, user.displayName ?? '', { text: state, style }, lastSignIn(user), grantsText(user.grants)];
}

async function print({ terminal }: Call, user: User): Promise<void> {
  const line = (title: string, text: string) => terminal.line({ text: title.padEnd(13), style: 'bold' }, text);
  await line('Name', user.name);
  if (user.displayName !== undefined) await line('Display name', user.displayName);
  await line('Signs in', stateText(user));
  await line('Last sign-in', lastSignIn(user));
  await line('Grants', grantsText(user.grants));
}
