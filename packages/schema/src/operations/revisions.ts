// Operations on the edits of the configuration and on its revisions: comparing them, going back, and who changed what.
import Type from 'typebox';
import { familyNames } from '../families.ts';
import { Blame, Comparison, ConfigurationWord, Difference, Revision, Revisions } from '../revision.ts';
import { Identifier, NameOrPattern } from '../wire-schemas.ts';
import { flag, ofRendering, rendering } from './inputs.ts';
import { changes, declare, done, json, reads } from './operation.ts';

const database = { tag: 'Configuration: database', resource: 'configuration' } as const;
const revision = { id: Type.Integer({ minimum: 1 }) };
const family = Type.Enum(familyNames, { type: 'string', description: 'Only objects of this family.' });

export const revisionOperations = {
  getDifference: declare({
    ...reads(database, 'read-config'),
    summary: 'Compare the database with the running configuration: each changed field, with time and author',
    input: {},
    problems: [],
    http: { method: 'GET', path: '/config/v2/cfgdb/diff', answer: json('The differences.', Difference) },
  }),
  compareConfigurations: declare({
    ...reads(database, 'read-config'),
    summary: 'Compare two configurations: revisions, what runs, or the database',
    input: {
      from: Type.Optional({ ...ConfigurationWord, default: 'rendered' }),
      to: Type.Optional({ ...ConfigurationWord, default: 'edited' }),
    },
    problems: ['unknown-revision', 'storage-failed'],
    http: { method: 'GET', path: '/config/v2/cfgdb/compare', answer: json('The differences.', Comparison) },
  }),
  discardEdits: declare({
    ...changes(database, 'configure', 'configure'),
    summary: 'Discard edits: the database is what runs again, as a whole, for a family, or for the named objects',
    input: {
      family: Type.Optional(family),
      name: Type.Optional(NameOrPattern),
      'dry-run': flag('Change nothing, and list what would be discarded.'),
    },
    problems: ['unknown-object', 'storage-failed'],
    http: {
      method: 'POST',
      path: '/config/v2/cfgdb/discard',
      answer: json('The edits that are discarded, on disk.', Difference),
    },
  }),
  blameObject: declare({
    ...reads(database, 'read-config'),
    summary:
      'Get who changed each field of an object last, when, and in which revision, as far as revisions are stored',
    input: { family: Type.Enum(familyNames, { type: 'string' }), name: Identifier },
    problems: ['unknown-object'],
    http: { method: 'GET', path: '/config/v2/cfgdb/blame', answer: json('Its fields.', Blame) },
  }),
  listRevisions: declare({
    ...reads(database, 'read-config'),
    summary: 'List the stored revisions, newest first',
    input: {},
    problems: [],
    http: { method: 'GET', path: '/config/v2/cfgdb/revisions', answer: json('The revisions.', Revisions) },
  }),
  getRevision: declare({
    ...reads(database, 'read-config'),
    summary: 'Get one revision: its changes since the revision before, and its whole configuration if requested',
    input: { ...revision, configuration: flag('Include the whole configuration.') },
    problems: ['unknown-revision'],
    http: { method: 'GET', path: '/config/v2/cfgdb/revisions/:id', answer: json('The revision.', Revision) },
  }),
  restoreRevision: declare({
    ...changes(database, 'configure', 'configure'),
    summary: 'Restore the database, or one object of it, from a revision',
    input: {
      ...revision,
      family: Type.Optional(family),
      name: Type.Optional({
        ...Identifier,
        description: 'Only this object, under the name that it has in the revision.',
      }),
      ...rendering,
    },
    problems: ['unknown-revision', 'unknown-object', ...ofRendering, 'storage-failed'],
    http: {
      method: 'POST',
      path: '/config/v2/cfgdb/revisions/:id/restore',
      answer: done('The database is restored, on disk.'),
    },
  }),
};
