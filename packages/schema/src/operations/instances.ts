// Operations on the connectors, providers and function modules that run.
import Type from 'typebox';
import { Names } from '../configuration.ts';
import {
  BrowsedItems,
  BrowseRequest,
  connectorFields,
  LiveConnector,
  LiveProvider,
  providerFields,
} from '../diagnostics.ts';
import { functionModuleFields, LiveFunctionModule, LogLine, logOptions } from '../function-modules.ts';
import { fields, name, names, someOf } from './inputs.ts';
import { declare, done, json, jsonType, ofJsonBodies } from './operation.ts';

export const connectorOperations = {
  listNamesOfConnectors: declare({
    tag: 'Connectors',
    summary: 'Names of the connectors that run, sorted',
    effect: { action: 'read', resource: 'connectors' },
    audited: false,
    input: {},
    problems: [],
    http: { method: 'GET', path: '/data/connectors/names', answer: json('The names.', Names) },
  }),
  listConnectors: declare({
    tag: 'Connectors',
    summary: 'All connectors, or those that are named; unknown names are left out',
    effect: { action: 'read', resource: 'connectors' },
    audited: false,
    input: { ...names, ...fields(connectorFields) },
    problems: ['too-many-names'],
    http: { method: 'GET', path: '/data/connectors', answer: json('From name to object.', someOf(LiveConnector)) },
  }),
  getConnector: declare({
    tag: 'Connectors',
    summary: 'One connector',
    effect: { action: 'read', resource: 'connectors' },
    audited: false,
    input: name,
    problems: ['unknown-object'],
    http: {
      method: 'GET',
      path: '/data/connectors/:name',
      names: 'the connector',
      answer: json('The connector.', LiveConnector),
    },
  }),
  browseConnector: declare({
    tag: 'Connectors',
    summary: 'What its device has to offer, as objects that are ready to be put into the configuration',
    effect: { action: 'read', resource: 'connectors' },
    audited: false,
    input: name,
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
      body: { types: [jsonType], schema: BrowseRequest, limit: 'max-json-size' },
      answer: json('What there is.', BrowsedItems),
    },
  }),
};

export const providerOperations = {
  listNamesOfProviders: declare({
    tag: 'Providers',
    summary: 'Names of the providers that run, sorted',
    effect: { action: 'read', resource: 'providers' },
    audited: false,
    input: {},
    problems: [],
    http: { method: 'GET', path: '/data/providers/names', answer: json('The names.', Names) },
  }),
  listProviders: declare({
    tag: 'Providers',
    summary: 'All providers, or those that are named; unknown names are left out',
    effect: { action: 'read', resource: 'providers' },
    audited: false,
    input: { ...names, ...fields(providerFields) },
    problems: ['too-many-names'],
    http: { method: 'GET', path: '/data/providers', answer: json('From name to object.', someOf(LiveProvider)) },
  }),
  getProvider: declare({
    tag: 'Providers',
    summary: 'One provider',
    effect: { action: 'read', resource: 'providers' },
    audited: false,
    input: name,
    problems: ['unknown-object'],
    http: {
      method: 'GET',
      path: '/data/providers/:name',
      names: 'the provider',
      answer: json('The provider.', LiveProvider),
    },
  }),
};

export const functionModuleOperationsOfService = {
  listNamesOfFunctionModules: declare({
    tag: 'Function modules',
    summary: 'Names of the function modules that are configured, sorted',
    effect: { action: 'read', resource: 'function-modules' },
    audited: false,
    input: {},
    problems: [],
    http: { method: 'GET', path: '/data/function-modules/names', answer: json('The names.', Names) },
  }),
  listFunctionModules: declare({
    tag: 'Function modules',
    summary: 'All function modules, or those that are named; unknown names are left out',
    effect: { action: 'read', resource: 'function-modules' },
    audited: false,
    input: { ...names, ...fields(functionModuleFields) },
    problems: ['too-many-names'],
    http: {
      method: 'GET',
      path: '/data/function-modules',
      answer: json('From name to object.', someOf(LiveFunctionModule)),
    },
  }),
  getFunctionModule: declare({
    tag: 'Function modules',
    summary: 'One function module',
    effect: { action: 'read', resource: 'function-modules' },
    audited: false,
    input: name,
    problems: ['unknown-object'],
    http: {
      method: 'GET',
      path: '/data/function-modules/:name',
      names: 'the function module',
      answer: json('The function module.', LiveFunctionModule),
    },
  }),
  readFunctionModuleLog: declare({
    tag: 'Function modules',
    summary: 'What it printed last, newest last; as text, a line is its time, its stream and what was printed',
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
  startFunctionModule: declare({
    tag: 'Function modules',
    summary: 'Start a function module, also one that has failed',
    effect: { action: 'operate', resource: 'function-modules' },
    audited: true,
    input: name,
    problems: ['invalid-name', 'unknown-object', 'module-disabled', 'module-failed'],
    http: {
      method: 'POST',
      path: '/data/function-modules/:name/start',
      names: 'the function module',
      answer: done('Its process is there.'),
    },
  }),
  stopFunctionModule: declare({
    tag: 'Function modules',
    summary: 'Stop a function module, until it is started again or the service is',
    effect: { action: 'operate', resource: 'function-modules' },
    audited: true,
    input: name,
    problems: ['invalid-name', 'unknown-object'],
    http: {
      method: 'POST',
      path: '/data/function-modules/:name/stop',
      names: 'the function module',
      answer: done('Nothing of it lives any more.'),
    },
  }),
  restartFunctionModule: declare({
    tag: 'Function modules',
    summary: 'Stop a function module and start it again',
    effect: { action: 'operate', resource: 'function-modules' },
    audited: true,
    input: name,
    problems: ['invalid-name', 'unknown-object', 'module-disabled', 'module-failed'],
    http: {
      method: 'POST',
      path: '/data/function-modules/:name/restart',
      names: 'the function module',
      answer: done('Its new process is there.'),
    },
  }),
};
