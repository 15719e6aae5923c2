#!/usr/bin/env node
// The command of the server: what runs is `src/main.ts`.
import { launch, programs } from '@telltale/launcher';

await launch(programs.server);
