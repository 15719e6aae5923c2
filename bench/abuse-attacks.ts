// The attacker, a process of its own: prepares one attack on the server at a URL, says so, and does it when told to. Then it
// prints what it was answered, and ends.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { measurements, plantSize } from './plant.ts';

const [name = '', url = ''] = process.argv.slice(2);
const { port, host } = new URL(url);

/** Of one answer, or of all that came on a connection: how long it was, and its status; 0 where it was cut off. */
interface Answered {
  readonly status: number;
  readonly bytes: number;
}

/** Gives what was answered; `lifeMs` is how long the server bore what came too slowly. */
type Attack = () => Promise<readonly Answered[] | { readonly lifeMs: number }>;

async function open(): Promise<Socket> {
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  return socket;
}

async function answerOn(socket: Socket): Promise<Answered> {
  let head = '';
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (head.length < 20) head += chunk.toString('latin1', 0, 20);
  });
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0), bytes };
}

async function ask(head: string, body: Uint8Array | string = ''): Promise<Answered> {
  const socket = await open();
  const answer = answerOn(socket);
  socket.write(head);
  if (body.length > 0) socket.write(body);
  return answer;
}

const get = (target: string, ...headers: string[]) =>
  [`GET ${target} HTTP/1.1`, `Host: ${host}`, ...headers, '', ''].join('\r\n');
const closing = 'Connection: close';
const post = (target: string, length: number) =>
  [
    `POST ${target} HTTP/1.1`,
    `Host: ${host}`,
    closing,
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    '',
    '',
  ].join('\r\n');

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const keys = (count: number) => times(count, (at) => `"k${at.toString(36)}":0`).join();

function message(text: string): Attack {
  return async () => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/data/ws`, { perMessageDeflate: false });
    await once(socket, 'open');
    socket.send(text);
    const [answer] = (await Promise.race([once(socket, 'message'), once(socket, 'close')])) as [Buffer | number];
    socket.terminate();
    return [typeof answer === 'number' ? { status: answer, bytes: 0 } : { status: 400, bytes: answer.length }];
  };
}

const notifications = ['MeasurementUpdateNotification', 'CommandUpdateNotification'];

/** Clients of the channel that each send requests, one after the other, and take what they are answered, and sent first. */
function channel(
  clients: number,
  ...requests: { readonly request: string; readonly [field: string]: unknown }[]
): Attack {
  return () =>
    Promise.all(
      times(clients, async () => {
        const socket = new WebSocket(`${url.replace('http', 'ws')}/data/ws`, {
          perMessageDeflate: false,
          maxPayload: 1 << 28,
          skipUTF8Validation: true,
        });
        await once(socket, 'open');
        let [bytes, isGood] = [0, true];
        for (const [id, request] of requests.entries()) {
          const isWatch = request.request.startsWith('Watch');
          const answered = new Promise<void>((resolve, reject) => {
            socket.once('close', () => reject(new Error(`closed before ${request.request} was answered`)));
            socket.on('message', (message: Buffer) => {
              const head = message.toString('latin1', 0, 80);
              const isOver = isWatch
                ? notifications.some((each) => head.includes(each))
                : head.startsWith(`{"request_id":${id},`);
              if (head.startsWith('{"request_id"')) isGood &&= head.includes('"result":true');
              if (!isOver) return;
              bytes = Math.max(bytes, message.length);
              resolve();
            });
          });
          socket.send(JSON.stringify({ id, ...request }));
          await answered;
          socket.removeAllListeners('message').removeAllListeners('close');
        }
        socket.terminate();
        return { status: isGood ? 200 : 400, bytes };
      }),
    );
}

function transaction(count: number): Attack {
  const object = `{"name":"m","datatype":"d",${keys(count)}}`;
  const body = Buffer.from(
    `{"operations":[{"operation":"put","family":"measurements","name":"m","object":${object}}]}`,
  );
  return async () => [await ask(post('/config/v2/cfgdb/txn', body.length), body)];
}

function requests(count: number, text: string): Attack {
  return () => Promise.all(times(count, () => ask(text)));
}

/** How long the server tolerates a connection on which `begin` is said, and `more` every second. */
function lifeOf(begin: string, more: string): Attack {
  return async () => {
    const socket = await open();
    const start = performance.now();
    socket.write(begin);
    const trickle = setInterval(() => socket.write(more), 1000);
    await answerOn(socket);
    clearInterval(trickle);
    return { lifeMs: performance.now() - start };
  };
}

const plantNames = () => measurements(plantSize).map(({ name: each }) => each);
const everything = { request: 'ReadDatabase', select: { measurements: 'all', commands: 'all', alarms: 'all' } };
const watchAll = { request: 'WatchMeasurements', measurements: 'all' };

const commas = `/data/measurements/?fields=${','.repeat(250_000)}`;
const parameters = times(40_000, (at) => `p${at.toString(36)}`).join('&');
const manyBytes = 60_000_000;
const noReadMs = 3000;

/** Each attack by what its row of the table says. */
const attacks: Record<string, () => Attack> = {
  'channel-100k-keys': () => message(`{"request":"Heartbeat","id":1,${keys(100_000)}}`),
  'channel-600k-keys': () => message(`{"request":"Heartbeat","id":1,${keys(600_000)}}`),
  'transaction-600k-keys': () => transaction(600_000),
  'transaction-51-mb': () => transaction(4_900_000),
  'fields-of-commas': () => requests(1, get(commas, closing)),
  'fields-of-commas-6': () => requests(6, get(commas, closing)),
  'fields-cross-site': () => requests(6, get(commas, closing, 'Sec-Fetch-Site: cross-site')),
  'parameters-40k': () => requests(6, get(`/data/measurements/?${parameters}`, closing)),
  'parameters-40k-nowhere': () => requests(6, get(`/nothing/?${parameters}`, closing)),
  'read-all': () => channel(1, { request: 'ReadMeasurements' }),
  'read-all-20': () => channel(20, { request: 'ReadMeasurements' }),
  'read-fields-6': () => channel(6, { request: 'ReadMeasurements', fields: ['name', 'vtq'] }),
  'read-names': () => channel(1, { request: 'ReadMeasurements', names: plantNames() }),
  'read-database': () => channel(1, everything),
  'get-all': () => requests(6, get('/data/measurements/', closing)),
  'get-fields': () => requests(6, get('/data/measurements/?fields=vtq', closing)),
  'watch-all': () => channel(1, watchAll),
  'watch-names': () => channel(1, { request: 'WatchMeasurements', measurements: plantNames() }),
  'unwatch-one': () => channel(1, watchAll, { request: 'UnwatchMeasurements', measurements: plantNames().slice(0, 1) }),
  'unwatch-all': () =>
    channel(
      1,
      { request: 'WatchMeasurements', measurements: plantNames() },
      { request: 'UnwatchMeasurements', measurements: 'all' },
    ),
  pipelining: () => async () => {
    const text = get('/data/measurements/').repeat(3000);
    const sockets = await Promise.all(times(20, open));
    for (const socket of sockets) socket.pause().write(text);
    await wait(noReadMs);
    for (const socket of sockets) socket.destroy();
    return [];
  },
  bodies: () => {
    const body = Buffer.alloc(manyBytes, ' ');
    const end = '{"operations":[]}';
    body.write(end, body.length - end.length);
    return () => Promise.all(times(25, () => ask(post('/config/v2/cfgdb/txn?commit=0', body.length), body)));
  },
  'archive-unread': () => async () => {
    const text = get('/data/archive/measurements/tank1_level/-3600/0?resample=0.000001');
    const sockets = await Promise.all(times(300, open));
    for (const socket of sockets) socket.pause().write(text.repeat(5));
    await wait(noReadMs);
    for (const socket of sockets) socket.destroy();
    return [];
  },
  'channel-unended': () => {
    const body = Buffer.alloc(7_900_000, ' ');
    const upgrade = get(
      '/data/ws',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${'A'.repeat(22)}==`,
    );
    // A text of 8,000,000 bytes with a mask of zeros.
    const frame = Buffer.alloc(14);
    frame.set([0x81, 0xff]);
    frame.writeUInt32BE(8_000_000, 6);
    return async () => {
      const sockets = await Promise.all(times(60, open));
      for (const socket of sockets) {
        socket.resume().write(upgrade);
        socket.write(frame);
        socket.write(body);
      }
      await wait(noReadMs);
      for (const socket of sockets) socket.destroy();
      return [];
    };
  },
  'headers-unended': () => async () => {
    const text = `${get('/healthz').slice(0, -2)}x: ${'x'.repeat(250_000)}`;
    const sockets = await Promise.all(times(1900, open));
    for (const socket of sockets) socket.resume().write(text);
    await wait(noReadMs);
    for (const socket of sockets) socket.destroy();
    return [];
  },
  'idle-sockets': () => async () => {
    const sockets: Socket[] = [];
    for (let count = 0; count < 600; count++) sockets.push(await open());
    await wait(noReadMs);
    for (const socket of sockets) socket.destroy();
    return [];
  },
  'trickling-body': () => lifeOf(post('/config/v2/cfgdb/txn', 1 << 20), ' '),
  'trickling-headers': () => lifeOf(get('/healthz').slice(0, -2), 'x-more: 1\r\n'),
  'idle-socket': () => lifeOf(get('/healthz'), ''),
};

const attack = attacks[name]?.();
if (attack === undefined) throw new Error(`there is no attack ${name}`);
process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();
process.stdout.write(`${JSON.stringify(await attack())}\n`);
