// `telltale site`: which servers may connect to the bus of a centre, and how one is let in and taken out.
import { type BusInvitation, type BusMember, type BusMembers, longestInvitationSeconds } from '@telltale/schema';
import { type Call, type CommandDeclaration, Refused } from '../declaration.ts';
import { readSeconds } from '../moments.ts';
import { readSecret } from '../read-secret.ts';
import { askServerProgram } from '../server-program.ts';
import { acting, asOptions } from '../sessions.ts';
import { timeText } from '../words.ts';

const roles = ['site', 'centre', 'archiver', 'reader'] as const;

const invite: CommandDeclaration = {
  path: ['site', 'invite'],
  summary: 'At a centre: make a code that brings one server to the bus, and show it this once',
  arguments: [{ name: 'NAME' }],
  options: [
    { name: 'role', value: 'ROLE', values: roles, summary: 'What it may do on the bus; default: site' },
    { name: 'for', value: 'DURATION', summary: 'How long the code is good, at most 7d; default: 1h' },
    ...asOptions,
  ],
  details:
    'A site has its own subjects alone. With the name of a member, its server gets another key, and the old one counts no longer.',
  examples: ['telltale site invite north', 'telltale site invite "Reporting" --role reader --for 1d'],
  run: (call) =>
    acting(call, async (client) => {
      const { args, options, terminal } = call;
      const [name = ''] = args;
      const role = options.get('role') as (typeof roles)[number] | undefined;
      const time = options.get('for');
      const seconds = time === undefined ? undefined : Math.floor(readSeconds('for', time, longestInvitationSeconds));
      const made = await client.bus.invite({ name, role, seconds }, call);
      if (terminal.isJson) await terminal.json(made);
      else await terminal.line(made.code);
      terminal.note(
        `It is good once, until ${timeText(made.until).slice(0, 16)}: telltale site enrol, on the machine of ${name}.`,
      );
      if (made['is-known']) terminal.note(`${name} is a member: with this code, the same server gets another key.`);
      if (made['is-local']) {
        terminal.note(
          'It leads to an address of this machine: for others, start the centre with --public-url https://….',
        );
      }
    }),
};

const members: CommandDeclaration = {
  path: ['site', 'members'],
  summary: 'At a centre: list which servers may connect to the bus, and who is invited',
  arguments: [],
  options: asOptions,
  run: (call) =>
    acting(call, async (client) => {
      const all = await client.bus.members(call);
      if (call.terminal.isJson) return call.terminal.json(all);
      const rows = [...all.members.map(memberRow), ...all.invitations.map(invitationRow)];
      return call.terminal.table(['NAME', 'ROLE', 'STATE', 'SINCE', 'BY', 'ID'], rows);
    }),
};

function memberRow({ id, name, role, since, by, state, 'last-seen': seen }: BusMember): string[] {
  const away = seen === null ? 'not seen yet' : `away since ${timeText(seen).slice(0, 19)}`;
  return [name, role, state === 'down' ? away : (state ?? ''), timeText(since).slice(0, 16), by, id];
}

function invitationRow({ id, name, role, until, by }: BusInvitation): string[] {
  return [name, role, `invited until ${timeText(until).slice(0, 16)}`, '', by, id];
}

const revoke: CommandDeclaration = {
  path: ['site', 'revoke'],
  summary:
    'At a centre: take a server out of the bus; it is cut off at once, and cannot come back without another code',
  arguments: [{ name: 'NAME' }],
  options: asOptions,
  details:
    'By name or id. Codes for it count no longer either. What it has archived stays in the store, and it goes on by itself.\n' +
    'Exit code 1: it is off the list, and the servers of the bus have not read that yet.',
  examples: ['telltale site revoke north'],
  run: (call) =>
    acting(call, async (client) => {
      const { args, terminal } = call;
      const [wanted = ''] = args;
      const found = chosen(await client.bus.members(call), wanted);
      const isCutOff = (await Promise.all(found.map(({ id }) => client.bus.revoke(id, call)))).every(
        (each) => each['is-cut-off'],
      );
      if (terminal.isJson) await terminal.json({ revoked: found.map(({ id }) => id), 'is-cut-off': isCutOff });
      if (!isCutOff) {
        throw new Refused(
          `${wanted} is off the list, and the servers of the bus have not read it yet: give them bus/nats/authorization.conf of the ` +
            'data folder of the centre, and have them read it (nats-server --signal reload).',
        );
      }
      if (!terminal.isJson) await terminal.line(`${wanted} is cut off.`);
    }),
};

/** A member; or, where there is none, all invitations of the name. */
function chosen({ members: all, invitations }: BusMembers, wanted: string): readonly { readonly id: string }[] {
  const isWanted = ({ id, name }: { id: string; name: string }) => id === wanted || name === wanted;
  const member = all.find(isWanted);
  const found = member === undefined ? invitations.filter(isWanted) : [member];
  if (found.length === 0) throw new Refused(`There is no member and no invitation ${wanted}: telltale site members`);
  return found;
}

interface EnrolledHere {
  readonly name: string;
  readonly role: string;
  readonly bus: string;
  readonly files: { readonly authority: string; readonly certificate: string; readonly key: string };
  readonly settings?: string;
}

const enrol: CommandDeclaration = {
  path: ['site', 'enrol'],
  summary: 'On the machine of a new site: bring its server to the bus of a centre, with a code of that',
  arguments: [{ name: 'CODE', optional: true }],
  options: [
    { name: 'data', value: 'FOLDER', summary: 'Data folder of the server; default: TELLTALE_DATA, else ./data' },
  ],
  details:
    'Run it as the user of the server, while that is stopped. The key is made here and stays here; certificate, address and name come\n' +
    'from the centre, and the server finds them in its data folder when it is started. Other users of the machine can list the words of\n' +
    'a command: without CODE, it is asked for, or read from the standard input.',
  examples: ['telltale site enrol --data /var/lib/telltale', 'cat code.txt | telltale site enrol --data ./north'],
  isLocal: true,
  run: async (call) => {
    const { args, options, terminal, signal } = call;
    const code = args[0] ?? (await readSecret(call, 'code'));
    const data = options.get('data');
    const given = data === undefined ? [] : [`--data=${data}`];
    const made = JSON.parse(await askServerProgram('site enrol', ['enrol', ...given], signal, code)) as EnrolledHere;
    if (terminal.isJson) return terminal.json(made);
    return print(call, made);
  },
};

async function print({ terminal }: Call, { name, role, bus, files, settings }: EnrolledHere): Promise<void> {
  await terminal.line(`${name} is a member of the bus ${bus}, as ${role === 'archiver' ? 'an' : 'a'} ${role}.`);
  if (settings !== undefined) await terminal.line(`Start the server: it finds the settings in ${settings}.`);
  else for (const [what, path] of Object.entries(files)) await terminal.line(`${what.padEnd(12)} ${path}`);
}

export const busMemberCommands: readonly CommandDeclaration[] = [invite, members, revoke, enrol];
