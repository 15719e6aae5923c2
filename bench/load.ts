// The load generator, a process of its own: asks for one path again and again over a few connections, for a given time,
// and prints how many whole answers it got a second. It looks at no more of an answer than its length.
// The user of the address is a token. Over https, the certificate is not looked at.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

const [target = '', seconds = '2', connections = '2'] = process.argv.slice(2);
const { protocol, hostname, port, pathname, host, username } = new URL(target);
const isTls = protocol === 'https:';
const authorization = username === '' ? '' : `Authorization: Bearer ${username}\r\n`;
const request = `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n${authorization}\r\n`;
const headEnd = Buffer.from('\r\n\r\n');
const start = performance.now();
const until = start + Number(seconds) * 1000;

/** How many answers one connection got. */
async function ask(socket: Socket): Promise<number> {
  let answers = 0;
  let left = 0;
  let head = Buffer.alloc(0);
  socket.write(request);
  for await (let chunk of socket as AsyncIterable<Buffer>) {
    if (left === 0) {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf(headEnd);
      if (end < 0) continue;
      left = bodyLength(head.toString('latin1', 0, end));
      chunk = head.subarray(end + headEnd.length);
      head = Buffer.alloc(0);
    }
    left -= chunk.length;
    if (left > 0) continue;
    answers++;
    if (performance.now() >= until) break;
    socket.write(request);
  }
  return answers;
}

function bodyLength(head: string): number {
  const length = /^content-length: (\d+)$/im.exec(head)?.[1];
  if (!head.startsWith('HTTP/1.1 200') || length === undefined) throw new Error(`unexpected answer: ${head}`);
  return Number(length);
}

const counts = await Promise.all(
  Array.from({ length: Number(connections) }, async () => {
    const at = { port: Number(port), host: hostname };
    const socket = isTls ? connectTls({ ...at, rejectUnauthorized: false }) : connect(at);
    await once(socket, isTls ? 'secureConnect' : 'connect');
    return ask(socket);
  }),
);
const total = counts.reduce((sum, count) => sum + count, 0);
process.stdout.write(`${(total * 1000) / (performance.now() - start)}\n`);
