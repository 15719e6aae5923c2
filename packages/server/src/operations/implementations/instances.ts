// Carries out what is asked of connectors, providers and function modules that run.
import { formatTimestamp, fromTimestamp, type LogLine, ProblemError } from '@telltale/schema';
import type { StackAccess } from '../diagnostics/index.ts';
import type { ModuleAccess } from '../modules/index.ts';
import type { Implementations } from './implementation.ts';

type Names =
  | 'listNamesOfConnectors'
  | 'listConnectors'
  | 'getConnector'
  | 'browseConnector'
  | 'listNamesOfProviders'
  | 'listProviders'
  | 'getProvider'
  | 'listNamesOfFunctionModules'
  | 'listFunctionModules'
  | 'getFunctionModule'
  | 'readFunctionModuleLog'
  | 'startFunctionModule'
  | 'stopFunctionModule'
  | 'restartFunctionModule'
  | 'answerQuery';

const defaultLogLines = 100;

export interface InstanceParts {
  readonly stacks: StackAccess;
  readonly modules: ModuleAccess;
}

export function instances({ stacks, modules }: InstanceParts): Pick<Implementations, Names> {
  return {
    listNamesOfConnectors: () => stacks.names('connector'),
    listConnectors: (selection) => stacks.read('connector', selection),
    getConnector: ({ name }) => stacks.readOne('connector', name),
    browseConnector: ({ name, ...request }, { signal }) => stacks.browse(name, request, signal()),
    listNamesOfProviders: () => stacks.names('provider'),
    listProviders: (selection) => stacks.read('provider', selection),
    getProvider: ({ name }) => stacks.readOne('provider', name),
    listNamesOfFunctionModules: () => modules.names(),
    listFunctionModules: (selection) => modules.read(selection),
    getFunctionModule: ({ name }) => modules.readOne(name),
    readFunctionModuleLog: async ({ name, lines = defaultLogLines, stream }, { type }) => {
      const found = await modules.readLog(name, lines, stream);
      return type === 'text/plain' ? found.map(logText).join('') : found;
    },
    startFunctionModule: ({ name }) => modules.operate(name, 'start'),
    stopFunctionModule: ({ name }) => modules.operate(name, 'stop'),
    restartFunctionModule: ({ name }) => modules.operate(name, 'restart'),
    answerQuery: ({ query_id: queryId, status }, { caller }) => {
      if (caller.module === undefined) {
        throw new ProblemError('not-a-module', 'Only a function module answers queries, and this client is none.');
      }
      modules.answer(caller.module, queryId, status);
    },
  };
}

function logText({ t, stream, text }: LogLine): string {
  return `${formatTimestamp(fromTimestamp(t))} ${stream} ${text}\n`;
}
