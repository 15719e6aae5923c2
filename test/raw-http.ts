// HTTP as bytes on a socket, for requests that no decent client would send and for answers that come late.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { overTls } from './over-tls.ts';

/** A server that is silent for so long will not answer any more. */
const answerTimeoutMs = 20_000;

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A connection to the server at `url`, open. */
export async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const at = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
  const ca = overTls.pair?.certificate;
  const socket = ca === undefined ? connect(at) : connectTls({ ...at, ca, socket: connect(at) });
  socket.on('error', () => undefined); // a server that ends may reset what it does not read
  socket.setTimeout(answerTimeoutMs, () => socket.destroy());
  await once(socket, ca === undefined ? 'connect' : 'secureConnect');
  return socket;
}

/** Everything that comes until the server ends the connection. */
export async function readToEnd(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  if (!socket.closed) await once(socket, 'close');
  return text;
}

/** Sends `head` and `body` as they are and reads the answer; the head should ask to close the connection. */
export async function sendRaw(url: string, head: readonly string[], body = ''): Promise<RawAnswer> {
  const socket = await openSocket(url);
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return parseAnswer(await readToEnd(socket));
}

export function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]));
  return { status: Number(first.split(' ')[1]), headers, text: text.slice(end + 4) };
}
