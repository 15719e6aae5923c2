// Starts the thread that reads the archive. Queries go to it by way of the thread that writes, which knows what there is to read.
import { MessageChannel } from 'node:worker_threads';
import { type Link, startThread, threadPort, WorkerLink } from '../threads/index.ts';
import type { ReaderClient, ReaderThread, WriterThread } from './protocol.ts';
import type { QueryThread, QueryThreadEvents } from './running-queries.ts';

export function startReader(writer: Link<WriterThread> | undefined, events: QueryThreadEvents): QueryThread {
  const started = startThread(new URL('./reader-thread.ts', import.meta.url), 'archive reader');
  const thread = new WorkerLink<ReaderThread, ReaderClient>(threadPort(started), events);
  const { port1, port2 } = new MessageChannel();
  writer?.notify('reader', [port1], [port1]);
  thread.notify('open', [port2], [port2]);
  return {
    read: (begin) => void writer?.notify('read', [begin], [...begin.buffers]),
    cancel: (id) => void writer?.notify('cancel', [id]),
    credit: (id, pages, buffer) =>
      void thread.notify('credit', [id, pages, buffer], buffer === undefined ? [] : [buffer]),
    kill: () => thread.kill(),
  };
}
