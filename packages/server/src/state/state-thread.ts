// The thread that keeps the live state: its disk writes never hold up live values. One transaction a request.
import { parentPort, workerData } from 'node:worker_threads';
import { UnusableDatabase } from '../sqlite/index.ts';
import type { Answer, Entry, Opened, Request, Start } from './protocol.ts';
import { StateDatabase } from './state-database.ts';

function main(): void {
  if (parentPort === null) throw new Error('state-thread.ts runs as a worker thread');
  const port = parentPort;
  const say = (message: Answer | Opened) => port.postMessage(message);
  let database: StateDatabase;
  try {
    database = new StateDatabase((workerData as Start).path);
  } catch (error) {
    if (!(error instanceof UnusableDatabase)) throw error;
    say({ unusable: error.message });
    return;
  }
  port.on('message', (request: Request) => {
    if ('close' in request) {
      database.close();
      port.close();
    } else say(keep(database, request.entries));
  });
  say({ entries: database.read() });
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
