// The programs of Telltale and its page, by what they are made of.

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
  page: {
    name: 'page',
    source: 'packages/web/src/main.tsx',
    parts: ['packages/schema', 'packages/client', 'packages/web'],
    documents: [],
    isPage: true,
  },
};
