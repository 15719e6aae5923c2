// A process with eight clients that send a request as fast as the system takes it, and read nothing:
// `node flood-main.ts <port> <request in hexadecimal>`. When its input ends, it says how many it has sent.
import { createSocket } from 'node:dgram';
import { setImmediate as nextTurn } from 'node:timers/promises';

const [port = '0', hex = ''] = process.argv.slice(2);
const request = Buffer.from(hex, 'hex');
const clients = 8;
/** Of all of them, before anything else is looked at. */
const atOnce = 128;

const sockets = Array.from({ length: clients }, () => createSocket('udp4'));
let isOver = false;
process.stdin.resume().on('end', () => {
  isOver = true;
});
let sent = 0;
while (!isOver) {
  const sending = Array.from({ length: atOnce }, (_, each) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    sockets[each % clients]?.send(request, Number(port), '127.0.0.1', (error) => {
      if (error === null) sent++;
      resolve();
    });
    return promise;
  });
  await Promise.all(sending);
  await nextTurn();
}
process.stdout.write(`${sent}\n`, () => process.exit());
