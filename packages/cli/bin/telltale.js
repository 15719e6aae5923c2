#!/usr/bin/env node
// The command of people at a terminal: what runs is `src/main.ts`.
import { launch, programs } from '@telltale/launcher';

await launch(programs.telltale);
