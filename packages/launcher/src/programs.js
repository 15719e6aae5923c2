// The programs of Telltale, by what they are made of.

/** @import { Program } from './launch.js' */

/** @satisfies {Record<string, Program>} */
export const programs = {
  server: {
    name: 'server',
    source: 'packages/server/src/main.ts',
    parts: ['packages/schema', 'packages/stack-kit', 'packages/server', 'stacks/*'],
    documents: ['docs/{guides,generated}/*.md', 'stacks/*/README.md'],
  },
  telltale: {
    name: 'telltale',
    source: 'packages/cli/src/main.ts',
    parts: ['packages/schema', 'packages/client', 'packages/cli'],
    documents: [],
  },
};
