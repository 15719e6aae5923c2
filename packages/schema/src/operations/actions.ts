// Operations that tell what was done to one point or alarm.
import Type from 'typebox';
import { ObjectActions } from '../actions.ts';
import { name } from './inputs.ts';
import { alarms, commands, type LiveKind, measurements } from './live-kinds.ts';
import { declare, json, reads } from './operation.ts';

export const maxActions = 1000;

const Moment = (description: string) =>
  Type.Optional(Type.Number({ description: `${description}, in seconds since 1970; less than zero: back from now.` }));

const actionsOf = (kind: LiveKind, path: string) =>
  declare({
    ...reads(kind, 'view'),
    summary: `List who did what to one ${kind.one}, and what became of it, the newest first`,
    input: {
      ...name,
      since: Moment('From this time on; 30 days back where it is not given'),
      until: Moment('Before this time'),
      before: Type.Optional(Type.Integer({ minimum: 1, description: 'Go on where another answer ended: its next.' })),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: maxActions, description: 'At most so many; 100 where it is not given.' }),
      ),
    },
    problems: ['unknown-object'],
    http: { method: 'GET', path, names: `the ${kind.one}`, answer: json('The actions.', ObjectActions) },
  });

export const actionOperations = {
  listMeasurementActions: actionsOf(measurements, '/data/measurements/:name/actions'),
  listCommandActions: actionsOf(commands, '/data/commands/:name/actions'),
  listAlarmActions: actionsOf(alarms, '/data/alarms/:name/actions'),
};
