// A stack whose running code cannot be loaded.
import { defineStack, Type } from '@telltale/stack-kit';

const syntax = { regex: '^x$', doc: 'x', examples: [{ address: 'x', meaning: 'x' }] };

export default defineStack({
  name: 'unloadable',
  title: 'Unloadable',
  description: 'For tests.',
  connector: {
    variables: Type.Object({ host: Type.String({ title: 'Host' }) }),
    measurement: syntax,
    command: undefined,
    load: () => Promise.reject(new Error('a library is missing')),
  },
});
