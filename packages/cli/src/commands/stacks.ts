// `telltale stacks`: the protocols that connectors and providers can speak, their variables and how points are addressed.
import type { Stack, StackDescription, StackParameter } from '@telltale/schema';
import { didYouMean } from '@telltale/schema/nearest-name';
import { type Call, type CommandDeclaration, Refused } from '../declaration.ts';
import type { Cell } from '../terminal.ts';

export const stacks: CommandDeclaration = {
  path: ['stacks'],
  summary: 'List the stacks; of one, its variables and examples of addresses',
  arguments: [{ name: 'STACK', optional: true }],
  options: [{ name: 'providers', summary: 'Those of providers instead of connectors' }],
  details: 'A stack is the protocol of a connector or provider. /docs/ of the service has its whole documentation.',
  examples: ['telltale stacks', 'telltale stacks modbus', 'telltale stacks opcua --providers'],
  run: async (call) => {
    const { client, args, options, terminal, signal } = call;
    const all = await client.configuration.stacks(options.has('providers') ? 'provider' : 'connector', { signal });
    const [name] = args;
    if (name !== undefined) await showOne(call, all, name);
    else if (terminal.isJson) await terminal.json(all);
    else await terminal.table(['STACK', 'DESCRIPTION'], Object.values(all).map(rowOf));
  },
};

async function showOne({ terminal, options }: Call, all: Record<string, Stack>, name: string): Promise<void> {
  const stack = Object.hasOwn(all, name) ? all[name] : undefined;
  if (stack === undefined) {
    const role = options.has('providers') ? 'provider' : 'connector';
    const hint = didYouMean(name, Object.keys(all)) || ` There are ${Object.keys(all).join(', ')}.`;
    throw new Refused(`There is no ${role} stack ${JSON.stringify(name.slice(0, 80))}.${hint}`);
  }
  if (terminal.isJson) return terminal.json(stack);
  const {
    title = name,
    description = '',
    parameters = {},
    measurement,
    command,
    alarm,
  }: Partial<StackDescription> = stack.description ?? {};
  await terminal.line({ text: `${title} (${name})`, style: 'bold' });
  await terminal.line(description);
  const heading = async (text: string) => {
    await terminal.line('');
    await terminal.line({ text, style: 'bold' });
  };
  await heading('Variables (vars)');
  await terminal.table(
    ['NAME', 'DEFAULT', 'MEANING'],
    Object.entries(parameters).map(([variable, about]) => [
      variable,
      about.required ? { text: 'required', style: 'yellow' } : (stack.defaults?.[variable] ?? ''),
      meaningOf(about),
    ]),
  );
  for (const [points, { enabled = true, examples = [] } = {}] of [
    ['measurements', measurement],
    ['commands', command],
    ['alarms', alarm],
  ] as const) {
    if (!enabled || examples.length === 0) continue;
    await heading(`Addresses of ${points}, such as`);
    await terminal.table(
      ['ADDRESS', 'MEANING'],
      examples.map(({ address, meaning }) => [address, meaning]),
    );
  }
}

function meaningOf({ title, enum: words }: StackParameter): string {
  return words === undefined ? title : `${title}: ${words.join(', ')}`;
}

function rowOf({ name, description }: Stack): Cell[] {
  return [name, description?.description ?? ''];
}
