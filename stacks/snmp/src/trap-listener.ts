// Listens for traps and informs, lets through those that may, and confirms informs. Senders take turns; what is lost is counted.
import type { RemoteInfo, Socket } from 'node:dgram';
import type { Clock } from '@telltale/schema';
import {
  bindDatagrams,
  type Meter,
  NotConnected,
  ServedClients,
  ServedMessages,
  type ServingTurns,
  type StackLog,
} from '@telltale/stack-kit';
import { type Incoming, responsePdu } from './incoming.ts';
import { encodeVarbinds, type Pdu, pduType } from './pdu.ts';
import { timeWindowSeconds } from './remote-engine.ts';

export interface TrapListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly incoming: Incoming;
  readonly clock: Clock;
  readonly log: StackLog;
  readonly meter: Pick<Meter, 'unread'>;
  readonly turns: ServingTurns;
  readonly onTrap: (pdu: Pdu, sender: string) => void;
}

/** What was taken, so that an inform that is sent again counts once, and a signed trap that is played back not at all. */
const maxTaken = 10_000;
const informMs = 60_000;
const signatureMs = 2 * 1000 * timeWindowSeconds;

/** Of traps that wait for their turn: 50,000 of the usual size, half of them of one sender. What waits is never too old. */
const maxBytes = 16 * 1024 * 1024;
const maxAgeMs = Number.POSITIVE_INFINITY;
/** Nobody is held up. */
const variables = { maxClientRequestsPerSecond: 1e6, maxRequestsPerSecond: 1e6 };

interface Datagram {
  readonly bytes: Buffer;
  readonly from: RemoteInfo;
}

export class TrapListener {
  readonly #options: TrapListenerOptions;
  readonly #socket: Socket;
  readonly #datagrams: ServedMessages<Datagram>;
  readonly #taken = new Map<string, number>();

  /** Throws `NotConnected` where it cannot listen. */
  static async listen(options: TrapListenerOptions): Promise<TrapListener> {
    const { host, port } = options;
    const socket = await bindDatagrams(options).catch((error: Error) => {
      throw new NotConnected(`cannot listen for traps on ${host} port ${port}: ${error.message}`);
    });
    return new TrapListener(options, socket);
  }

  private constructor(options: TrapListenerOptions, socket: Socket) {
    this.#options = options;
    this.#socket = socket;
    const { clock, turns, meter, log } = options;
    const counts = { served: () => {}, held: () => {}, unread: (count: number) => meter.unread(count) };
    const clients = new ServedClients({ clock, turns, meter: counts, variables });
    const take = ({ bytes, from }: Datagram) => this.#hear(bytes, from);
    this.#datagrams = new ServedMessages({ clients, take, maxBytes, maxAgeMs });
    socket.on('message', (bytes, from) => this.#datagrams.hear(from.address, { bytes, from }, bytes.length));
    socket.on('error', (error) => log.warn(`the trap socket failed: ${error.message}`));
  }

  close(): void {
    this.#datagrams.close();
    this.#socket.close();
  }

  #hear(bytes: Buffer, from: RemoteInfo): void {
    const heard = this.#options.incoming.hear(bytes, from.address);
    if (heard === undefined) return;
    if (Buffer.isBuffer(heard)) {
      this.#send(heard, from);
      return;
    }
    const { pdu, signature, securityName } = heard;
    const sender = from.address.replace(/^::ffff:(?=[0-9.]+$)/, '');
    const isFirst = signature === undefined || this.#isNew(signature, signatureMs);
    if (pdu.type === pduType.inform) {
      const isNew = this.#isNew(`${from.address} ${from.port} ${securityName} ${pdu.requestId}`, informMs);
      if (isFirst && isNew) this.#options.onTrap(pdu, sender);
      // Acknowledged after it was processed: the sender may discard it now.
      this.#send(heard.seal(responsePdu(pdu.requestId, 0, 0, encodeVarbinds(pdu.varbinds))), from);
    } else if (pdu.type === pduType.trap) {
      if (isFirst) this.#options.onTrap(pdu, sender);
    } else {
      this.#options.incoming.counts.malformed++;
    }
  }

  #isNew(name: string, withinMs: number): boolean {
    const nowMs = this.#options.clock.monotonicMs();
    const takenMs = this.#taken.get(name);
    const isNew = takenMs === undefined || nowMs - takenMs > withinMs;
    if (isNew) {
      this.#taken.delete(name);
      this.#taken.set(name, nowMs);
      const oldest = this.#taken.keys().next().value;
      if (this.#taken.size > maxTaken && oldest !== undefined) this.#taken.delete(oldest);
    }
    return isNew;
  }

  #send(bytes: Buffer, { port, address }: RemoteInfo): void {
    // A datagram may claim to come from port 0, to which nothing can be sent. Who cannot be reached asks again.
    if (port > 0) this.#socket.send(bytes, port, address, () => undefined);
  }
}
