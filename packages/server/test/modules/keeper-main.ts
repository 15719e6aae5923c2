// A server that does nothing but keep function modules, to be killed by tests: starts what its argument says, and prints
// a line when all have started.
import { join } from 'node:path';
import { systemClock } from '@telltale/schema';
import { pino } from 'pino';
import type { Launch } from '../../src/modules/keeper/keeper-protocol.ts';
import { ModuleKeeper } from '../../src/modules/keeper/module-keeper.ts';

const { folder, folderId, launches } = JSON.parse(process.argv[2] ?? '') as {
  folder: string;
  folderId: string;
  launches: Launch[];
};
const pids: number[] = [];
const keeper: ModuleKeeper = new ModuleKeeper({
  folder: join(folder, 'modules'),
  folderId,
  clock: systemClock,
  log: pino({ base: null }, process.stderr),
  events: {
    onStarted(_run, pid) {
      pids.push(pid);
      if (pids.length === launches.length) process.stdout.write(`${JSON.stringify({ keeper: keeper.pid, pids })}\n`);
    },
    onEnded: (run, end) => process.stderr.write(`run ${run} ended: ${JSON.stringify(end)}\n`),
    onUsage: () => {},
    onLines: () => {},
  },
});
keeper.open();
for (const launch of launches) keeper.start(launch);
