// Implements the operations on the configuration as a whole: the stacks, the database file, transactions, rendering, and the
// executables of function modules.
import { type FunctionModule, ProblemError } from '@telltale/schema';
import type { ConfigurationDatabase } from '../../cfgdb/index.ts';
import type { Executables, FunctionModules } from '../../modules/index.ts';
import type { StackCatalogue } from '../../stacks/index.ts';
import type { Implementations } from './implementation.ts';
import { renderingOf } from './rendering-input.ts';

/** Acknowledged data of any part that was missing when the service started. */
interface Losses {
  missing(): readonly string[];
  acknowledge(): Promise<void>;
}

export interface ConfigurationParts {
  readonly cfgdb: ConfigurationDatabase;
  readonly stacks: StackCatalogue;
  readonly losses: Losses;
  readonly executables: Executables;
  readonly modules: Pick<FunctionModules, 'executableReplaced'>;
  /** False: uploads of executables are disabled. */
  readonly mayUpload: boolean;
}

export function configuration(parts: ConfigurationParts) {
  return { ...stackCatalogue(parts.stacks), ...database(parts), ...executablesOfModules(parts) };
}

function stackCatalogue(stacks: StackCatalogue) {
  const names = (role: keyof StackCatalogue) => () => [...stacks[role].keys()].sort();
  const list =
    (role: keyof StackCatalogue) =>
    ({ names: wanted }: { names?: string[] }) =>
      Object.fromEntries([...stacks[role]].filter(([name]) => wanted?.includes(name) ?? true));
  const get =
    (role: keyof StackCatalogue) =>
    ({ name }: { name: string }) => {
      const stack = stacks[role].get(name);
      if (stack === undefined) throw new ProblemError('unknown-stack', `There is no ${role} stack ${name}.`);
      return stack;
    };
  return {
    listNamesOfConnectorStacks: names('connector'),
    listConnectorStacks: list('connector'),
    getConnectorStack: get('connector'),
    listNamesOfProviderStacks: names('provider'),
    listProviderStacks: list('provider'),
    getProviderStack: get('provider'),
  } satisfies Partial<Implementations>;
}

function database({ cfgdb, losses }: ConfigurationParts) {
  return {
    downloadDatabase: async () => ({ ...(await cfgdb.download()), filename: 'configuration.sqlite' }),
    uploadDatabase: (input, { stream, caller }) => cfgdb.upload(stream, renderingOf(input), caller.author),
    runTransaction: ({ commit = true, ...input }, { whole, caller }) =>
      cfgdb.call('transaction', whole, { commit, ...renderingOf(input) }, caller.author),
    copyObjects: ({ 'dry-run': dryRun = false, render, comment, ...request }, { caller }) =>
      cfgdb.call('copy', request, { dryRun, ...renderingOf({ render, comment }) }, caller.author),
    getRenderStatus: async () => {
      const missing = losses.missing();
      return { up_to_date: await cfgdb.call('upToDate'), ...(missing.length > 0 && { missing }) };
    },
    acknowledgeMissing: () => losses.acknowledge(),
    render: ({ force = false, comment }, { caller }) => cfgdb.call('render', { force, comment }, caller.author),
  } satisfies Partial<Implementations>;
}

function executablesOfModules(parts: ConfigurationParts) {
  const { cfgdb, executables, mayUpload, modules } = parts;
  /** The path of the module's executable; fails where there is no such module. */
  const pathOf = async (name: string): Promise<string | undefined> => {
    const module = JSON.parse(Buffer.from(await cfgdb.call('get', 'function-modules', name)).toString());
    return (module as FunctionModule).executable;
  };
  return {
    getExecutable: async ({ name }) => ({ ...(await executables.get(name, await pathOf(name))), filename: name }),
    putExecutable: async ({ name }, { stream }) => {
      if (!mayUpload) throw new ProblemError('uploads-disabled', 'This service runs with --no-module-uploads.');
      const place = await pathOf(name);
      await executables.put(name, place, stream);
      modules.executableReplaced(name, place);
    },
    deleteExecutable: async ({ name }) => executables.delete(name, await pathOf(name)),
    statExecutable: async ({ name }) => executables.stat(name, await pathOf(name)),
  } satisfies Partial<Implementations>;
}
