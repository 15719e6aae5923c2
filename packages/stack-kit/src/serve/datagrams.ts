// A UDP socket that misses as little as the system allows: as much room as there is, and a count of what was dropped.
import { createSocket, type Socket } from 'node:dgram';
import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { endianness } from 'node:os';
import type { Clock } from '@telltale/schema';
import type { ServingMeter } from '../connector.ts';

export interface DatagramOptions {
  readonly host: string;
  readonly port: number;
  readonly clock: Pick<Clock, 'after'>;
  readonly meter: Pick<ServingMeter, 'unread'>;
}

/** Of the system: what comes while the thread is busy. More than the system allows is not had. */
const receiveBytes = 4 * 1024 * 1024;
const lookMs = 1000;

/**
 * Bound, for this process alone. What the system drops, since more came than it stores, is counted as unread, on Linux. Rejects
 * with the error of the system.
 */
export async function bindDatagrams({ host, port, clock, meter }: DatagramOptions): Promise<Socket> {
  const isV6 = isIPv6(host);
  const socket = createSocket({ type: isV6 ? 'udp6' : 'udp4', recvBufferSize: receiveBytes });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once('error', reject);
  socket.bind({ port, address: host, exclusive: true }, resolve);
  try {
    await promise;
  } catch (error) {
    socket.close();
    throw error;
  }
  socket.off('error', reject);
  countDropped(socket, isV6, clock, meter);
  return socket;
}

/** Until it is closed. */
function countDropped(socket: Socket, isV6: boolean, clock: DatagramOptions['clock'], meter: DatagramOptions['meter']) {
  if (process.platform !== 'linux') return;
  const { address, port } = socket.address();
  const place = placeOf(address, port);
  let counted = 0;
  let isClosed = false;
  let cancel = () => {};
  const look = async () => {
    const dropped = droppedIn(await readFile(isV6 ? '/proc/net/udp6' : '/proc/net/udp', 'latin1'), place) ?? counted;
    if (isClosed) return;
    if (dropped > counted) meter.unread(dropped - counted);
    counted = dropped;
    wait();
  };
  const wait = () => {
    // Where the table cannot be read, nothing is counted.
    cancel = clock.after(lookMs, () => look().catch(() => undefined));
  };
  socket.once('close', () => {
    isClosed = true;
    cancel();
  });
  wait();
}

/** Of the table of the system: `sl local_address rem_address st … drops`. */
function droppedIn(table: string, place: string): number | undefined {
  const line = table.split('\n').find((each) => each.trimStart().split(/\s+/, 2)[1] === place);
  const dropped = Number(line?.trimEnd().split(/\s+/).at(-1));
  return Number.isInteger(dropped) ? dropped : undefined;
}

/** As the table has it: words of 4 bytes in the order of the machine, in hexadecimal. */
function placeOf(address: string, port: number): string {
  const bytes = isIPv6(address) ? bytesOfV6(address) : Buffer.from(address.split('.').map(Number));
  if (endianness() === 'LE') bytes.swap32();
  return `${bytes.toString('hex')}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}

function bytesOfV6(address: string): Buffer {
  const [head = '', tail] = address
    .replace(/%.*$/, '')
    .split('::')
    .map((part) =>
      part
        .split(':')
        .filter((group) => group !== '')
        .flatMap(groupsOf),
    );
  const groups = [...head, ...Array(8 - head.length - (tail?.length ?? 0)).fill(0), ...(tail ?? [])];
  const bytes = Buffer.alloc(16);
  for (const [at, group] of groups.entries()) bytes.writeUInt16BE(group, 2 * at);
  return bytes;
}

/** One, or the two of an address of version 4 at the end. */
function groupsOf(text: string): number[] {
  if (!text.includes('.')) return [Number.parseInt(text, 16)];
  const bytes = Buffer.from(text.split('.').map(Number));
  return [bytes.readUInt16BE(0), bytes.readUInt16BE(2)];
}
