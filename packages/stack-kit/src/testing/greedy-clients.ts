// A process with clients of a provider that never stop: `node greedy-clients.ts <tcp|udp> <port> <request in hexadecimal>`.
// Half of them take the answers, half never read. Says `ready` when each has been asked something.
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { askForEver, clientsOfEach } from './greed.ts';

const [transport = 'tcp', portText = '0', hex = ''] = process.argv.slice(2);
const port = Number(portText);
const request = Buffer.from(hex, 'hex');
const host = '127.0.0.1';

function startStream(isDeaf: boolean): void {
  askForEver(connect({ host, port }), request, isDeaf);
}

/** Those that are under way of a client that takes answers. */
const window = 32;
const askAgainMs = 100;
/** Of one that does not: some 1,000 a second. */
const deafAtOnce = 2;
const deafPeriodMs = 2;

function startDatagrams(isDeaf: boolean): void {
  const socket = createSocket('udp4');
  const send = (count: number) => {
    for (let each = 0; each < count; each++) socket.send(request, port, host);
  };
  socket.on('error', () => {});
  if (isDeaf) {
    setInterval(() => send(deafAtOnce), deafPeriodMs);
    return;
  }
  let answered = performance.now();
  socket.on('message', () => {
    answered = performance.now();
    send(1);
  });
  // Those that were lost are asked for again.
  setInterval(() => performance.now() - answered >= askAgainMs && send(window), askAgainMs);
  send(window);
}

const start = transport === 'udp' ? startDatagrams : startStream;
for (let each = 0; each < clientsOfEach; each++) {
  start(false);
  start(true);
}
process.stdout.write('ready\n');
