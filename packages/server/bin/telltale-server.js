#!/usr/bin/env node
// The command of the server: what runs is `src/main.ts`.
import { launch } from '@telltale/launcher';

await launch({
  name: 'server',
  source: 'packages/server/src/main.ts',
  parts: ['packages/schema', 'packages/stack-kit', 'packages/server', 'stacks/*'],
});
