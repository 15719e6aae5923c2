// Protects the process from malformed input: some makes the library throw without a handler, such as garbage in the same
// segment as a HELLO, or reject a promise without a handler, such as half a certificate.
import type { EventEmitter } from 'node:events';
import type { Server } from 'node:net';
import { ClientTCP_transport } from 'node-opcua-transport';

interface Socket extends Pick<EventEmitter, 'emit'> {
  destroy(): void;
}

/** Whatever its listeners throw ends the connection, and nothing else. */
export function guardSocket(socket: Socket): void {
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

export class GuardedTransport extends ClientTCP_transport {
  protected override _install_socket(socket: Parameters<ClientTCP_transport['_install_socket']>[0]): void {
    guardSocket(socket as unknown as Socket);
    super._install_socket(socket);
  }
}

interface Endpoint {
  readonly _server?: Server;
}

/** Every connection that the endpoint of a server accepts. */
export function guardEndpoint(endpoint: object): void {
  const { _server: server } = endpoint as Endpoint;
  if (server === undefined) throw new Error('the endpoint has no server');
  server.prependListener('connection', guardSocket);
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
