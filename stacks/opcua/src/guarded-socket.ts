// Protects the process from malformed input: some makes the library throw without a handler, such as garbage in the same
// segment as a HELLO, or reject a promise without a handler, such as half a certificate.
import type { EventEmitter } from 'node:events';
import type { Socket as NetSocket, Server } from 'node:net';
import { type ServedSocketOptions, serveSocket } from '@telltale/stack-kit';
import { type StatusCode, StatusCodes } from 'node-opcua-client';
import { ClientTCP_transport } from 'node-opcua-transport';

interface Socket extends Pick<EventEmitter, 'emit'> {
  destroy(): void;
}

/** Whatever its listeners throw ends the connection, and nothing else. */
function guardSocket(socket: Socket): void {
  const emit = socket.emit.bind(socket);
  socket.emit = (event, ...details) => {
    try {
      return emit(event, ...details);
    } catch {
      socket.destroy();
      return true;
    }
  };
}

/** Tells what the server says when it ends a connection, which the library hides behind the end itself. */
export class GuardedTransport extends ClientTCP_transport {
  readonly #onRefusal: (reason: string) => void;
  #connected: Socket | undefined;

  constructor(
    settings: ConstructorParameters<typeof ClientTCP_transport>[0],
    onRefusal: (reason: string) => void = () => {},
  ) {
    super(settings);
    this.#onRefusal = onRefusal;
    this.on('chunk', (chunk: Buffer) => {
      const reason = refusalIn(chunk);
      if (reason === undefined) return;
      onRefusal(reason);
      this.#connected?.destroy();
    });
  }

  /** An ERR in place of the answer to HELLO is no chunk, but the error of the connection. */
  override connect(endpointUrl: string, callback: (error?: Error) => void): void {
    super.connect(endpointUrl, (error) => {
      const { statusCode } = (error ?? {}) as { statusCode?: { name: string } };
      if (statusCode !== undefined) this.#onRefusal(statusCode.name);
      callback(error);
    });
  }

  protected override _install_socket(socket: Parameters<ClientTCP_transport['_install_socket']>[0]): void {
    this.#connected = socket as unknown as Socket;
    guardSocket(this.#connected);
    super._install_socket(socket);
  }
}

const maxReason = 200;

/** Of an ERR message: a status code, and a text for people that may be missing. */
function refusalIn(chunk: Buffer): string | undefined {
  if (chunk.length < 12 || chunk.toString('latin1', 0, 3) !== 'ERR') return undefined;
  const code = chunk.readUInt32LE(8);
  const known = Object.values(StatusCodes as unknown as Record<string, StatusCode>).find(({ value }) => value === code);
  const name = known?.name ?? `status 0x${code.toString(16)}`;
  const length = chunk.length < 16 ? 0 : Math.min(chunk.readInt32LE(12), chunk.length - 16, maxReason);
  const text = chunk.toString('utf8', 16, 16 + Math.max(0, length)).replace(/\p{C}+/gu, ' ');
  return text.trim() === '' || text.startsWith(name) ? name : `${name} (${text.trim()})`;
}

interface Endpoint {
  readonly _server?: Server;
}

/** The type, whether it is the last, and the length of a chunk of a message. */
const chunkHeaderBytes = 8;

/** Every connection that the endpoint of a server accepts; the library gets what clients ask chunk by chunk, in turns. */
export function guardEndpoint(
  endpoint: object,
  maxChunkBytes: number,
  serving: Pick<ServedSocketOptions, 'clients' | 'busyUntil'>,
): void {
  const { _server: server } = endpoint as Endpoint;
  if (server === undefined) throw new Error('the endpoint has no server');
  const cut = (bytes: Buffer): number => {
    if (bytes.length < chunkHeaderBytes) return 0;
    const length = bytes.readUInt32LE(4);
    // What cannot be a chunk goes to the library as it is: it has the right answer.
    if (length < chunkHeaderBytes || length > maxChunkBytes) return bytes.length;
    return length > bytes.length ? 0 : length;
  };
  server.prependListener('connection', (socket: NetSocket) => {
    guardSocket(socket);
    serveSocket({ ...serving, socket, cut });
  });
}

interface Channel {
  abruptlyInterrupt(): void;
}
type Handler = (this: object, ...given: unknown[]) => unknown;

/** Where the server cannot make anything of a request, the channel of who has sent it is ended, and nothing else. */
export function guardRequests(server: object): void {
  const handlers = server as Record<string, Handler>;
  for (let type = Object.getPrototypeOf(server); type !== null; type = Object.getPrototypeOf(type)) {
    for (const name of Object.getOwnPropertyNames(type)) {
      if (!/^_(?:apply_)?on_/.test(name) || Object.hasOwn(server, name)) continue;
      const handle = handlers[name] as Handler;
      handlers[name] = (...given) => {
        const handled = handle.apply(server, given);
        if (!(handled instanceof Promise)) return handled;
        return handled.catch(() => given.find(isChannel)?.abruptlyInterrupt());
      };
    }
  }
}

function isChannel(given: unknown): given is Channel {
  return typeof given === 'object' && given !== null && 'abruptlyInterrupt' in given;
}
