// `telltale secret`: sets and deletes the secrets of connectors and providers, and lists their names.
import type { CommandDeclaration, OptionDeclaration } from '../declaration.ts';
import { readSecret } from '../read-secret.ts';
import { timeText } from '../words.ts';

const provider: OptionDeclaration = { name: 'provider', summary: 'Of a provider; without it, of a connector' };
const owner = { name: 'OWNER', names: 'connectors' } as const;
const secret = { name: 'SECRET' } as const;

const roleOf = (options: ReadonlyMap<string, string>) => (options.has('provider') ? 'provider' : 'connector');

const secretList: CommandDeclaration = {
  path: ['secret', 'list'],
  summary: 'List the secrets of connectors and providers by name, without their values',
  arguments: [],
  options: [],
  examples: ['telltale secret list'],
  run: async ({ client, terminal, signal }) => {
    const found = await client.secrets.list({ signal });
    if (terminal.isJson) await terminal.json(found);
    else if (found.length === 0) await terminal.line('There are no secrets: telltale secret set OWNER SECRET');
    else {
      const rows = found.map(({ owner, name, changed, sealed, roles }) => {
        return [owner, name, roles.join(', ') || 'nobody', sealed ? 'yes' : 'no', timeText(changed)];
      });
      await terminal.table(['OWNER', 'SECRET', 'OF', 'SEALED', 'CHANGED'], rows);
    }
  },
};

const secretSet: CommandDeclaration = {
  path: ['secret', 'set'],
  summary: 'Set a secret of a connector or provider, for the destination that is configured',
  arguments: [owner, secret],
  options: [provider],
  details:
    'The value is the first line of the standard input, or typed without being shown; never an argument. Variables name ' +
    'the secret as file:SECRET. Whoever uses it starts again.',
  examples: ['telltale secret set switches auth', 'telltale secret set --provider broker password'],
  run: async (call) => {
    const { client, terminal, args, options, signal } = call;
    const [name = '', secret = ''] = args;
    const value = await readSecret(call, 'secret');
    await client.secrets.set(name, secret, value, { of: roleOf(options), signal });
    if (terminal.isJson) await terminal.json({ set: `${name}/${secret}` });
    else
      await terminal.line(
        `The secret ${secret} of ${roleOf(options)} ${name} is set: write file:${secret} where it is needed.`,
      );
  },
};

const secretDelete: CommandDeclaration = {
  path: ['secret', 'delete'],
  summary: 'Delete a secret of a connector or provider',
  arguments: [owner, secret],
  options: [provider],
  examples: ['telltale secret delete switches auth'],
  run: async ({ client, terminal, args, options, signal }) => {
    const [name = '', secret = ''] = args;
    await client.secrets.delete(name, secret, { of: roleOf(options), signal });
    if (terminal.isJson) await terminal.json({ deleted: `${name}/${secret}` });
    else await terminal.line(`The secret ${secret} of ${roleOf(options)} ${name} is deleted.`);
  },
};

export const secretCommands: readonly CommandDeclaration[] = [secretList, secretSet, secretDelete];
