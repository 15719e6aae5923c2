// Implements the operations on the configuration as a whole: the stacks, the database file, transactions, rendering, and the
// executables of function modules.
import { createHash } from 'node:crypto';
import { familySchemas, type Permission, ProblemError } from '@telltale/schema';
import { notAllowed } from '../../access/index.ts';
import type { AskableConfiguration } from '../../cfgdb/index.ts';
import type { Executables, FunctionModules } from '../../modules/index.ts';
import type { StackCatalogue } from '../../stacks/index.ts';
import type { Asked, Implementations } from './implementation.ts';
import { changing } from './noted-changes.ts';
import { notingSides } from './noted-sides.ts';
import { once } from './once.ts';
import { renderingOf } from './rendering-input.ts';

/** Acknowledged data of any part that was missing when the service started. */
interface Losses {
  missing(): readonly string[];
  acknowledge(): Promise<void>;
}

export interface ConfigurationParts {
  readonly cfgdb: AskableConfiguration;
  readonly stacks: StackCatalogue;
  readonly losses: Losses;
  readonly executables: Executables;
  readonly modules: Pick<FunctionModules, 'executableReplaced'>;
  /** False: uploads of executables are disabled. */
  readonly mayUpload: boolean;
}

export function configuration(parts: ConfigurationParts) {
  return {
    ...stackCatalogue(parts.stacks),
    ...schemasOfFamilies(),
    ...database(parts),
    ...executablesOfModules(parts),
  };
}

function schemasOfFamilies() {
  const made = once(() => {
    const bytes = Buffer.from(JSON.stringify(familySchemas()));
    return { bytes, version: createHash('sha256').update(bytes).digest('base64url') };
  });
  return {
    getFamilySchemas: { run: () => made().bytes, version: () => made().version },
  } satisfies Partial<Implementations>;
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
    downloadDatabase: async (_, { caller }) => ({
      ...(await cfgdb.as(caller).download()),
      filename: 'configuration.sqlite',
    }),
    uploadDatabase: (input, asked) => changing(cfgdb, asked, input.comment).upload(asked.stream, renderingOf(input)),
    runTransaction: ({ commit = true, ...input }, asked) => {
      const options = { commit, ...renderingOf(input) };
      return changing(cfgdb, asked, input.comment).call('transaction', asked.whole, options, asked.caller.author);
    },
    copyObjects: ({ 'dry-run': dryRun = false, render, comment, ...request }, asked) => {
      const options = { dryRun, ...renderingOf({ render, comment }) };
      return changing(cfgdb, asked, comment).call('copy', request, options, asked.caller.author);
    },
    getRenderStatus: async (_, { caller }) => {
      const missing = caller.rights.everywhere('read-config') ? losses.missing() : [];
      return { up_to_date: await cfgdb.as(caller).call('upToDate'), ...(missing.length > 0 && { missing }) };
    },
    acknowledgeMissing: (_, { caller }) => {
      if (!caller.rights.everywhere('configure')) throw notAllowed(caller, 'configure');
      return losses.acknowledge();
    },
    render: ({ force = false, comment }, asked) =>
      changing(cfgdb, asked, comment).call('render', { force, comment, version: asked.version }, asked.caller.author),
  } satisfies Partial<Implementations>;
}

function executablesOfModules(parts: ConfigurationParts) {
  const { cfgdb, executables, mayUpload, modules } = parts;
  /** The path of the module's executable; fails where there is no such module, or this may not be done to it. */
  const pathOf = (name: string, { caller }: Asked, permission: Permission) =>
    cfgdb.as(caller).call('executableOf', name, permission);
  return {
    getExecutable: async ({ name }, asked) => {
      const path = await pathOf(name, asked, 'read-config');
      return { ...(await executables.get(name, path)), filename: name };
    },
    putExecutable: async ({ name }, asked) => {
      if (!mayUpload) throw new ProblemError('uploads-disabled', 'This service runs with --no-module-uploads.');
      const place = await pathOf(name, asked, 'install-code');
      await notingSides(
        asked,
        () => executables.sumOf(name, place),
        () => executables.put(name, place, asked.stream),
      );
      modules.executableReplaced(name, place);
    },
    deleteExecutable: async ({ name }, asked) => {
      const place = await pathOf(name, asked, 'install-code');
      await notingSides(
        asked,
        () => executables.sumOf(name, place),
        () => executables.delete(name, place),
      );
    },
    statExecutable: async ({ name }, asked) => executables.stat(name, await pathOf(name, asked, 'read-config')),
  } satisfies Partial<Implementations>;
}
