// The provider: a Modbus TCP server of the live points for several clients, each bounded and answered in its order.
import type { Socket } from 'node:net';
import { type Batch, quality, untilAborted } from '@telltale/schema';
import {
  type InstanceDetail,
  type Provider,
  type ProviderOptions,
  ServedPoints,
  type StackPoints,
} from '@telltale/stack-kit';
import packageJson from '../package.json' with { type: 'json' };
import { Diagnostics } from './diagnostics.ts';
import { Listener } from './listener.ts';
import { exceptionCodes } from './pdu.ts';
import { type CommandWrite, ServedImage } from './served-image.ts';
import { answerRequest, type ServedDevice } from './served-request.ts';
import { TcpFrames, tcpFrame } from './tcp-frame.ts';
import type { ProviderVariables } from './variables.ts';

export function createProvider(options: ProviderOptions<ProviderVariables>): Provider {
  return new ModbusProvider(options);
}

interface Request {
  readonly transaction: number;
  readonly unit: number;
  readonly pdu: Uint8Array;
}

/** A client, and what it has asked and not been answered yet: never more than one chunk of its bytes has brought. */
interface Client {
  readonly socket: Socket;
  readonly frames: TcpFrames;
  readonly pending: Request[];
  readonly mayWrite: boolean;
  isBusy: boolean;
}

class ModbusProvider implements Provider {
  readonly #options: ProviderOptions<ProviderVariables>;
  readonly #listener: Listener;
  readonly #clients = new Set<Client>();
  readonly #points = new ServedPoints();
  readonly #diagnostics = new Diagnostics();
  #device: ServedDevice | undefined;
  #failed = Promise.withResolvers<never>();

  constructor(options: ProviderOptions<ProviderVariables>) {
    this.#options = options;
    this.#listener = new Listener({
      ...options,
      onClient: (socket, mayWrite) => this.#welcome(socket, mayWrite),
      onFailed: (failure) => this.#failed.reject(failure),
    });
  }

  setPoints(points: StackPoints): void {
    const { variables, log, name } = this.#options;
    this.#points.setPoints(points);
    this.#device = {
      image: new ServedImage(this.#points.all, variables, (text) => log.warn(text)),
      identity: {
        ...variables,
        revision: variables.revision || packageJson.version,
        modelName: variables.modelName || name,
      },
      diagnostics: this.#diagnostics,
      carryOut: (writes) => this.#carryOut(writes),
    };
  }

  async connect(signal: AbortSignal): Promise<void> {
    this.#failed = Promise.withResolvers();
    this.#failed.promise.catch(() => {});
    await this.#listener.open(signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    await untilAborted(signal, this.#failed.promise);
  }

  publish(batch: Batch): void {
    this.#points.take(batch);
  }

  close(): Promise<void> {
    return this.#listener.close();
  }

  detail(): InstanceDetail {
    return { clients: this.#clients.size };
  }

  #welcome(socket: Socket, mayWrite: boolean): void {
    const client: Client = { socket, frames: new TcpFrames(), pending: [], mayWrite, isBusy: false };
    this.#clients.add(client);
    socket.on('close', () => this.#clients.delete(client));
    socket.on('data', (chunk: Buffer) => this.#hear(client, chunk));
    socket.on('drain', () => this.#goOn(client));
    // Also a client that reads no answers: it takes nothing, and is asked nothing.
    socket.setTimeout(this.#options.variables.idleSeconds * 1000, () => socket.destroy());
  }

  #hear(client: Client, chunk: Buffer): void {
    try {
      client.frames.push(chunk, (transaction, unit, pdu) => client.pending.push({ transaction, unit, pdu }));
    } catch (error) {
      this.#diagnostics.garbage++;
      this.#options.log.warn(
        `a client at ${client.socket.remoteAddress} was disconnected: ${(error as Error).message}`,
      );
      client.socket.destroy();
      return;
    }
    this.#goOn(client);
  }

  /** Answers what waits. Nothing more is heard from the client before all of it is answered and has been taken. */
  async #goOn(client: Client): Promise<void> {
    const { socket, pending } = client;
    if (client.isBusy) return;
    client.isBusy = true;
    let at = 0;
    for (; at < pending.length && !socket.destroyed && !socket.writableNeedDrain; at++) {
      const { transaction, unit, pdu } = pending[at] as Request;
      const answer = this.#answer(unit, pdu, client.mayWrite);
      if (answer instanceof Promise) {
        socket.pause();
        const written = await answer;
        if (socket.destroyed) this.#diagnostics.unanswered++;
        else socket.write(tcpFrame(transaction, unit, written));
      } else socket.write(tcpFrame(transaction, unit, answer));
    }
    pending.splice(0, at);
    client.isBusy = false;
    if (socket.writableNeedDrain) socket.pause();
    else socket.resume();
  }

  #answer(unit: number, pdu: Uint8Array, mayWrite: boolean): Uint8Array | Promise<Uint8Array> {
    if (this.#device === undefined) return Uint8Array.of((pdu[0] ?? 0) | 0x80, exceptionCodes.serverDeviceFailure);
    return answerRequest(this.#device, unit, pdu, mayWrite);
  }

  /** One after the other; what comes after one that is refused is not written. */
  async #carryOut(writes: readonly CommandWrite[]): Promise<void> {
    for (const { target, value } of writes) {
      await this.#options.write(target.point, value);
      // Read back at once, the client finds what it has written; the server's own word follows by `publish`.
      target.value = value;
      target.quality = quality.good;
    }
  }
}
