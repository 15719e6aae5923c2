// The configuration's own thread: its disk writes, its large bodies and its renderings never hold up live values.
// One change at a time, in the order of asking; reads go on while a body or an upload is being read, or a copy written.
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { ProblemError, systemClock } from '@telltale/schema';
import { UnusableDatabase } from '../sqlite/index.ts';
import { Agreement } from './agreement.ts';
import type { StackRules } from './check.ts';
import { Configuration, DiskRefused } from './configuration.ts';
import { Database } from './database.ts';
import {
  type Answer,
  changes,
  type Figures,
  type Method,
  type Opened,
  type Operations,
  ownBuffers,
  type Proposal,
  type Request,
  type Start,
} from './protocol.ts';
import { readTransaction } from './read-objects.ts';
import { readUpload } from './read-upload.ts';
import { incomingPath, removeDatabase } from './replace-database.ts';

/** Of a long body, so much is read before others have their turn. */
const turnMs = 5;

async function loadStacks({ stackModules }: Start): Promise<StackRules[]> {
  return Promise.all(stackModules.map(async (url) => ((await import(url)) as { default: StackRules }).default));
}

/** What takes several turns; all else the configuration does at once. */
type LongOperations = Pick<Operations, 'transaction' | 'upload' | 'writeCopy'>;

function longOperations(configuration: Configuration): LongOperations {
  return {
    async transaction(body, options, author) {
      configuration.transaction(await inTurns(readTransaction(body)), options, author);
    },
    async upload(path, options, author) {
      configuration.replace(await readUpload(path), options, author);
    },
    async writeCopy(path) {
      for (const _ of configuration.copying(path)) await nextTurn();
    },
  };
}

/** Takes the steps, some milliseconds of them in a turn: what is asked in between is answered. */
async function inTurns<T>(steps: Iterator<unknown, T>): Promise<T> {
  let endMs = performance.now() + turnMs;
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (performance.now() < endMs) continue;
    await nextTurn();
    endMs = performance.now() + turnMs;
  }
}

async function carryOut(
  configuration: Configuration,
  long: LongOperations,
  { id, method, args }: Request,
): Promise<Answer> {
  // Changes are carried out one at a time: what is newly rendered is theirs.
  const isRendered = () => changes.has(method) && configuration.takeRendered();
  try {
    const operation = (long[method as keyof LongOperations] ??
      configuration[method as Exclude<Method, keyof LongOperations>]) as (...args: unknown[]) => unknown;
    const result = await operation.apply(configuration, [...args]);
    return { id, isRendered: isRendered(), result, figures: figuresOf(configuration) };
  } catch (error) {
    if (error instanceof ProblemError) {
      const diskReason = error instanceof DiskRefused ? error.reason : undefined;
      return {
        id,
        isRendered: isRendered(),
        problem: error.problem,
        detail: error.message,
        errors: error.errors,
        diskReason,
      };
    }
    return { id, isRendered: isRendered(), failure: (error as Error).stack ?? String(error) };
  }
}

function figuresOf(configuration: Configuration): Figures {
  return { objects: configuration.counts(), upToDate: configuration.upToDate() };
}

async function main(): Promise<void> {
  if (parentPort === null) throw new Error('worker.ts runs as a worker thread');
  const port = parentPort;
  const say = (message: Answer | Opened | Proposal) => port.postMessage(message, ownBuffers(Object.values(message)));
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
  const agreement = new Agreement(start.agreement);
  const configuration = new Configuration({
    path,
    stacks,
    now: systemClock.now,
    database,
    propose: (proposed) => agreement.ask(() => say({ proposed })),
  });
  const long = longOperations(configuration);
  const take = (request: Request) => carryOut(configuration, long, request);
  let lastChange: Promise<unknown> = Promise.resolve();
  port.on('message', (request: Request) => {
    // A copy is of one moment: what changes waits for it.
    const isInOrder = changes.has(request.method) || request.method === 'writeCopy';
    const answer = isInOrder ? lastChange.then(() => take(request)) : take(request);
    if (isInOrder) lastChange = answer;
    answer.then((message) => {
      say(message);
      if (request.method === 'close') port.close();
    });
  });
  say({ opened: true, figures: figuresOf(configuration), missing: configuration.missing() });
}

await main();
