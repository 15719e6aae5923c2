// Several answers of the archive as one: each has the records of other names, in the same form.
import { endFrameBytes, isEndFrame } from '@telltale/schema/values';
import { chunksOf, type Download } from './transport.ts';

/** Requests each answer when the one before has ended. Throws what `cutOff` makes where one is cut off. */
export function joinDownloads(
  form: 'csv' | 'columns',
  first: Download,
  others: readonly (() => Promise<Download>)[],
  cutOff: () => Error,
): Download {
  async function* chunks() {
    if (form === 'csv') {
      yield* chunksOf(first);
      for (const open of others) yield* withoutHeader(chunksOf(await open()));
      return;
    }
    let present = first;
    for (const open of others) {
      yield* withoutEnd(chunksOf(present), cutOff);
      present = await open();
    }
    yield* chunksOf(present);
  }
  const all = chunks();
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await all.next();
      if (done) controller.close();
      else controller.enqueue(value as Uint8Array<ArrayBuffer>);
    },
    async cancel() {
      await all.return();
      await first.stream.cancel().catch(() => undefined); // where nothing was read of it yet
    },
  });
  return { stream, length: undefined };
}

async function* withoutHeader(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let isPassed = false;
  for await (const chunk of chunks) {
    const rest = isPassed ? chunk : chunk.subarray(chunk.indexOf(lineFeed) + 1);
    isPassed ||= chunk.includes(lineFeed);
    if (isPassed && rest.length > 0) yield rest;
  }
}

const lineFeed = 0x0a;

async function* withoutEnd(chunks: AsyncIterable<Uint8Array>, cutOff: () => Error): AsyncGenerator<Uint8Array, void> {
  let held = new Uint8Array();
  for await (const chunk of chunks) {
    const bytes = new Uint8Array(held.length + chunk.length);
    bytes.set(held);
    bytes.set(chunk, held.length);
    const end = Math.max(0, bytes.length - endFrameBytes);
    if (end > 0) yield bytes.subarray(0, end);
    held = bytes.subarray(end);
  }
  if (!isEndFrame(held)) throw cutOff();
}
