#!/usr/bin/env node
// The command of the server: what runs is `src/main.ts`.
import { requireNode } from '@telltale/launcher/require-node';

requireNode();
const { launch, programs } = await import('@telltale/launcher');
await launch(programs.server);
