// The variables that every connector and provider has, whatever its stack: what the host itself does with them.
import Type, { type Static } from 'typebox';

export const hostVariables = Type.Object({
  reconnectMaxMs: Type.Integer({
    title: 'Longest pause between two tries to connect, in milliseconds',
    description:
      'The pause grows from 0.5 s to this; up to a half of it is left out by chance, so that not all come back at once. A peer ' +
      'that asks to be left alone, such as after a refused login, is left alone for longer.',
    default: 5000,
    unit: 'ms',
    minimum: 500,
    maximum: 600_000,
  }),
});

export type HostVariables = Static<typeof hostVariables>;

export const defaultReconnectMaxMs = 5000;
