// Carries out what is asked of connectors, providers and function modules that run.
import {
  BrowseRequest,
  checker,
  formatTimestamp,
  fromTimestamp,
  type LogLine,
  ProblemError,
  readJson,
} from '@telltale/schema';
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
  | 'restartFunctionModule';

const browseRequest = checker(BrowseRequest);

/** A path and a cursor are shorter; it is read beside the live values. */
const mostBrowseBytes = 64 << 10;

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
    browseConnector: ({ name }, { json, signal }) => stacks.browse(name, readBrowseRequest(json), signal()),
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
  };
}

function readBrowseRequest(json: Uint8Array): BrowseRequest {
  if (json.length > mostBrowseBytes) {
    throw new ProblemError('body-too-large', `At most ${mostBrowseBytes} bytes are taken here.`);
  }
  const body = readJson(json);
  if (browseRequest.fits(body)) return body as BrowseRequest;
  const faults = browseRequest.faults(body);
  throw new ProblemError('invalid-body', `${faults[0]?.path || 'The body'} ${faults[0]?.message}.`, faults);
}

function logText({ t, stream, text }: LogLine): string {
  return `${formatTimestamp(fromTimestamp(t))} ${stream} ${text}\n`;
}
