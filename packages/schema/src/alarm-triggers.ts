// What raises an alarm, as it runs: the measurement and the limit, for those who see the alarm and need not read the
// configuration.
import Type, { type Static } from 'typebox';
import { strict } from './closed.ts';
import { Severity } from './configuration.ts';
import { Identifier, PrefixedValue } from './wire-schemas.ts';

export const triggerOperators = ['lt', 'gt', 'le', 'ge', 'eq', 'ne'] as const;

const orNull = <const S extends Type.TSchema>(schema: S, description: string) =>
  Type.Union([schema, Type.Null()], { description });

export const AlarmTrigger = Type.Object(
  {
    name: Identifier,
    severity: Severity,
    measurement: orNull(
      Identifier,
      'That triggers the alarm, or that an alarm of a device is about; null: none, or one that is out of view.',
    ),
    operator: orNull(
      Type.Enum([...triggerOperators], { type: 'string' }),
      'How its value is compared; null where nothing is.',
    ),
    limit: orNull(PrefixedValue, 'What it is compared with; null where it is compared with nothing of its datatype.'),
    hysteresis: orNull(PrefixedValue, 'How far the value must come back before the alarm clears; null: not at all.'),
    'on-delay': Type.Integer({ minimum: 0, description: 'Milliseconds that it must hold before the alarm is raised.' }),
    'off-delay': Type.Integer({ minimum: 0, description: 'Milliseconds that it must not hold before it is cleared.' }),
  },
  strict('AlarmTrigger'),
);
export type AlarmTrigger = Static<typeof AlarmTrigger>;
