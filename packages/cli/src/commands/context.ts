// `telltale context`: names for servers, and which of them is asked where nothing else is said.
import { chooseServer, precedence } from '../choose-server.ts';
import { type Contexts, contextOf, contextsFile, makeContext, readContexts, writeContexts } from '../contexts.ts';
import { type Call, type CommandDeclaration, Refused, UsageError } from '../declaration.ts';
import { removeKeysOf } from '../keyring.ts';

const details = `Where several servers are named, the first counts: ${precedence}; without any, http://127.0.0.1:8080/.`;

const add: CommandDeclaration = {
  path: ['context', 'add'],
  summary: 'Give a server a name',
  arguments: [{ name: 'NAME' }, { name: 'URL' }],
  options: [],
  isLocal: true,
  details: `${details}\n--ca-file is stored with it.`,
  examples: ['telltale context add plant https://plant.example:8080/', 'telltale --context plant status'],
  run: async (call) => {
    const [name = '', url = ''] = call.args;
    const added = makeContext(name, url, call.options.get('ca-file'));
    await change(call, (contexts) => {
      const present = contexts.contexts.find((each) => each.name === name);
      if (present !== undefined) {
        throw new Refused(`There is a context ${name}, ${present.url}: telltale context remove ${name} removes it.`);
      }
      return { ...contexts, contexts: [...contexts.contexts, added] };
    });
    await report(
      call,
      added,
      `${name} is ${added.url}: --context ${name} asks it, telltale context use ${name} always.`,
    );
  },
};

const list: CommandDeclaration = {
  path: ['context', 'list'],
  summary: 'List the named servers',
  arguments: [],
  options: [],
  isLocal: true,
  run: async ({ terminal, environment }) => {
    const { contexts, current } = await readContexts(contextsFile(environment));
    if (terminal.isJson) {
      await terminal.json(contexts.map(({ name, url }) => ({ name, url, current: name === current })));
    } else if (contexts.length === 0) {
      await terminal.line('There are no contexts: telltale context add NAME URL');
    } else {
      const rows = contexts.map(({ name, url }) => [name === current ? '*' : '', name, url]);
      await terminal.table(['CURRENT', 'NAME', 'URL'], rows);
    }
  },
};

const use: CommandDeclaration = {
  path: ['context', 'use'],
  summary: 'Ask this server from now on, where no other is named',
  arguments: [{ name: 'NAME', optional: true, names: 'contexts' }],
  options: [{ name: 'none', summary: 'None of them: the default server again' }],
  isLocal: true,
  details,
  examples: ['telltale context use plant', 'telltale context use --none'],
  run: async (call) => {
    const [name] = call.args;
    if ((name === undefined) !== call.options.has('none')) throw new UsageError('Either a NAME or --none is required.');
    const { contexts } = await change(call, ({ current: _, ...rest }) =>
      name === undefined ? rest : { ...rest, current: contextOf(rest, name).name },
    );
    const url = contexts.find((each) => each.name === name)?.url;
    const text = name === undefined ? 'No context is current.' : `Commands go to ${name}, ${url}, from now on.`;
    await report(call, { current: name ?? null }, text);
  },
};

const remove: CommandDeclaration = {
  path: ['context', 'remove'],
  summary: 'Forget the name of a server',
  arguments: [{ name: 'NAME', names: 'contexts' }],
  options: [],
  isLocal: true,
  run: async (call) => {
    const [name = ''] = call.args;
    let wasCurrent = false;
    await change(call, ({ current, ...rest }) => {
      contextOf(rest, name);
      wasCurrent = current === name;
      const contexts = rest.contexts.filter((each) => each.name !== name);
      return { ...rest, contexts, ...(current === undefined || wasCurrent ? {} : { current }) };
    });
    await removeKeysOf(call.environment, name);
    await report(call, { removed: name }, `${name} is removed.${wasCurrent ? ' No context is current now.' : ''}`);
  },
};

const show: CommandDeclaration = {
  path: ['context', 'show'],
  summary: 'Show which server is asked, and why',
  arguments: [],
  options: [],
  isLocal: true,
  details,
  run: async (call) => {
    const { url, context = null, by } = await chooseServer(call.options, call.environment);
    await report(call, { context, url, by }, `${context === null ? '' : `${context}, `}${url}, by ${by}`);
  },
};

export const contextCommands: readonly CommandDeclaration[] = [add, list, use, remove, show];

async function change({ environment }: Call, changed: (contexts: Contexts) => Contexts): Promise<Contexts> {
  const file = contextsFile(environment);
  const contexts = changed(await readContexts(file));
  await writeContexts(file, contexts);
  return contexts;
}

async function report({ terminal }: Call, json: object, text: string): Promise<void> {
  if (terminal.isJson) await terminal.json(json);
  else await terminal.line(text);
}
