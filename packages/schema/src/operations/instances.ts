// Operations on the connectors, providers and function modules that run.
import Type from 'typebox';
import { closed } from '../closed.ts';
import { Authority, Reason } from '../data-access.ts';
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
import { jsonType } from '../media-types.ts';
import type { ProblemName } from '../problem.ts';
import { batchOf, Name } from './channel-fields.ts';
import { get, list, listNamesOf, name } from './inputs.ts';
import { connectors, type LiveKind, modules, providers } from './live-kinds.ts';
import { changes, declare, done, json, ofJsonBodies, ofNamedWrites, reads } from './operation.ts';

const linkOperations = ['restart', 'disable', 'enable'] as const;

/** What is done to a connector or provider, of one or of many. */
const operateLinks = <const Request extends string>(request: Request, { one, resource }: LiveKind) =>
  ({
    request,
    summary: `Restarts, disables and enables ${one}s; each is answered as POST /${resource}/:name/restart answers.`,
    fields: {
      operations: batchOf(
        Type.Object(
          {
            name: Name,
            opcode: Type.Enum([...linkOperations], { type: 'string' }),
            reason: Type.Optional(Reason),
          },
          closed,
        ),
      ),
      authority: Type.Optional(Authority),
    },
    batch: 'operations',
  }) as const;

const operateConnectors = operateLinks('OperateConnectors', connectors);
const operateProviders = operateLinks('OperateProviders', providers);

/** Why it is disabled, and by whom. */
const disabling = { reason: Type.Optional(Reason), authority: Type.Optional(Authority) };

export const connectorOperations = {
  listNamesOfConnectors: listNamesOf(connectors, 'view', '/data/connectors/names', 'the running connectors'),
  listConnectors: list(connectors, '/data/connectors', 'ReadConnectors', LiveConnector, connectorFields),
  getConnector: get(connectors, '/data/connectors/:name', LiveConnector),
  restartConnector: declare({
    ...changes(connectors, 'operate', 'operate-link'),
    summary: 'Restart a connector: end its link and connect again at once, also where it had failed',
    input: name,
    problems: ['invalid-name', 'unknown-object', 'link-disabled'],
    http: {
      method: 'POST',
      path: '/data/connectors/:name/restart',
      names: 'the connector',
      answer: done('Its link has ended, and it connects.'),
    },
    channel: [{ ...operateConnectors, when: { opcode: 'restart' } }],
  }),
  disableConnector: declare({
    ...changes(connectors, 'operate', 'operate-link'),
    summary:
      'Disable a connector: end its link until it is enabled, also over restarts; its measurements are bad, out of service',
    input: { ...name, ...disabling },
    problems: ofNamedWrites,
    http: {
      method: 'POST',
      path: '/data/connectors/:name/disable',
      names: 'the connector',
      answer: done('That is on disk, and its link has ended.'),
    },
    channel: [{ ...operateConnectors, when: { opcode: 'disable' } }],
  }),
  enableConnector: declare({
    ...changes(connectors, 'operate', 'operate-link'),
    summary: 'Enable a connector that was disabled: it connects, as at a start',
    input: name,
    problems: ofNamedWrites,
    http: {
      method: 'POST',
      path: '/data/connectors/:name/enable',
      names: 'the connector',
      answer: done('That is on disk, and it connects.'),
    },
    channel: [{ ...operateConnectors, when: { opcode: 'enable' } }],
  }),
  browseConnector: declare({
    ...reads(connectors, 'diagnose'),
    summary:
      'Browse the device of a connector: its points and alarms, as objects that can be put into the configuration',
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
  listNamesOfProviders: listNamesOf(providers, 'view', '/data/providers/names', 'the running providers'),
  listProviders: list(providers, '/data/providers', 'ReadProviders', LiveProvider, providerFields),
  getProvider: get(providers, '/data/providers/:name', LiveProvider),
  restartProvider: declare({
    ...changes(providers, 'operate', 'operate-link'),
    summary: 'Restart a provider: let its clients go and serve again at once, also where it had failed',
    input: name,
    problems: ['invalid-name', 'unknown-object', 'link-disabled'],
    http: {
      method: 'POST',
      path: '/data/providers/:name/restart',
      names: 'the provider',
      answer: done('Its clients are gone, and it starts to serve.'),
    },
    channel: [{ ...operateProviders, when: { opcode: 'restart' } }],
  }),
  disableProvider: declare({
    ...changes(providers, 'operate', 'operate-link'),
    summary: 'Disable a provider: let its clients go and serve nothing until it is enabled, also over restarts',
    input: { ...name, ...disabling },
    problems: ofNamedWrites,
    http: {
      method: 'POST',
      path: '/data/providers/:name/disable',
      names: 'the provider',
      answer: done('That is on disk, and it serves nothing.'),
    },
    channel: [{ ...operateProviders, when: { opcode: 'disable' } }],
  }),
  enableProvider: declare({
    ...changes(providers, 'operate', 'operate-link'),
    summary: 'Enable a provider that was disabled: it serves, as at a start',
    input: name,
    problems: ofNamedWrites,
    http: {
      method: 'POST',
      path: '/data/providers/:name/enable',
      names: 'the provider',
      answer: done('That is on disk, and it starts to serve.'),
    },
    channel: [{ ...operateProviders, when: { opcode: 'enable' } }],
  }),
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
    ...changes(modules, 'operate', 'operate-module'),
    summary,
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
    modules,
    'view',
    '/data/function-modules/names',
    'the configured function modules',
  ),
  listFunctionModules: list(
    modules,
    '/data/function-modules',
    'ReadFunctionModules',
    LiveFunctionModule,
    functionModuleFields,
  ),
  getFunctionModule: get(modules, '/data/function-modules/:name', LiveFunctionModule),
  readFunctionModuleLog: declare({
    ...reads(modules, 'diagnose'),
    summary:
      'Read the newest log lines of a function module, oldest first; as text, each line has time, stream and output',
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
    ...reads(modules, 'signed-in'),
    summary:
      "Answer a FunctionModuleQuery of the supervisor; only for a function module, on a connection with the module's token",
    input: queryAnswer,
    problems: ['not-a-module', 'unknown-object'],
    channel: [{ request: 'AnswerQuery', fields: queryAnswer }],
  }),
};
