// The configuration's own thread: its disk writes, its large bodies and its renderings never hold up live values.
// One change at a time, in the order of asking; reads go on while an upload is being read, or a copy written.
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { ProblemError, systemClock } from '@telltale/schema';
import { UnusableDatabase } from '../sqlite/index.ts';
import type { StackRules } from './check.ts';
import { Configuration, DiskRefused } from './configuration.ts';
import { Database } from './database.ts';
import {
  type Answer,
  changes,
  type Figures,
  type Opened,
  type Operations,
  ownBuffers,
  type Request,
  type Start,
} from './protocol.ts';
import { readUpload } from './read-upload.ts';
import { incomingPath, removeDatabase } from './replace-database.ts';

async function loadStacks({ stackModules }: Start): Promise<StackRules[]> {
  return Promise.all(stackModules.map(async (url) => ((await import(url)) as { default: StackRules }).default));
}

function operationsOn(configuration: Configuration): Operations & Configuration {
  return Object.assign(configuration, {
    async upload(path: string, options: { render: boolean }, author: string) {
      configuration.replace(await readUpload(path), options, author);
    },
    async writeCopy(path: string) {
      for (const _ of configuration.copying(path)) await nextTurn();
    },
  });
}

async function carryOut(operations: Operations & Configuration, { id, method, args }: Request): Promise<Answer> {
  try {
    const operation = operations[method] as (...args: unknown[]) => unknown;
    const result = await operation.apply(operations, [...args]);
    return { id, result, rendering: operations.takeRendering(), figures: figuresOf(operations) };
  } catch (error) {
    if (error instanceof ProblemError) {
      const diskReason = error instanceof DiskRefused ? error.reason : undefined;
      return { id, problem: error.problem, detail: error.message, errors: error.errors, diskReason };
    }
    return { id, failure: (error as Error).stack ?? String(error) };
  }
}

function figuresOf(configuration: Configuration): Figures {
  return { objects: configuration.counts(), upToDate: configuration.upToDate() };
}

async function main(): Promise<void> {
  if (parentPort === null) throw new Error('worker.ts runs as a worker thread');
  const port = parentPort;
  const say = (message: Answer | Opened) => port.postMessage(message, ownBuffers(Object.values(message)));
  const [start] = (await once(port, 'message')) as [Start];
  const { path } = start;
  let database: Database;
  try {
    removeDatabase(incomingPath(path));
    database = new Database(path, (rendering) => say({ rendering }));
  } catch (error) {
    if (!(error instanceof UnusableDatabase)) throw error;
    return say({ opened: false, unusable: error.message });
  }
  const stacks = await loadStacks(start); // while what was rendered begins to run
  const operations = operationsOn(new Configuration({ path, stacks, now: systemClock.now, database }));
  let lastChange: Promise<unknown> = Promise.resolve();
  port.on('message', (request: Request) => {
    // A copy is of one moment: what changes waits for it.
    const isInOrder = changes.has(request.method) || request.method === 'writeCopy';
    const answer = isInOrder ? lastChange.then(() => carryOut(operations, request)) : carryOut(operations, request);
    if (isInOrder) lastChange = answer;
    answer.then((message) => {
      say(message);
      if (request.method === 'close') port.close();
    });
  });
  say({ opened: true, figures: figuresOf(operations), missing: operations.missing() });
}

await main();
