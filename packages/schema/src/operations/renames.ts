// Operations that give a configured object another name, and keep its history.
import Type, { type Static } from 'typebox';
import { Identifier } from '../wire-schemas.ts';
import { flag, name, ofRendering, rendering } from './inputs.ts';
import { changes, declare, json } from './operation.ts';

/** What became of a rename. */
export const Renamed = Type.Object(
  {
    referrers: Type.Array(Type.Object({ family: Type.String(), name: Identifier }, { additionalProperties: false }), {
      description: 'What refers to the object, and now does so by its new name.',
    }),
  },
  { title: 'Renamed', additionalProperties: false },
);

export type Renamed = Static<typeof Renamed>;

const rename = (path: string, one: string) =>
  declare({
    ...changes({ tag: `Configuration: ${one}s`, resource: 'configuration' } as const, 'configure', 'configure'),
    summary: `Give the ${one} another name; with the next rendering its history and state go on under it`,
    input: {
      ...name,
      to: Identifier,
      'dry-run': flag('Change nothing, and list what refers to the object.'),
      ...rendering,
    },
    problems: [
      'invalid-name',
      'reserved-name',
      'unknown-object',
      'name-taken',
      'object-too-large',
      ...ofRendering,
      'storage-failed',
    ],
    http: { method: 'POST', path, names: `the ${one}`, answer: json('It has the new name, on disk.', Renamed) },
  });

export const renameOperations = {
  renameMeasurement: rename('/config/v2/measurements/:name/rename', 'measurement'),
  renameCommand: rename('/config/v2/commands/:name/rename', 'command'),
  renameAlarm: rename('/config/v2/alarms/:name/rename', 'alarm'),
};
