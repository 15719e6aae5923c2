// Operations on the configuration as a whole: the stacks that it can use, the database file, transactions, rendering,
// revisions; and the executables of function modules.
import Type from 'typebox';
import { Collection, ExecutableStat, RenderStatus, Stack } from '../configuration.ts';
import { Difference, Revision, Revisions } from '../revision.ts';
import { Transaction } from '../transaction.ts';
import { listNamesOf, name, names } from './inputs.ts';
import { declare, done, json, jsonType, ofJsonBodies } from './operation.ts';

const reads = { action: 'read', resource: 'configuration' } as const;
const configures = { action: 'configure', resource: 'configuration' } as const;

const ofStacks = 'Configuration: stacks';
const ofDatabase = 'Configuration: database';
const ofModules = 'Configuration: function modules';

export const sqliteType = 'application/x-sqlite3';
export const bytesType = 'application/octet-stream';

const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const render = { render: flag('Render on success; if rendering fails, nothing is changed.') };
const revision = { id: Type.Integer({ minimum: 1 }) };

const listStacks = (path: string, summary: string) =>
  declare({
    tag: ofStacks,
    summary,
    effect: reads,
    audited: false,
    input: names,
    problems: ['too-many-names'],
    http: { method: 'GET', path, answer: json('From name to stack.', Collection(Stack)) },
  });

const getStack = (path: string) =>
  declare({
    tag: ofStacks,
    summary: 'One stack: its settings, address syntax and examples',
    effect: reads,
    audited: false,
    input: name,
    problems: ['unknown-stack'],
    http: { method: 'GET', path, names: 'the stack', answer: json('The stack.', Stack) },
  });

export const stackOperations = {
  listNamesOfConnectorStacks: listNamesOf(
    ofStacks,
    'configuration',
    '/config/v2/stacks/connector/names',
    'Names of the stacks that a connector can run, sorted',
  ),
  listConnectorStacks: listStacks(
    '/config/v2/stacks/connector',
    'The stacks that a connector can run, or those that are named',
  ),
  getConnectorStack: getStack('/config/v2/stacks/connector/:name'),
  listNamesOfProviderStacks: listNamesOf(
    ofStacks,
    'configuration',
    '/config/v2/stacks/provider/names',
    'Names of the stacks that a provider can run, sorted',
  ),
  listProviderStacks: listStacks(
    '/config/v2/stacks/provider',
    'The stacks that a provider can run, or those that are named',
  ),
  getProviderStack: getStack('/config/v2/stacks/provider/:name'),
};

export const databaseOperations = {
  downloadDatabase: declare({
    tag: ofDatabase,
    summary: 'Download the configuration as an SQLite file: a consistent copy, taken while writes go on',
    effect: reads,
    audited: false,
    input: {},
    problems: ['overloaded', 'storage-failed'],
    http: {
      method: 'GET',
      path: '/config/v2/cfgdb/database',
      answer: { status: 200, description: 'The file.', type: sqliteType },
    },
  }),
  uploadDatabase: declare({
    tag: ofDatabase,
    summary: 'Replace the whole configuration by the rows of an SQLite file',
    effect: configures,
    audited: true,
    input: render,
    problems: ['upload-refused', 'render-refused', 'storage-failed'],
    http: {
      method: 'POST',
      path: '/config/v2/cfgdb/database',
      body: { types: [sqliteType, bytesType], limit: 'max-database-size' },
      answer: done('It is replaced, on disk.'),
    },
  }),
  runTransaction: declare({
    tag: ofDatabase,
    summary: 'Carry out several operations, all or none',
    effect: configures,
    audited: true,
    input: {
      commit: flag('0 carries everything out and rolls it back: 204 says that it would work.'),
      ...render,
    },
    problems: [
      ...ofJsonBodies,
      'invalid-body',
      'too-many-operations',
      'object-too-large',
      'operation-failed',
      'render-refused',
      'storage-failed',
    ],
    http: {
      method: 'POST',
      path: '/config/v2/cfgdb/txn',
      body: { types: [jsonType], schema: Transaction, limit: 'max-json-size' },
      answer: done('All operations are on disk.'),
    },
  }),
  getRenderStatus: declare({
    tag: ofDatabase,
    summary: 'Whether what runs equals the database, by content',
    effect: reads,
    audited: false,
    input: {},
    problems: [],
    http: { method: 'GET', path: '/config/v2/cfgdb/render', answer: json('The status.', RenderStatus) },
  }),
  acknowledgeMissing: declare({
    tag: ofDatabase,
    summary: 'Say that what is missing is known: the status and /readyz tell of it no more',
    effect: { action: 'acknowledge', resource: 'configuration' },
    audited: true,
    input: {},
    problems: ['storage-failed'],
    http: { method: 'POST', path: '/config/v2/cfgdb/missing/acknowledge', answer: done('It is told no more.') },
  }),
  render: declare({
    tag: ofDatabase,
    summary: 'Check the configuration as a whole and run it',
    effect: configures,
    audited: true,
    input: { force: flag('Render even when the configuration is up to date.') },
    problems: ['render-refused', 'storage-failed'],
    http: { method: 'POST', path: '/config/v2/cfgdb/render', answer: done('It runs.') },
  }),
  getDifference: declare({
    tag: ofDatabase,
    summary: 'The database against what runs, by object and field, with time and author of each change',
    effect: reads,
    audited: false,
    input: {},
    problems: [],
    http: { method: 'GET', path: '/config/v2/cfgdb/diff', answer: json('The differences.', Difference) },
  }),
  listRevisions: declare({
    tag: ofDatabase,
    summary: 'The renderings that are kept, the newest first',
    effect: reads,
    audited: false,
    input: {},
    problems: [],
    http: { method: 'GET', path: '/config/v2/cfgdb/revisions', answer: json('The revisions.', Revisions) },
  }),
  getRevision: declare({
    tag: ofDatabase,
    summary: 'One rendering: its changes against the one before, and its whole configuration if asked for',
    effect: reads,
    audited: false,
    input: { ...revision, configuration: flag('Include the whole configuration.') },
    problems: ['unknown-revision'],
    http: { method: 'GET', path: '/config/v2/cfgdb/revisions/:id', answer: json('The revision.', Revision) },
  }),
  restoreRevision: declare({
    tag: ofDatabase,
    summary: 'Make the database what the revision was',
    effect: configures,
    audited: true,
    input: { ...revision, ...render },
    problems: ['unknown-revision', 'render-refused', 'storage-failed'],
    http: {
      method: 'POST',
      path: '/config/v2/cfgdb/revisions/:id/restore',
      answer: done('The database is restored, on disk.'),
    },
  }),
};

export const executableOperations = {
  getExecutable: declare({
    tag: ofModules,
    summary: 'The executable of a function module',
    effect: reads,
    audited: false,
    input: name,
    problems: ['unknown-object', 'no-executable', 'executable-damaged', 'storage-failed'],
    http: {
      method: 'GET',
      path: '/config/v2/function-modules/:name/executable',
      names: 'the function module',
      answer: { status: 200, description: 'Its bytes.', type: bytesType },
    },
  }),
  putExecutable: declare({
    tag: ofModules,
    summary: 'Replace the executable of a function module, which is started again with it where it runs',
    effect: configures,
    audited: true,
    input: name,
    problems: ['invalid-name', 'invalid-body', 'unknown-object', 'uploads-disabled', 'overloaded', 'storage-failed'],
    http: {
      method: 'PUT',
      path: '/config/v2/function-modules/:name/executable',
      names: 'the function module',
      body: { types: [bytesType], limit: 'max-executable-size' },
      answer: done('It is on disk, and can be run.'),
    },
  }),
  deleteExecutable: declare({
    tag: ofModules,
    summary: 'Delete the executable of a function module',
    effect: configures,
    audited: true,
    input: name,
    problems: ['invalid-name', 'executable-locked', 'unknown-object', 'no-executable', 'storage-failed'],
    http: {
      method: 'DELETE',
      path: '/config/v2/function-modules/:name/executable',
      names: 'the function module',
      answer: done('It is gone.'),
    },
  }),
  statExecutable: declare({
    tag: ofModules,
    summary: 'Mode, owner, size and times of the executable',
    effect: reads,
    audited: false,
    input: name,
    problems: ['unknown-object', 'no-executable', 'executable-damaged', 'storage-failed'],
    http: {
      method: 'GET',
      path: '/config/v2/function-modules/:name/executable-stat',
      names: 'the function module',
      answer: json('The stat.', ExecutableStat),
    },
  }),
};
