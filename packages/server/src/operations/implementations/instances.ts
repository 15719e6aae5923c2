// Implements the operations of running connectors, providers and function modules.
import {
  type FunctionModuleOperation,
  formatTimestamp,
  fromTimestamp,
  type InputOf,
  type LogLine,
  ProblemError,
} from '@telltale/schema';
import type { Caller } from '../../access/index.ts';
import type { FunctionModules } from '../../modules/index.ts';
import type { LinkControl } from '../../runtime/index.ts';
import { collectionText, picked } from '../collection-text.ts';
import type { StackAccess } from '../diagnostics/index.ts';
import type { Asked, Implementations } from './implementation.ts';
import { notingSides } from './noted-sides.ts';

const defaultLogLines = 100;

type DisableInput = InputOf<'disableConnector'>;

export interface InstanceParts {
  readonly stacks: StackAccess;
  readonly links: Pick<LinkControl, 'disable' | 'enable' | 'restart' | 'find'>;
  readonly modules: ServedModules;
}

export type ServedModules = Pick<
  FunctionModules,
  'has' | 'names' | 'areaOf' | 'live' | 'start' | 'stop' | 'restart' | 'readLog' | 'answered'
>;

export function instances({ stacks, links, modules }: InstanceParts) {
  const isSeen =
    ({ rights }: Caller) =>
    (name: string) =>
      rights.on('view', name, modules.areaOf(name));
  const namesOfModules = (caller: Caller) => [...modules.names()].filter(isSeen(caller)).sort();
  const mustFind = (name: string) => {
    if (modules.has(name)) return;
    throw new ProblemError('unknown-object', `There is no function module ${JSON.stringify(name.slice(0, 80))}.`);
  };
  const noting = (role: 'connector' | 'provider', name: string, asked: Asked, work: () => Promise<void>) =>
    notingSides(asked, () => (links.find(role, name) === undefined ? 'enabled' : 'disabled'), work);
  const operate =
    (operation: FunctionModuleOperation) =>
    async ({ name }: { name: string }, asked: Asked): Promise<void> => {
      mustFind(name);
      await notingSides(
        asked,
        () => (modules.has(name) ? modules.live(name).state : undefined),
        () => modules[operation](name),
      );
    };
  const disable =
    (role: 'connector' | 'provider') =>
    ({ name, reason, authority }: DisableInput, asked: Asked): Promise<void> => {
      const { caller, note } = asked;
      note({ reason: reason ?? authority });
      return noting(role, name, asked, () => links.disable(role, name, caller.authorityOr(authority), reason));
    };
  const enable =
    (role: 'connector' | 'provider') =>
    ({ name }: { name: string }, asked: Asked): Promise<void> =>
      noting(role, name, asked, () => links.enable(role, name));
  return {
    listNamesOfConnectors: (_, { caller }) => stacks.names('connector', caller.rights),
    listConnectors: (selection, { caller }) => stacks.read('connector', selection, caller.rights),
    getConnector: ({ name }) => stacks.readOne('connector', name),
    browseConnector: ({ name, ...request }, { caller, signal }) =>
      stacks.browse(name, request, { caller, signal: signal() }),
    restartConnector: ({ name }) => links.restart('connector', name),
    disableConnector: disable('connector'),
    enableConnector: enable('connector'),
    restartProvider: ({ name }) => links.restart('provider', name),
    disableProvider: disable('provider'),
    enableProvider: enable('provider'),
    listNamesOfProviders: (_, { caller }) => stacks.names('provider', caller.rights),
    listProviders: (selection, { caller }) => stacks.read('provider', selection, caller.rights),
    getProvider: ({ name }) => stacks.readOne('provider', name),
    listNamesOfFunctionModules: (_, { caller }) => namesOfModules(caller),
    listFunctionModules: ({ names, fields }, { caller }) => {
      const seen = namesOfModules(caller);
      const known = names === undefined ? seen : seen.filter((name) => names.includes(name));
      return collectionText(known.map((name) => [name, picked(modules.live(name), fields)]));
    },
    getFunctionModule: ({ name }) => {
      mustFind(name);
      return modules.live(name);
    },
    readFunctionModuleLog: async ({ name, lines = defaultLogLines, stream }, { type }) => {
      mustFind(name);
      const found = lines === 0 ? [] : await modules.readLog(name, lines, stream);
      return type === 'text/plain' ? found.map(logText).join('') : found;
    },
    startFunctionModule: operate('start'),
    stopFunctionModule: operate('stop'),
    restartFunctionModule: operate('restart'),
    answerQuery: ({ query_id: queryId, status }, { caller }) => {
      if (caller.module === undefined) {
        throw new ProblemError('not-a-module', 'Only a function module answers queries, and this client is none.');
      }
      if (modules.answered(caller.module, queryId, status)) return;
      throw new ProblemError('unknown-object', `Query ${queryId} of function module ${caller.module} is not open.`);
    },
  } satisfies Partial<Implementations>;
}

function logText({ t, stream, text }: LogLine): string {
  return `${formatTimestamp(fromTimestamp(t))} ${stream} ${text}\n`;
}
