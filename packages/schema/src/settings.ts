// The settings of the running service, as whoever may read its configuration sees them.
import Type, { type Static } from 'typebox';
import { strict } from './closed.ts';

export const settingSources = ['default', 'enrolment', 'environment', 'command-line'] as const;
export type SettingSource = (typeof settingSources)[number];

export const SettingInEffect = Type.Object(
  {
    value: Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], {
      description: 'In effect; null where it is not set: the description says what that means.',
    }),
    source: Type.Enum([...settingSources], { type: 'string', description: 'Where it comes from.' }),
    variable: Type.String({ description: 'Of the environment, that sets it.', examples: ['TELLTALE_PORT'] }),
    description: Type.String(),
  },
  strict('SettingInEffect'),
);
export type SettingInEffect = Static<typeof SettingInEffect>;
