// `telltale access`: the first administrator of a server, and the way back where nobody can sign in. For the owner of the
// data folder, on the machine of the server.
import { TelltaleProblem, Unreachable } from '@telltale/client';
import type { Call, CommandDeclaration } from '../declaration.ts';
import { asOwner, dataOption } from '../owner-socket.ts';
import { newSecret, passwordStdin } from '../prompts.ts';

const init: CommandDeclaration = {
  path: ['access', 'init'],
  summary: 'Make the first administrator: from then on, everybody signs in',
  arguments: [{ name: 'USER' }],
  options: [dataOption, passwordStdin],
  details:
    'Run it on the machine of the server, as its user, while the server runs. The password is asked for twice: at least 12 ' +
    'characters, which are not commonly used as a password. Programs without a token are refused from then on, and function ' +
    'modules read only what their properties.reads and properties.writes list.',
  examples: ['telltale access init anna --data /var/lib/telltale'],
  run: async (call) => {
    const [user = ''] = call.args;
    const { terminal, signal } = call;
    await asOwner(call, (client) => client.access.me({ signal })); // before anything is asked for
    const password = await newSecret(call, `Password of ${user}: `);
    const found = await modulesWithoutReads(call);
    await asOwner(call, (client) => client.access.init(user, password, { signal }));
    const modules = found !== undefined && (await isClosed(call)) ? found : null;
    if (terminal.isJson) await terminal.json({ user, modulesWithoutReads: modules });
    else
      await terminal.line(
        `${user} is administrator, and everybody signs in from now on: telltale login --user ${user}`,
      );
    if (modules?.length === 0) return;
    const which = modules === null ? 'those that telltale config get function-modules shows' : modules.join(', ');
    terminal.note(`Function modules without properties.reads read only what they write from now on: ${which}.`);
    terminal.note("Say what they read: telltale config set function-modules NAME 'properties.reads=tank*' --render");
  },
};

/** While every program of the machine may ask; undefined where the server does not say. */
async function modulesWithoutReads({ client, signal }: Call): Promise<string[] | undefined> {
  try {
    const { isOpen } = await client.access.me({ signal });
    const modules = await client.configuration.list('function-modules', { signal });
    const without = Object.values(modules).filter(({ properties }) => !properties?.reads);
    return isOpen ? without.map(({ name }) => name) : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TelltaleProblem || error instanceof Unreachable) return undefined;
    throw error;
  }
}

/** Then it is the server of the data folder that was asked before: it was open, and is so no longer. */
async function isClosed({ client, signal }: Call): Promise<boolean> {
  return client.access.me({ signal }).then(
    ({ isOpen }) => !isOpen,
    () => false,
  );
}

const recover: CommandDeclaration = {
  path: ['access', 'recover'],
  summary: 'Let the user recovery manage users for 4 hours, where nobody else can sign in',
  arguments: [],
  options: [dataOption, passwordStdin],
  isLocal: true,
  details:
    'Run it on the machine of the server, as its user, while the server runs. The password for these 4 hours is asked for twice. ' +
    'The service says in telltale status that access is being recovered, and the audit trail has it.',
  examples: ['telltale access recover --data /var/lib/telltale', 'telltale user password anna --as recovery'],
  run: async (call) => {
    const { terminal, signal } = call;
    await asOwner(call, (client) => client.access.me({ signal })); // before anything is asked for
    const password = await newSecret(call, 'Password of recovery: ');
    await asOwner(call, (client) => client.access.recover(password, { signal }));
    if (terminal.isJson) await terminal.json({ user: 'recovery' });
    else await terminal.line('recovery manages users for 4 hours, such as: telltale user password NAME --as recovery');
  },
};

export const accessCommands: readonly CommandDeclaration[] = [init, recover];
