// A stack that behaves: it speaks lines of text over TCP with a device that the test plays (test/line-device.ts).
// `name=value` is a reading, `name?` asks for it; `write number name=value` is answered by `ok number` or
// `no number reason`; `last name=value` tells what was written last; `past` has readings of the past, and `newest` asks what the
// archive has.
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { Batch, onAbort, quality, type Value } from '@telltale/schema';
import {
  type Connector,
  type ConnectorOptions,
  defineStack,
  NotConnected,
  type StackCommand,
  type StackPoints,
  Type,
  type WriteResult,
  written,
} from '@telltale/stack-kit';

const syntax = { regex: '^[a-z0-9_]+$', doc: 'A name.', examples: [{ address: 'level', meaning: 'the level' }] };

class LineConnector implements Connector {
  readonly #options: ConnectorOptions<{ port: number }>;
  /** By the number of the write. */
  readonly #pending = new Map<string, (result: WriteResult) => void>();
  #points: StackPoints = { measurements: [], commands: [] };
  #socket: Socket | undefined;
  #writes = 0;

  constructor(options: ConnectorOptions<{ port: number }>) {
    this.#options = options;
  }

  setPoints(points: StackPoints): void {
    this.#points = points;
    if (this.#socket !== undefined) this.#askAll(this.#socket);
  }

  async connect(): Promise<void> {
    const socket = connect(this.#options.variables.port, '127.0.0.1');
    this.#socket = socket;
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', (error) => reject(new NotConnected(error.message)));
    });
  }

  run(signal: AbortSignal): Promise<void> {
    const socket = this.#socket as Socket;
    const lines = createInterface(socket).on('error', () => undefined); // it has the socket's errors, too
    lines.on('line', (line) => this.#read(line));
    this.#askAll(socket);
    return new Promise((resolve, reject) => {
      onAbort(signal, () => resolve());
      socket.once('error', () => undefined);
      socket.once('close', () => reject(new NotConnected('the device hung up')));
    });
  }

  write(command: StackCommand, value: Value, signal: AbortSignal): Promise<WriteResult> {
    const number = String(++this.#writes);
    return new Promise((resolve, reject) => {
      this.#pending.set(number, resolve);
      onAbort(signal, reject);
      this.#socket?.write(`write ${number} ${command.address}=${value}\n`);
    });
  }

  async close(): Promise<void> {
    this.#pending.clear();
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #askAll(socket: Socket): void {
    for (const { address } of this.#points.measurements) socket.write(`${address}?\n`);
    for (const { address, last } of this.#points.commands) {
      if (last !== undefined) socket.write(`last ${address}=${last}\n`);
    }
  }

  #read(line: string): void {
    const [word = '', number = '', ...reason] = line.split(' ');
    const pending = this.#pending.get(number);
    this.#pending.delete(number);
    if (word === 'past') void this.#publishPast(number);
    else if (word === 'newest') void this.#tellNewest();
    else if (word === 'ok') pending?.(written.accepted);
    else if (word === 'no') pending?.(written.refused(reason.join(' ')));
    else this.#readValue(word);
  }

  /** `level=20@1700000000000000,level=21@…` */
  async #publishPast(readings: string): Promise<void> {
    const batch = new Batch();
    for (const reading of readings.split(',')) {
      const [, address = '', value, timeUs] = /^(.*)=(.*)@(.*)$/.exec(reading) ?? [];
      const point = this.#points.measurements.find((each) => each.address === address);
      if (point !== undefined) batch.number(point.id, Number(value), quality.good, Number(timeUs));
    }
    const { stored, dropped } = await this.#options.history.publish(batch);
    this.#socket?.write(`stored ${stored} dropped ${dropped}\n`);
  }

  async #tellNewest(): Promise<void> {
    const found = await this.#options.history.lastRecorded(this.#points.measurements);
    const texts = found.map((last) => (last === undefined ? 'none' : `${last.newestUs}/${last.soundUs}`));
    this.#socket?.write(`newest ${texts.join(' ')}\n`);
  }

  #readValue(reading: string): void {
    const [address, text] = reading.split('=');
    const batch = new Batch();
    for (const point of this.#points.measurements) {
      if (point.address === address) batch.number(point.id, Number(text), quality.good, this.#options.clock.now());
    }
    this.#options.publish(batch);
  }
}

export default defineStack({
  name: 'line_device',
  title: 'Line device',
  description: 'For tests.',
  connector: {
    variables: Type.Object({ port: Type.Integer({ title: 'Port', minimum: 1, maximum: 65535 }) }),
    measurement: syntax,
    command: syntax,
    load: async () => ({ createConnector: (options) => new LineConnector(options) }),
  },
});
