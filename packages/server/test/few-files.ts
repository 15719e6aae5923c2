// Run as a process with few file descriptors: takes all of them, asks for what needs a thread, gives them back and asks again.
// Prints what came of each.
import { closeSync, openSync } from 'node:fs';
import { Readable } from 'node:stream';
import { ProblemError, systemClock } from '@telltale/schema';
import { Imports } from '../src/operations/archive/imports.ts';
import { plainArchive } from './plain-archive.ts';

await using cleanup = new AsyncDisposableStack();
const archive = plainArchive(cleanup, systemClock, () => undefined);
const imports = new Imports({ clock: systemClock, take: () => Promise.resolve() });
cleanup.defer(() => imports.close());

function takeAllFiles(): number[] {
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  } catch {
    return taken;
  }
}

const interval = { sinceUs: 1_750_000_000_000_000, untilUs: 1_750_000_100_000_000 };
const read = () =>
  archive.read({ kind: 'measurements', names: ['level'], known: ['level'], ...interval, form: 'json' });
const importOne = () =>
  imports.import({
    key: { kind: 'measurements', name: 'level', datatype: 'd' },
    type: 'text/csv',
    body: Readable.from([Buffer.from('time,value\n1750000000,1\n')]),
  });

async function outcomeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return 'done';
  } catch (error) {
    return error instanceof ProblemError ? error.problem : `${error}`;
  }
}

await archive.open();
const outcomes: string[] = [];
for (const work of [read, importOne]) {
  const taken = takeAllFiles();
  outcomes.push(await outcomeOf(work), await outcomeOf(work));
  for (const file of taken) closeSync(file);
  outcomes.push(await outcomeOf(work), await outcomeOf(work));
}
process.stdout.write(outcomes.join(' '));
