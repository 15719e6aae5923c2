// Listens for traps and informs, lets through those that may, and confirms informs.
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Clock } from '@telltale/schema';
import { NotConnected, type StackLog } from '@telltale/stack-kit';
import { type Incoming, responsePdu } from './incoming.ts';
import { encodeVarbinds, type Pdu, pduType } from './pdu.ts';
import { timeWindowSeconds } from './remote-engine.ts';

export interface TrapListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly incoming: Incoming;
  readonly clock: Clock;
  readonly log: StackLog;
  readonly onTrap: (pdu: Pdu, sender: string) => void;
}

/** What was taken, so that an inform that is sent again counts once, and a signed trap that is played back not at all. */
const maxTaken = 10_000;
const informMs = 60_000;
const signatureMs = 2 * 1000 * timeWindowSeconds;

export class TrapListener {
  readonly #options: TrapListenerOptions;
  readonly #socket: Socket;
  readonly #taken = new Map<string, number>();

  /** Throws `NotConnected` where it cannot listen. */
  static async listen(options: TrapListenerOptions): Promise<TrapListener> {
    const { host, port } = options;
    const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.once('error', reject);
    socket.bind({ port, address: host, exclusive: true }, resolve);
    try {
      await promise;
    } catch (error) {
      socket.close();
      throw new NotConnected(`cannot listen for traps on ${host} port ${port}: ${(error as Error).message}`);
    }
    socket.off('error', reject);
    return new TrapListener(options, socket);
  }

  private constructor(options: TrapListenerOptions, socket: Socket) {
    this.#options = options;
    this.#socket = socket;
    socket.on('message', (bytes, from) => this.#hear(bytes, from));
    socket.on('error', (error) => options.log.warn(`the trap socket failed: ${error.message}`));
  }

  close(): void {
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
