// Operations on typicals: objects made of a type and its instances, and what was made so.
import { jsonType } from '../media-types.ts';
import { GenerateRequest, GenerateResult, Typicals } from '../typical.ts';
import { flag, ofRendering, rendering } from './inputs.ts';
import { changes, declare, json, ofJsonBodies, reads } from './operation.ts';

const subject = { tag: 'Configuration: typicals', resource: 'configuration' } as const;

export const typicalOperations = {
  listTypicals: declare({
    ...reads(subject, 'read-config'),
    summary: 'List what was generated: types, their instances, and the objects of each',
    input: {},
    problems: [],
    http: { method: 'GET', path: '/config/v2/typicals', answer: json('From type to instance to objects.', Typicals) },
  }),
  generateTypical: declare({
    ...changes(subject, 'configure', 'configure'),
    summary:
      'Make or update the objects of a type for each of its instances, all or none; what people changed since stays',
    input: {
      'dry-run': flag('Change nothing, and list what would change.'),
      ...rendering,
      'delete-missing': flag('Delete objects that were made by this type, and are not any more.'),
      overwrite: flag('Make objects what the type says, also those that people changed, deleted or made.'),
    },
    problems: [
      ...ofJsonBodies,
      'invalid-body',
      'invalid-typical',
      'malformed-csv',
      'malformed-xlsx',
      'table-too-large',
      'name-taken',
      'operation-failed',
      ...ofRendering,
      'storage-failed',
    ],
    http: {
      method: 'POST',
      path: '/config/v2/typicals/generate',
      body: { types: [jsonType], schema: GenerateRequest, limit: 'max-json-size' },
      answer: json('What has changed, on disk, and what people changed since.', GenerateResult),
    },
  }),
};
