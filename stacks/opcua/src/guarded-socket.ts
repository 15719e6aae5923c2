// Sockets from which no garbage gets through to the process: some of what strangers may send makes the library throw
// where nobody catches, such as nonsense in the same segment as a greeting.
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

/** A way to a server, guarded. */
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
