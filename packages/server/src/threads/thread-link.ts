// The link of a thread to the one that has started it, from inside.
import { type MessagePort, parentPort, type Worker } from 'node:worker_threads';
import { type Handlers, Link, type Port } from './link.ts';

/** Throws outside of a worker thread. */
export function parentLink<Remote extends object, Local extends object>(
  handlers: Handlers<Local>,
): Link<Remote, Local> {
  if (parentPort === null) throw new Error('this runs as a worker thread');
  return new Link(messagePort(parentPort), handlers);
}

export function messagePort(port: MessagePort | Worker): Port {
  return {
    post: (message, transfer) => port.postMessage(message, transfer),
    onMessage: (receive) => void port.on('message', receive),
  };
}
