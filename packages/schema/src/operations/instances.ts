// Operations on the connectors, providers and function modules that run.
import Type from 'typebox';
import {
  BrowsedItem,
  BrowsedItems,
  BrowseRequest,
  connectorFields,
  LiveConnector,
  LiveProvider,
  providerFields,
} from '../diagnostics.ts';
import {
  type FunctionModuleOperation,
  functionModuleFields,
  functionModuleOperations,
  LiveFunctionModule,
  LogLine,
  logOptions,
} from '../function-modules.ts';
import type { ProblemName } from '../problem.ts';
import { batchOf, closed, Name, selectionOfFew, some } from './channel-fields.ts';
import { get, list, listNamesOf, name } from './inputs.ts';
import { declare, done, json, jsonType, ofJsonBodies } from './operation.ts';

const connectors = { tag: 'Connectors', resource: 'connectors', one: 'connector', schema: LiveConnector } as const;
const providers = { tag: 'Providers', resource: 'providers', one: 'provider', schema: LiveProvider } as const;
const modules = {
  tag: 'Function modules',
  resource: 'function-modules',
  one: 'function module',
  schema: LiveFunctionModule,
} as const;

export const connectorOperations = {
  listNamesOfConnectors: listNamesOf(
    connectors.tag,
    connectors.resource,
    '/data/connectors/names',
    'List the names of the running connectors, sorted',
  ),
  listConnectors: list(
    { ...connectors, path: '/data/connectors' },
    connectorFields,
    {},
    {
      request: 'ReadConnectors',
      summary: 'Reads connectors, as GET /connectors/ does.',
      fields: selectionOfFew(connectorFields),
      answer: { connectors: some(LiveConnector) },
    },
  ),
  getConnector: get({ ...connectors, path: '/data/connectors/:name' }),
  browseConnector: declare({
    tag: 'Connectors',
    summary: 'Browse the device of a connector: its points, as objects that can be put into the configuration',
    effect: { action: 'read', resource: 'connectors' },
    audited: false,
    input: { ...name, ...BrowseRequest.properties },
    problems: [
      'invalid-name',
      'unknown-object',
      ...ofJsonBodies,
      'invalid-body',
      'too-many-requests',
      'not-supported',
      'device-refused',
      'connector-down',
      'device-timeout',
    ],
    http: {
      method: 'POST',
      path: '/data/connectors/:name/browse',
      names: 'the connector',
      body: { types: [jsonType], schema: BrowseRequest, isInput: true, limit: 'max-json-size' },
      answer: json('What was found.', BrowsedItems),
    },
    channel: [
      {
        request: 'BrowseConnector',
        summary: 'Browses the device of a connector, as POST /connectors/:name/browse does.',
        fields: { name: Name, ...BrowseRequest.properties },
        answer: { items: Type.Array(BrowsedItem), cursor: Type.Union([Type.String(), Type.Null()]) },
      },
    ],
  }),
};

export const providerOperations = {
  listNamesOfProviders: listNamesOf(
    providers.tag,
    providers.resource,
    '/data/providers/names',
    'List the names of the running providers, sorted',
  ),
  listProviders: list(
    { ...providers, path: '/data/providers' },
    providerFields,
    {},
    {
      request: 'ReadProviders',
      summary: 'Reads providers, as GET /providers/ does.',
      fields: selectionOfFew(providerFields),
      answer: { providers: some(LiveProvider) },
    },
  ),
  getProvider: get({ ...providers, path: '/data/providers/:name' }),
};

const operateModules = {
  request: 'OperateFunctionModules',
  summary:
    'Starts, stops and restarts function modules; each is answered as POST /function-modules/:name/start answers.',
  fields: {
    operations: batchOf(
      Type.Object({ name: Name, opcode: Type.Enum([...functionModuleOperations], { type: 'string' }) }, closed),
    ),
  },
  batch: 'operations',
} as const;

const operate = (
  opcode: FunctionModuleOperation,
  path: string,
  summary: string,
  happened: string,
  more: readonly ProblemName[],
) =>
  declare({
    tag: modules.tag,
    summary,
    effect: { action: 'operate', resource: 'function-modules' },
    audited: true,
    input: name,
    problems: ['invalid-name', 'unknown-object', ...more],
    http: { method: 'POST', path, names: 'the function module', answer: done(happened) },
    channel: [{ ...operateModules, when: { opcode } }],
  });

const queryAnswer = {
  query_id: Type.Integer(),
  status: Type.Optional(
    Type.String({ description: 'What it has to say of itself; of more than 1024 characters the rest is cut off.' }),
  ),
};

export const functionModuleOperationsOfService = {
  listNamesOfFunctionModules: listNamesOf(
    modules.tag,
    modules.resource,
    '/data/function-modules/names',
    'List the names of the configured function modules, sorted',
  ),
  listFunctionModules: list(
    { ...modules, path: '/data/function-modules' },
    functionModuleFields,
    {},
    {
      request: 'ReadFunctionModules',
      summary: 'Reads function modules, as GET /function-modules/ does.',
      fields: selectionOfFew(functionModuleFields),
      answer: { function_modules: some(LiveFunctionModule) },
    },
  ),
  getFunctionModule: get({ ...modules, path: '/data/function-modules/:name' }),
  readFunctionModuleLog: declare({
    tag: 'Function modules',
    summary:
      'Read the newest log lines of a function module, oldest first; as text, each line has time, stream and output',
    effect: { action: 'read', resource: 'function-modules' },
    audited: false,
    input: { ...name, ...logOptions },
    problems: ['unknown-object', 'not-acceptable', 'storage-failed'],
    http: {
      method: 'GET',
      path: '/data/function-modules/:name/log',
      names: 'the function module',
      answer: { ...json('The lines.', Type.Array(LogLine)), otherTypes: ['text/plain'] },
    },
  }),
  startFunctionModule: operate(
    'start',
    '/data/function-modules/:name/start',
    'Start a function module, including one that has failed',
    'Its process runs.',
    ['module-disabled', 'module-failed'],
  ),
  stopFunctionModule: operate(
    'stop',
    '/data/function-modules/:name/stop',
    'Stop a function module until it is started, or the service restarts',
    'All its processes have ended.',
    [],
  ),
  restartFunctionModule: operate(
    'restart',
    '/data/function-modules/:name/restart',
    'Restart a function module',
    'Its new process runs.',
    ['module-disabled', 'module-failed'],
  ),
  answerQuery: declare({
    tag: 'Function modules',
    summary:
      "Answer a FunctionModuleQuery of the supervisor; only for a function module, on a connection with the module's token",
    effect: { action: 'read', resource: 'function-modules' },
    audited: false,
    input: queryAnswer,
    problems: ['not-a-module', 'unknown-object'],
    channel: [{ request: 'AnswerQuery', fields: queryAnswer }],
  }),
};
