// The thread that keeps the live state: its disk writes never hold up live values. One transaction a request.
import { parentPort } from 'node:worker_threads';
import { UnusableDatabase } from '../sqlite/index.ts';
import type { Answer, Commit, Opened, Request } from './protocol.ts';
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
    } else if (database !== undefined) port.postMessage(commit(database, request));
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

function commit(database: StateDatabase, { entries, acknowledges }: Commit): Answer {
  try {
    if (acknowledges) database.acknowledge(); // first: where it fails, nothing was kept
    database.keep(entries);
    return { kept: true };
  } catch (error) {
    return { kept: false, reason: (error as Error).message };
  }
}

main();
