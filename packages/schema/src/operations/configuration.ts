// Operations on the configuration as a whole: the stacks that it can use, the database file, transactions, rendering; and the
// executables of function modules. Revisions are in `revisions.ts`.
import { Collection, ExecutableStat, RenderStatus } from '../configuration.ts';
import { FamilySchemas } from '../field-hints.ts';
import { bytesType, jsonType, sqliteType } from '../media-types.ts';
import { Stack } from '../stack-description.ts';
import { Transaction } from '../transaction.ts';
import { flag, listNamesOf, name, names, ofRendering, rendering } from './inputs.ts';
import { changes, declare, done, json, ofJsonBodies, reads } from './operation.ts';

const stacks = { tag: 'Configuration: stacks', resource: 'configuration' } as const;
const database = { tag: 'Configuration: database', resource: 'configuration' } as const;
const executables = { tag: 'Configuration: function modules', resource: 'configuration' } as const;

const listStacks = (path: string, summary: string) =>
  declare({
    ...reads(stacks, 'read-config'),
    summary,
    input: names,
    problems: [],
    http: { method: 'GET', path, answer: json('From name to stack.', Collection(Stack)) },
  });

const getStack = (path: string) =>
  declare({
    ...reads(stacks, 'read-config'),
    summary: 'Get one stack: its settings, address syntax and examples',
    input: name,
    problems: ['unknown-stack'],
    http: { method: 'GET', path, names: 'the stack', answer: json('The stack.', Stack) },
  });

export const stackOperations = {
  listNamesOfConnectorStacks: listNamesOf(
    stacks,
    'read-config',
    '/config/v2/stacks/connector/names',
    'the connector stacks',
  ),
  listConnectorStacks: listStacks('/config/v2/stacks/connector', 'List all connector stacks, or the named ones'),
  getConnectorStack: getStack('/config/v2/stacks/connector/:name'),
  listNamesOfProviderStacks: listNamesOf(
    stacks,
    'read-config',
    '/config/v2/stacks/provider/names',
    'the provider stacks',
  ),
  listProviderStacks: listStacks('/config/v2/stacks/provider', 'List all provider stacks, or the named ones'),
  getProviderStack: getStack('/config/v2/stacks/provider/:name'),
};

export const schemaOperations = {
  getFamilySchemas: declare({
    ...reads({ tag: 'Configuration: database', resource: 'configuration' }, 'signed-in'),
    summary: 'Get the schemas of configured objects for forms: titles, help, groups, units, and what each field names',
    input: {},
    problems: [],
    http: {
      method: 'GET',
      path: '/config/v2/schemas',
      answer: { ...json('By family.', FamilySchemas), isVersioned: true },
    },
  }),
};

export const databaseOperations = {
  downloadDatabase: declare({
    ...reads(database, 'read-config'),
    audited: true,
    summary: 'Download the configuration database as an SQLite file: a consistent copy',
    input: {},
    problems: ['overloaded', 'storage-failed'],
    http: {
      method: 'GET',
      path: '/config/v2/cfgdb/database',
      answer: { status: 200, description: 'The file.', type: sqliteType },
    },
  }),
  uploadDatabase: declare({
    ...changes(database, 'configure', 'configure'),
    summary: 'Replace the whole configuration with the rows of an SQLite file',
    input: rendering,
    problems: ['upload-refused', ...ofRendering, 'storage-failed'],
    http: {
      method: 'POST',
      path: '/config/v2/cfgdb/database',
      body: { types: [sqliteType, bytesType], limit: 'max-database-size' },
      answer: done('It is replaced, on disk.'),
    },
  }),
  runTransaction: declare({
    ...changes(database, 'configure', 'configure'),
    summary: 'Run a transaction: several changes of the configuration, all or none',
    input: {
      commit: flag('0 carries everything out and rolls it back: 204 says that it would work.'),
      ...rendering,
    },
    problems: [
      ...ofJsonBodies,
      'invalid-body',
      'too-many-operations',
      'object-too-large',
      'operation-failed',
      ...ofRendering,
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
    ...reads(database, 'read-config'),
    summary: 'Get whether the running configuration equals the database',
    input: {},
    problems: [],
    http: { method: 'GET', path: '/config/v2/cfgdb/render', answer: json('The status.', RenderStatus) },
  }),
  acknowledgeMissing: declare({
    ...changes(database, 'acknowledge', 'configure'),
    summary: 'Acknowledge missing data: the render status and /readyz no longer report it',
    input: {},
    problems: ['storage-failed'],
    http: { method: 'POST', path: '/config/v2/cfgdb/missing/acknowledge', answer: done('It is no longer reported.') },
  }),
  render: declare({
    ...changes(database, 'configure', 'render'),
    summary: 'Render: validate the whole configuration and run it',
    input: {
      force: flag('Render even when the configuration is up to date.'),
      comment: rendering.comment,
    },
    problems: [...ofRendering, 'storage-failed'],
    http: { method: 'POST', path: '/config/v2/cfgdb/render', answer: done('It runs.') },
  }),
};

export const executableOperations = {
  getExecutable: declare({
    ...reads(executables, 'read-config'),
    audited: true,
    summary: 'Download the executable of a function module',
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
    ...changes(executables, 'configure', 'install-code'),
    summary: 'Upload the executable of a function module; a running module is restarted with it',
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
    ...changes(executables, 'configure', 'install-code'),
    summary: 'Delete the executable of a function module',
    input: name,
    problems: ['invalid-name', 'executable-locked', 'unknown-object', 'no-executable', 'storage-failed'],
    http: {
      method: 'DELETE',
      path: '/config/v2/function-modules/:name/executable',
      names: 'the function module',
      answer: done('It is deleted.'),
    },
  }),
  statExecutable: declare({
    ...reads(executables, 'read-config'),
    summary: 'Get mode, owner, size and times of the executable of a function module',
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
