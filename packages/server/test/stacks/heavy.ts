// A stack whose code takes its thread for itself while it is loaded, and never ends doing so.
import { parentPort } from 'node:worker_threads';
import { defineStack, Type } from '@telltale/stack-kit';

const syntax = { regex: '^x$', doc: 'x', examples: [{ address: 'x', meaning: 'x' }] };

export default defineStack({
  name: 'heavy',
  title: 'Heavy',
  description: 'For tests.',
  connector: {
    variables: Type.Object({}),
    measurement: syntax,
    command: undefined,
    load: () => {
      // The only way to be heard before it blocks.
      const args = ['connector', 'heavy', 'info', 'loading'];
      parentPort?.postMessage({ kind: 'call', id: 0, method: 'log', args });
      for (;;);
    },
  },
});
