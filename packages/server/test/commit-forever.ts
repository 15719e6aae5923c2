// Commits to a database again and again, with a checkpoint every few commits, and prints each commit when it is
// acknowledged. Killed by whoever runs it: `node commit-forever.ts DATABASE`.
import { writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { openCounters } from './counters-database.ts';

const database = openCounters(process.argv[2] as string);
for (;;) {
  writeSync(1, `${database.count()}\n`);
  await setImmediate(); // where the checkpoints come in
}
