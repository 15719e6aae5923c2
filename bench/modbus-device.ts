// A child process: a Modbus TCP device that answers as fast as it can. Every register changes once a second. It counts the
// registers that were read: unit 255, input registers 0 to 3, is that count.
import { createServer } from 'node:net';

const registers = 65_536;
const countUnit = 255;
const image = Buffer.alloc(2 * registers);
let turn = 0;
let count = 0n;

function change(): void {
  turn++;
  for (let at = 0; at < registers; at++) image.writeUInt16BE((at * 7919 + turn * 31) & 0xffff, 2 * at);
}

change();
setInterval(change, 1000).unref();

/** Requests of 12 bytes: only reads of registers come, whole ones at a time but for the last. */
function answers(requests: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at + 12 <= requests.length; at += 12) {
    const [start, length] = [requests.readUInt16BE(at + 8), requests.readUInt16BE(at + 10)];
    const answer = Buffer.allocUnsafe(9 + 2 * length);
    requests.copy(answer, 0, at, at + 8);
    answer.writeUInt16BE(3 + 2 * length, 4);
    answer[8] = 2 * length;
    if (requests[at + 6] === countUnit) answer.writeBigUInt64BE(count, 9);
    else {
      image.copy(answer, 9, 2 * start, 2 * (start + length));
      count += BigInt(length);
    }
    parts.push(answer);
  }
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

const server = createServer({ noDelay: true }, (socket) => {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = all.length - (all.length % 12);
    rest = all.subarray(whole);
    if (whole > 0) socket.write(answers(all.subarray(0, whole)));
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
