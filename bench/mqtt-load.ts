// A child process: speaks just enough MQTT 3.1.1 to load a broker. One publisher sends a value a message to as many
// topics as there are points; subscribers take all of them. Prints the messages that subscribers get a second.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const [port = '', points = '1000', clients = '50', seconds = '3'] = process.argv.slice(2);

const text = (value: string) => {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
};

function packet(type: number, body: Buffer): Buffer {
  const length: number[] = [];
  let rest = body.length;
  do {
    const digit = rest % 128;
    rest = Math.floor(rest / 128);
    length.push(rest > 0 ? digit | 0x80 : digit);
  } while (rest > 0);
  return Buffer.concat([Buffer.from([type, ...length]), body]);
}

async function open(id: string): Promise<Socket> {
  for (let attempt = 0; ; attempt++) {
    const socket = connect(Number(port), '127.0.0.1');
    try {
      await once(socket, 'connect');
      const flags = Buffer.from([4, 2, 0, 60]);
      socket.write(packet(0x10, Buffer.concat([text('MQTT'), flags, text(id)])));
      await once(socket, 'data');
      return socket;
    } catch (error) {
      if (attempt === 50) throw error;
      await pause(100);
    }
  }
}

let bytes = 0;
for (let client = 0; client < Number(clients); client++) {
  const socket = await open(`s${client}`);
  socket.write(packet(0x82, Buffer.concat([Buffer.from([0, 1]), text('plant/#'), Buffer.from([0])])));
  await once(socket, 'data');
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
}
const value = Buffer.from('["d21.537",[1700000000,250000],192]');
const messages = Array.from({ length: Number(points) }, (_, point) =>
  packet(0x30, Buffer.concat([text(`plant/measurement_${String(point).padStart(6, '0')}`), value])),
);
const bytesAMessage = (messages[0] as Buffer).length;
const round = Buffer.concat(messages);
const publisher = await open('p');
const publish = async () => {
  for (;;) if (!publisher.write(round)) await once(publisher, 'drain');
};
publish().catch(() => undefined);
await pause(1000);
const before = bytes;
const start = performance.now();
await pause(Number(seconds) * 1000);
process.stdout.write(`${((bytes - before) / bytesAMessage / (performance.now() - start)) * 1000}\n`);
process.exit(0);
