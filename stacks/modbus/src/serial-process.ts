// A child process that has one serial port open and carries its bytes. It ends with its parent. The
// library behind it works in the main thread of a process only, and would end the whole server from any other: here it
// has a process of its own.
import { SerialPort } from 'serialport';
import { openDevice } from './serial-device.ts';

export interface PortSettings {
  readonly path: string;
  readonly baudRate: number;
  readonly parity: 'even' | 'odd' | 'none';
  readonly stopBits: number;
}

export type ToPort =
  | { readonly kind: 'open'; readonly settings: PortSettings }
  | { readonly kind: 'send'; readonly bytes: Uint8Array };

export type FromPort =
  | { readonly kind: 'opened' }
  /** The port could not be opened, or is gone. */
  | { readonly kind: 'lost'; readonly reason: string }
  | { readonly kind: 'data'; readonly bytes: Uint8Array };

function send(message: FromPort): void {
  if (process.connected) process.send?.(message);
}

/** Throws where the path leads to no serial port. */
function open({ path, baudRate, parity, stopBits }: PortSettings): SerialPort {
  const device = openDevice(path);
  const port = new SerialPort(
    { path: device.path, baudRate, parity, stopBits: stopBits === 2 ? 2 : 1, dataBits: 8, autoOpen: true },
    (error) => {
      device.close();
      if (error !== null) {
        send({ kind: 'lost', reason: `${path}: ${error.message}` });
        return;
      }
      hurry(port);
      send({ kind: 'opened' });
    },
  );
  port.on('error', (error) => send({ kind: 'lost', reason: `${path}: ${error.message}` }));
  port.on('close', () => send({ kind: 'lost', reason: `the serial port ${path} was closed` }));
  port.on('data', (bytes: Buffer) => send({ kind: 'data', bytes: Uint8Array.from(bytes) }));
  return port;
}

/**
 * The native code of the library reports bytes without letting promises go on that wait for them: in a process that does
 * nothing else they would be read when the next message comes. Whatever it reports, an empty turn of the loop follows.
 */
function hurry(port: SerialPort): void {
  const { poller } = port.port as unknown as { poller?: { on(event: string, call: () => void): void } };
  for (const event of ['readable', 'writable', 'disconnect']) poller?.on(event, () => setImmediate(() => {}));
}

const ports: SerialPort[] = [];
process.on('disconnect', () => process.exit());
process.on('message', (message: ToPort) => {
  if (message.kind === 'send') ports[0]?.write(Buffer.from(message.bytes));
  else {
    try {
      ports.push(open(message.settings));
    } catch (error) {
      send({ kind: 'lost', reason: `${message.settings.path}: ${(error as Error).message}` });
    }
  }
});
