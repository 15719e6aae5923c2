// The operation that copies configured objects.

import { CopyRequest, CopyResult } from '../copy.ts';
import { jsonType } from '../media-types.ts';
import { flag, ofRendering, rendering } from './inputs.ts';
import { changes, declare, json, ofJsonBodies } from './operation.ts';

export const copyOperations = {
  copyObjects: declare({
    ...changes({ tag: 'Configuration: database', resource: 'configuration' } as const, 'configure', 'configure'),
    summary:
      'Copy an object, or a connector with its points and their alarms, under new names and addresses, all or none',
    input: {
      ...CopyRequest.properties,
      'dry-run': flag('Change nothing, and list what would be made.'),
      ...rendering,
    },
    problems: [
      ...ofJsonBodies,
      'invalid-body',
      'unknown-object',
      'name-taken',
      'object-too-large',
      'too-many-operations',
      ...ofRendering,
      'storage-failed',
    ],
    http: {
      method: 'POST',
      path: '/config/v2/cfgdb/copy',
      body: { types: [jsonType], schema: CopyRequest, isInput: true, limit: 'max-json-size' },
      answer: json('What was made, on disk.', CopyResult),
    },
  }),
};
