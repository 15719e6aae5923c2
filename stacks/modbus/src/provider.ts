// The provider: a Modbus TCP server of the live points for several clients, each answered in its order and in its turn.
import type { Socket } from 'node:net';
import { type Batch, quality, untilAborted } from '@telltale/schema';
import {
  type InstanceDetail,
  type Provider,
  type ProviderOptions,
  ServedClients,
  ServedPoints,
  ServedStream,
  type StackPoints,
  type WriteResult,
} from '@telltale/stack-kit';
import packageJson from '../package.json' with { type: 'json' };
import { Diagnostics } from './diagnostics.ts';
import { Listener } from './listener.ts';
import { exceptionCodes, ModbusException } from './pdu.ts';
import { type CommandWrite, ServedImage } from './served-image.ts';
import { answerRequest, type ServedDevice } from './served-request.ts';
import { readTcpFrame, tcpFrame, tcpFrameLength } from './tcp-frame.ts';
import type { ProviderVariables } from './variables.ts';

export function createProvider(options: ProviderOptions<ProviderVariables>): Provider {
  return new ModbusProvider(options);
}

class ModbusProvider implements Provider {
  readonly #options: ProviderOptions<ProviderVariables>;
  readonly #listener: Listener;
  readonly #clients: ServedClients;
  readonly #sockets = new Set<Socket>();
  readonly #points = new ServedPoints();
  readonly #diagnostics = new Diagnostics();
  #device: ServedDevice | undefined;
  #failed = Promise.withResolvers<never>();

  constructor(options: ProviderOptions<ProviderVariables>) {
    this.#options = options;
    this.#clients = new ServedClients(options);
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
    return { clients: this.#sockets.size };
  }

  #welcome(socket: Socket, mayWrite: boolean): void {
    const { log } = this.#options;
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    const stream = new ServedStream({
      clients: this.#clients,
      socket,
      cut: tcpFrameLength,
      take: (frame) => this.#take(socket, frame, mayWrite),
      onWrong: (error) => {
        this.#diagnostics.garbage++;
        log.warn(`a client at ${socket.remoteAddress} was disconnected: ${error.message}`);
      },
    });
    socket.on('data', (chunk: Buffer) => stream.hear(chunk));
    // Also a client that reads no answers: it takes nothing, and is asked nothing.
    socket.setTimeout(this.#options.variables.idleSeconds * 1000, () => socket.destroy());
  }

  #take(socket: Socket, frame: Buffer, mayWrite: boolean): void | Promise<void> {
    const { transaction, unit, pdu } = readTcpFrame(frame);
    const send = (answer: Uint8Array) => {
      if (socket.destroyed) this.#diagnostics.unanswered++;
      else socket.write(tcpFrame(transaction, unit, answer));
    };
    const answer = this.#answer(unit, pdu, mayWrite);
    return answer instanceof Promise ? answer.then(send) : send(answer);
  }

  #answer(unit: number, pdu: Uint8Array, mayWrite: boolean): Uint8Array | Promise<Uint8Array> {
    if (this.#device === undefined) return Uint8Array.of((pdu[0] ?? 0) | 0x80, exceptionCodes.serverDeviceFailure);
    return answerRequest(this.#device, unit, pdu, mayWrite);
  }

  /** All together, so that those of one device reach it by one request. Throws the exception that says how it ended. */
  async #carryOut(writes: readonly CommandWrite[]): Promise<void> {
    const asked = writes.map(({ target, value }) => ({ command: target.point, value }));
    const results = await this.#options.writeMany(asked);
    for (const [at, { target, value }] of writes.entries()) {
      if (results[at]?.kind !== 'accepted') continue;
      // Read back at once, the client finds what it has written; the server's own word follows by `publish`.
      target.value = value;
      target.quality = quality.good;
    }
    const code = exceptionOf(writes.map((_, at) => results[at]?.kind ?? 'unknown'));
    if (code === undefined) return;
    for (const [at, { target }] of writes.entries()) {
      const result = results[at];
      if (result === undefined || result.kind === 'accepted') continue;
      this.#options.log.info(`${target.point.name}, written by a client: ${result.reason}`);
      break;
    }
    throw new ModbusException(code);
  }
}

/**
 * As a gateway says it: 11, where the device may have it; 10, where nothing at all was sent. Whatever else was not done as asked is
 * a failure, 4: a client must not take a block of which a part was written for one that was not.
 */
function exceptionOf(ends: readonly WriteResult['kind'][]): number | undefined {
  if (ends.every((end) => end === 'accepted')) return undefined;
  if (ends.includes('unknown')) return exceptionCodes.gatewayTargetSilent;
  if (ends.every((end) => end === 'notSent')) return exceptionCodes.gatewayPathUnavailable;
  return exceptionCodes.serverDeviceFailure;
}
