// The declaration of the simulator stack: a simulated device.
import { defineStack, Type } from '@telltale/stack-kit';
import { bus, connectorRole } from './connector-role.ts';
import { tagPattern } from './functions.ts';

export default defineStack({
  name: 'simulator',
  title: 'Simulator',
  description:
    'A simulated device: values from functions of time and echoes of commands, with faults to inject. Its ' +
    'provider serves points on a bus in memory, from which a simulator connector reads them back: a loopback to try ' +
    'providers without a second machine.',
  connector: connectorRole(() => import('./connector.ts')),
  provider: {
    load: () => import('./provider.ts'),
    variables: Type.Object({
      bus,
      gatherMs: Type.Integer({
        title: 'Milliseconds for which changes are batched',
        unit: 'ms',
        description: 'Then the newest value of each point is put on the bus.',
        default: 100,
        minimum: 0,
        maximum: 60_000,
      }),
    }),
    measurement: {
      regex: tagPattern,
      doc: 'Letters, digits, `_` and dots, at most 64. A simulator connector reads it as the measurement `bus(…)`.',
      examples: [{ address: 'tank1.level', meaning: 'read by bus(tank1.level)' }],
    },
    command: {
      regex: tagPattern,
      doc: 'Letters, digits, `_` and dots, at most 64. A simulator connector writes it by the command `bus(…)`, and reads its value as the measurement `bus(…)`.',
      examples: [{ address: 'chlorine.setpoint', meaning: 'written by bus(chlorine.setpoint)' }],
    },
  },
});
