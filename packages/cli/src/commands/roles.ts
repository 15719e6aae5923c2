// `telltale role`: which permissions go together.
import { type Permission, permissionNames, permissions, type Role } from '@telltale/schema';
import { type CommandDeclaration, UsageError } from '../declaration.ts';
import { acting, asOptions } from '../sessions.ts';

const list: CommandDeclaration = {
  path: ['role', 'list'],
  summary: 'List the roles, and what each permits',
  arguments: [],
  options: asOptions,
  run: (call) =>
    acting(call, async (client) => {
      const roles = await client.access.roles.list(call);
      if (call.terminal.isJson) return call.terminal.json(roles);
      const rows = Object.values(roles).map((role) => [role.name, role.description ?? '', role.permissions.join(' ')]);
      return call.terminal.table(['NAME', 'DESCRIPTION', 'PERMISSIONS'], rows);
    }),
};

const show: CommandDeclaration = {
  path: ['role', 'show'],
  summary: 'Show a role, and what each of its permissions means',
  arguments: [{ name: 'NAME', names: 'roles' }],
  options: asOptions,
  run: (call) =>
    acting(call, async (client) => {
      const role = await client.access.roles.get(call.args[0] ?? '', call);
      if (call.terminal.isJson) return call.terminal.json(role);
      await call.terminal.line(
        { text: role.name, style: 'bold' },
        role.description === undefined ? '' : `: ${role.description}`,
      );
      for (const text of limitsOf(role)) await call.terminal.line(text);
      return call.terminal.table(
        ['PERMISSION', 'MEANING'],
        role.permissions.map((each) => [each, permissions[each]]),
      );
    }),
};

/** Of the sessions of whoever has the role. */
function limitsOf({ idle, session, secondFactor }: Role): string[] {
  return [
    ...(idle === undefined ? [] : [`A session may only view after ${idle} minutes without a request.`]),
    ...(session === undefined ? [] : [`A session may only view after ${session} hours.`]),
    ...(secondFactor ? ['Whoever has it signs in with a second factor.'] : []),
  ];
}

const set: CommandDeclaration = {
  path: ['role', 'set'],
  summary: 'Add a role or change one; the permissions that are given replace those of before',
  arguments: [
    { name: 'NAME', names: 'roles' },
    { name: 'PERMISSION', optional: true, values: permissionNames },
  ],
  repeatsFrom: 1,
  options: [
    { name: 'description', value: 'TEXT', summary: 'What the role is for' },
    { name: 'idle', value: 'MINUTES', summary: 'Without a request for so long, a session may only view' },
    { name: 'session', value: 'HOURS', summary: 'After so long, a session may only view' },
    {
      name: 'second-factor',
      value: 'yes|no',
      summary: 'Whether it takes a second factor to sign in',
      values: ['yes', 'no'],
    },
    ...asOptions,
  ],
  details: 'It holds at once for everybody who has the role. Without permissions, those of before stay.',
  examples: ['telltale role set night-shift view acknowledge write --idle 120'],
  run: (call) =>
    acting(call, async (client) => {
      const { args, options, terminal } = call;
      const [name = '', ...given] = args;
      const unknown = given.find((each) => !permissionNames.includes(each as Permission));
      if (unknown !== undefined) {
        throw new UsageError(`${JSON.stringify(unknown)} is no permission; they are ${permissionNames.join(', ')}.`);
      }
      const { [name]: before } = await client.access.roles.list(call);
      if (before === undefined && given.length === 0) throw new UsageError('A new role needs a PERMISSION.');
      const { name: _, ...body } = before ?? { name, permissions: [] };
      const second = options.get('second-factor');
      const description = options.get('description');
      const role = {
        ...body,
        ...(given.length > 0 && { permissions: [...new Set(given)] as Permission[] }),
        ...(description !== undefined && { description }),
        ...count('idle', options.get('idle')),
        ...count('session', options.get('session')),
        ...(second !== undefined && { secondFactor: second === 'yes' }),
      };
      await client.access.roles.put(name, role, call);
      if (terminal.isJson) await terminal.json({ name, ...role });
      else await terminal.line(`${name}: ${role.permissions.join(', ')}`);
    }),
};

function count(name: 'idle' | 'session', text: string | undefined): { idle?: number; session?: number } {
  if (text === undefined) return {};
  if (!/^\d{1,6}$/.test(text))
    throw new UsageError(`--${name} is a whole number, not ${JSON.stringify(text.slice(0, 60))}.`);
  return { [name]: Number(text) };
}

const remove: CommandDeclaration = {
  path: ['role', 'delete'],
  summary: 'Delete a role that nobody has',
  arguments: [{ name: 'NAME', names: 'roles' }],
  options: asOptions,
  run: (call) =>
    acting(call, async (client) => {
      const [name = ''] = call.args;
      await client.access.roles.delete(name, call);
      if (call.terminal.isJson) await call.terminal.json({ deleted: name });
      else await call.terminal.line(`${name} is deleted.`);
    }),
};

export const roleCommands: readonly CommandDeclaration[] = [list, show, set, remove];
