// What a centre asks a site for itself, in the name of somebody: something that changes nothing, and a short answer.
import { onAbort } from '@telltale/schema';
import type { Caller } from '../access/index.ts';
import type { Forwarder } from '../bus/index.ts';

/** Asked of many sites at once: who is slower is left out of the answer. */
const times = { beginMs: 3000, answerMs: 5000 } as const;
/** Until all of it is here. */
const wholeMs = 8000;
const mostBytes = 2 << 20;

/** For a site: who asks, and what they may do there. */
export function toldOf({ author, session, rights }: Caller, site: string) {
  return { author, ...(session !== undefined && { session }), granted: rights.at(site).granted };
}

/** The text of a good answer. Rejects with an `Error` whose message says why there is none. `signal`: nobody waits for it any more. */
export async function askSite(
  forwarder: Forwarder,
  site: string,
  path: string,
  caller: Caller,
  signal: AbortSignal,
): Promise<string> {
  const asked = { method: 'GET', path, headers: { accept: 'application/json' }, caller: toldOf(caller, site) };
  const { stream, answer } = forwarder.forward(site, asked, { isEnd: true, times });
  const ends = [
    onAbort(signal, () => stream.destroy(new Error('nobody waits for the answer'))),
    onAbort(AbortSignal.timeout(wholeMs), () =>
      stream.destroy(new Error(`the site has not answered whole within ${wholeMs / 1000} s`)),
    ),
  ];
  try {
    const { status } = await answer;
    if (status !== 200) throw new Error(`the site refuses it (${status})`);
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of stream as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > mostBytes) throw new Error('there is more of it than is read of a site: ask for less');
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString();
  } finally {
    for (const end of ends) end();
    stream.destroy();
  }
}
