#!/usr/bin/env node
// The command of people at a terminal: what runs is `src/main.ts`.
import { requireNode } from '@telltale/launcher/require-node';

requireNode();
const { launch, programs } = await import('@telltale/launcher');
await launch(programs.telltale);
