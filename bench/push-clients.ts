// A child process: the clients of the push benchmark. They watch, then count the values in what comes, by its bytes, for
// a given time, and print the values a second of all of them together. With `different` each has a list of its own.
import { WebSocket } from 'ws';
import { isSeen } from './live-points.ts';
import { measurements } from './plant.ts';

const [url = '', count = '1000', clients = '50', seconds = '3', lists = 'same'] = process.argv.slice(2);
// With a token, a caller may be told of those that it sees; all callers watch the same.
const names = measurements(Number(count))
  .map(({ name }) => name)
  .filter((_, at) => isSeen(at));
const { username } = new URL(url);
const headers = username === '' ? {} : { authorization: `Bearer ${username}` };
const mark = Buffer.from('"vtq"');

function valuesIn(message: Buffer): number {
  let values = 0;
  for (let at = message.indexOf(mark); at >= 0; at = message.indexOf(mark, at + mark.length)) values++;
  return values;
}

let isCounting = false;
let values = 0;
const bytesAValue = new Map<number, number>();

function onMessage(message: Buffer): void {
  if (!isCounting) return;
  // Messages of one length have as many values each: looking into every one would measure the client.
  let found = bytesAValue.get(message.length);
  if (found === undefined) {
    found = valuesIn(message);
    if (bytesAValue.size < 10_000) bytesAValue.set(message.length, found);
  }
  values += found;
}

const connected = Array.from({ length: Number(clients) }, (_, index) => {
  const socket = new WebSocket(url.replace(`${username}@`, ''), {
    headers,
    perMessageDeflate: false,
    maxPayload: 1 << 28,
  });
  const watched = lists === 'same' ? names : names.filter((_name, at) => (at + index) % 50 !== 0);
  socket.on('message', onMessage);
  return new Promise<WebSocket>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('open', () => {
      socket.send(JSON.stringify({ request: 'WatchMeasurements', id: 1, measurements: watched }));
      socket.once('message', () => resolve(socket));
    });
  });
});
const sockets = await Promise.all(connected);
await new Promise((resolve) => setTimeout(resolve, 1500));
isCounting = true;
const start = performance.now();
await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1000));
process.stdout.write(`${(values * 1000) / (performance.now() - start)}\n`);
for (const socket of sockets) socket.terminate();
