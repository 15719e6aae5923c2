// The thread that reads the archive: what there is to read is sent by the thread that writes, and read from block files.
import type { MessagePort } from 'node:worker_threads';
import { Link, messagePort, parentLink } from '../threads/index.ts';
import { OpenBlocks } from './open-blocks.ts';
import type { ReaderClient, ReaderForWriter, ReaderThread, WriterForReader } from './protocol.ts';
import { Reader } from './reader.ts';
import { openBlock } from './store/block-list.ts';

function readerOf(client: Link<ReaderClient>, port: MessagePort): Reader {
  const blocks = new OpenBlocks(openBlock);
  const writer: Link<WriterForReader> = new Link<WriterForReader, ReaderForWriter>(messagePort(port), {
    read: (begin, snapshots) => reader.begin(begin, snapshots),
    cancel: (id) => reader.end(id),
    release: (paths) => blocks.release(paths),
  });
  const reader: Reader = new Reader(client, {
    snapshots: (_, wanted) => writer.call('snapshots', [wanted]),
    need: (id, snapshots) => {
      const parts = snapshots.flatMap((snapshot) => snapshot?.series ?? []);
      blocks.need(
        id,
        parts.flatMap((part) => part.blocks.map(({ path }) => path)),
      );
    },
    blockOf: (_, path) => blocks.get(path),
    damaged: (damage) => void writer.notify('damage', [damage]),
  });
  return reader;
}

function main(): void {
  let reader: Reader | undefined;
  const client: Link<ReaderClient> = parentLink<ReaderClient, ReaderThread>({
    open: (writer) => {
      reader = readerOf(client, writer);
    },
    credit: (id, pages, buffer) => reader?.credit(id, pages, buffer),
  });
}

main();
