// Sends an answer page by page, as fast as the client takes it. A client that goes away ends the pages; pages that fail
// end the connection, so that no incomplete answer looks complete.
import type { ServerResponse } from 'node:http';
import type { PagesReply } from '../operations/index.ts';
import { reset } from './socket-internals.ts';

/** The headers are written. Resolves when all is sent or the client is gone; never rejects. */
export async function sendPages(
  response: ServerResponse,
  { pages, cancel }: PagesReply,
  onBroken: (error: Error) => void,
): Promise<void> {
  if (response.req.method === 'HEAD') {
    cancel();
    response.end();
    return;
  }
  let isClosed = response.destroyed;
  let resume: () => void = () => undefined;
  response.once('close', () => {
    isClosed = true;
    cancel();
    resume();
  });
  if (isClosed) cancel();
  try {
    for await (const page of pages) {
      if (isClosed) return;
      // Until the system has it, the page is in use.
      await new Promise<void>((resolve) => {
        resume = resolve;
        response.write(page, (error) => {
          isClosed ||= error != null;
          resolve();
        });
      });
      if (isClosed) return;
    }
    response.end();
  } catch (error) {
    if (!isClosed) onBroken(error as Error);
    // With a reset, for a client of HTTP/1.0 would take the end of the connection for that of the answer.
    if (response.socket !== null) reset(response.socket);
  }
}
