// The configuration as a whole: the database file, transactions, rendering, revisions.
import { Difference, RenderStatus, Revision, Revisions, Transaction } from '@telltale/schema';
import Type from 'typebox';
import type { ConfigurationDatabase } from '../../cfgdb/index.ts';
import { jsonBody } from '../read-request.ts';
import { jsonType, ofJsonBodies, type Route, type RouteBody } from '../route.ts';

export const sqliteType = 'application/x-sqlite3';

const flags = <Name extends string>(descriptions: Record<Name, string>) =>
  Type.Object(
    Object.fromEntries(
      Object.entries<string>(descriptions).map(([name, description]) => [
        name,
        Type.Optional(Type.Boolean({ description })),
      ]),
    ),
    { additionalProperties: false },
  );

const renderFlag = 'Render on success; if rendering fails, nothing is changed.';

/** What was acknowledged and was not found when the service started, whichever part it is of. */
export interface Losses {
  missing(): readonly string[];
  acknowledge(): Promise<void>;
}

export interface DatabaseRoutesOptions {
  readonly base: string;
  readonly cfgdb: ConfigurationDatabase;
  readonly losses: Losses;
  readonly maxJsonBytes: number;
  readonly maxDatabaseBytes: number;
}

export function databaseRoutes(options: DatabaseRoutesOptions): Route[] {
  const { base, cfgdb, losses, maxJsonBytes, maxDatabaseBytes } = options;
  const path = `${base}/cfgdb`;
  const tag = 'Configuration: database';
  const upload: RouteBody = {
    types: [sqliteType, 'application/octet-stream'],
    maxBytes: maxDatabaseBytes,
    setting: '--max-database-size',
  };
  return [
    {
      method: 'GET',
      path: `${path}/database`,
      id: 'downloadDatabase',
      tag,
      summary: 'Download the configuration as an SQLite file: a consistent copy, taken while writes go on',
      answer: { status: 200, description: 'The file.', type: sqliteType },
      problems: ['overloaded', 'storage-failed'],
      handle: async () => ({ ...(await cfgdb.download()), filename: 'configuration.sqlite' }),
    },
    {
      method: 'POST',
      path: `${path}/database`,
      id: 'uploadDatabase',
      tag,
      summary: 'Replace the whole configuration by the rows of an SQLite file',
      query: flags({ render: renderFlag }),
      body: upload,
      answer: { status: 204, description: 'It is replaced, on disk.' },
      problems: ['upload-refused', 'render-refused', 'storage-failed'],
      handle: ({ stream, query, caller }) => cfgdb.upload(stream, { render: query.render === true }, caller.author),
    },
    {
      method: 'POST',
      path: `${path}/txn`,
      id: 'runTransaction',
      tag,
      summary: 'Carry out several operations, all or none',
      query: flags({
        commit: '0 carries everything out and rolls it back: 204 says that it would work.',
        render: renderFlag,
      }),
      body: jsonBody(Transaction, maxJsonBytes),
      answer: { status: 204, description: 'All operations are on disk.' },
      problems: [
        ...ofJsonBodies,
        'invalid-body',
        'too-many-operations',
        'object-too-large',
        'operation-failed',
        'render-refused',
        'storage-failed',
      ],
      handle: ({ json, query, caller }) =>
        cfgdb.call(
          'transaction',
          json,
          { commit: query.commit !== false, render: query.render === true },
          caller.author,
        ),
    },
    {
      method: 'GET',
      path: `${path}/render`,
      id: 'getRenderStatus',
      tag,
      summary: 'Whether what runs equals the database, by content',
      answer: { status: 200, description: 'The status.', type: jsonType, schema: RenderStatus },
      problems: [],
      handle: async () => {
        const missing = losses.missing();
        return { up_to_date: await cfgdb.call('upToDate'), ...(missing.length > 0 && { missing }) };
      },
    },
    {
      method: 'POST',
      path: `${path}/missing/acknowledge`,
      id: 'acknowledgeMissing',
      tag,
      summary: 'Say that what is missing is known: the status and /readyz tell of it no more',
      answer: { status: 204, description: 'It is told no more.' },
      problems: ['storage-failed'],
      handle: () => losses.acknowledge(),
    },
    {
      method: 'POST',
      path: `${path}/render`,
      id: 'render',
      tag,
      summary: 'Check the configuration as a whole and run it',
      query: flags({ force: 'Render even when the configuration is up to date.' }),
      answer: { status: 204, description: 'It runs.' },
      problems: ['render-refused', 'storage-failed'],
      handle: ({ query, caller }) => cfgdb.call('render', { force: query.force === true }, caller.author),
    },
    {
      method: 'GET',
      path: `${path}/diff`,
      id: 'getDifference',
      tag,
      summary: 'The database against what runs, by object and field, with time and author of each change',
      answer: { status: 200, description: 'The differences.', type: jsonType, schema: Difference },
      problems: [],
      handle: () => cfgdb.call('diff'),
    },
    {
      method: 'GET',
      path: `${path}/revisions`,
      id: 'listRevisions',
      tag,
      summary: 'The renderings that are kept, the newest first',
      answer: { status: 200, description: 'The revisions.', type: jsonType, schema: Revisions },
      problems: [],
      handle: () => cfgdb.call('revisions'),
    },
    {
      method: 'GET',
      path: `${path}/revisions/:id`,
      id: 'getRevision',
      tag,
      summary: 'One rendering: its changes against the one before, and its whole configuration if asked for',
      query: flags({ configuration: 'Include the whole configuration.' }),
      answer: { status: 200, description: 'The revision.', type: jsonType, schema: Revision },
      problems: ['unknown-revision'],
      handle: ({ id, query }) => cfgdb.call('revision', id, { configuration: query.configuration === true }),
    },
    {
      method: 'POST',
      path: `${path}/revisions/:id/restore`,
      id: 'restoreRevision',
      tag,
      summary: 'Make the database what the revision was',
      query: flags({ render: renderFlag }),
      answer: { status: 204, description: 'The database is restored, on disk.' },
      problems: ['unknown-revision', 'render-refused', 'storage-failed'],
      handle: ({ id, query, caller }) => cfgdb.call('restore', id, { render: query.render === true }, caller.author),
    },
  ];
}
