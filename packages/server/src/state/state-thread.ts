// The thread that keeps the live state: its disk writes never hold up live values. One transaction a request.
import { parentPort } from 'node:worker_threads';
import { UnusableDatabase } from '../sqlite/index.ts';
import type { Answer, Entry, Opened, Request } from './protocol.ts';
import { StateDatabase } from './state-database.ts';

function main(): void {
  if (parentPort === null) throw new Error('state-thread.ts runs as a worker thread');
  const port = parentPort;
  let database: StateDatabase | undefined;
  port.on('message', (request: Request) => {
    if ('open' in request) {
      const [opened, answer] = open(request.open);
      database = opened;
      port.postMessage(answer);
    } else if ('close' in request) {
      database?.close();
      port.close();
    } else if ('acknowledge' in request) database?.acknowledge();
    else if (database !== undefined) port.postMessage(keep(database, request.entries));
  });
}

function open(path: string): [StateDatabase | undefined, Opened] {
  try {
    const database = new StateDatabase(path);
    return [database, { entries: database.entries, missing: database.missing }];
  } catch (error) {
    if (!(error instanceof UnusableDatabase)) throw error;
    return [undefined, { unusable: error.message }];
  }
}

function keep(database: StateDatabase, entries: readonly Entry[]): Answer {
  try {
    database.keep(entries);
    return { kept: true };
  } catch (error) {
    return { kept: false, reason: (error as Error).message };
  }
}

main();
