// The load generator of writes, a process of its own: each connection writes a command of its own again and again, for a given
// time. Prints how many were answered a second.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const [target = '', seconds = '2', connections = '2'] = process.argv.slice(2);
const { hostname, port, pathname, host } = new URL(target);
const headEnd = Buffer.from('\r\n\r\n');
const start = performance.now();
const until = start + Number(seconds) * 1000;

/** How many answers one connection got. */
async function write(socket: Socket, command: number): Promise<number> {
  let answers = 0;
  const next = () =>
    socket.write(`PUT ${pathname}/commands/valve_${command}?value=i${answers} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  next();
  let head = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    head = Buffer.concat([head, chunk]);
    if (!head.includes(headEnd)) continue;
    if (!head.subarray(0, 12).equals(Buffer.from('HTTP/1.1 204'))) throw new Error(`unexpected answer: ${head}`);
    head = Buffer.alloc(0);
    answers++;
    if (performance.now() >= until) break;
    next();
  }
  return answers;
}

const counts = await Promise.all(
  Array.from({ length: Number(connections) }, async (_, command) => {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return write(socket, command);
  }),
);
const total = counts.reduce((sum, count) => sum + count, 0);
process.stdout.write(`${(total * 1000) / (performance.now() - start)}\n`);
