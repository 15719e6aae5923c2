// Listens for the clients of a provider: admits them by address and number, and over TLS by their certificates, whose role
// says whether they may write.
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type Server as TlsServer } from 'node:tls';
import {
  AllowedClients,
  checkTlsClient,
  NotConnected,
  PeerCertificates,
  type ProviderOptions,
  readTlsFiles,
} from '@telltale/stack-kit';
import { roleOf } from './certificate-role.ts';
import type { ProviderVariables } from './variables.ts';

export interface ListenerOptions
  extends Pick<ProviderOptions<ProviderVariables>, 'variables' | 'folder' | 'clock' | 'log'> {
  readonly onClient: (socket: Socket, mayWrite: boolean) => void;
  /** It cannot listen any more. */
  readonly onFailed: (failure: NotConnected) => void;
}

/** For the handshake. */
const handshakeMs = 5000;

export class Listener {
  readonly #options: ListenerOptions;
  readonly #allowed: AllowedClients;
  readonly #certificates: PeerCertificates;
  readonly #writeRoles: ReadonlySet<string>;
  /** Of those that are admitted, before their handshakes as well. */
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
    const { variables } = options;
    const { tls, allowedClients } = variables;
    this.#allowed = tls && allowedClients === '' ? AllowedClients.everyone : AllowedClients.parse(allowedClients);
    this.#certificates = new PeerCertificates(options);
    this.#writeRoles = new Set(rolesIn(variables.writeRoles));
  }

  /** Resolves when it listens. Throws `NotConnected`. */
  async open(signal: AbortSignal): Promise<void> {
    const { variables, onClient, onFailed } = this.#options;
    const { host, port, tls } = variables;
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const server = createServer({ noDelay: true, keepAlive: true });
    this.#server = server;
    const secure = tls ? await this.#secure() : undefined;
    server.on('connection', (socket) => {
      if (!this.#admits(socket)) return;
      if (secure === undefined) onClient(socket, true);
      else secure.emit('connection', socket);
    });
    server.on('error', (error) => {
      const failure = new NotConnected(`cannot listen on ${host} port ${port}: ${error.message}`);
      reject(failure);
      onFailed(failure);
    });
    // It may have been given up while files were read, or while the name of the host was looked up.
    if (this.#server !== server) return;
    server.listen({ host, port }, () => {
      if (this.#server !== server) server.close();
      resolve();
    });
    await promise;
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    await this.#certificates.close();
    if (server === undefined || !server.listening) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    server.close(() => resolve());
    await promise;
  }

  /** It does not listen itself: it is given connections that are admitted. */
  async #secure(): Promise<TlsServer> {
    const { variables, folder, log } = this.#options;
    const files = await readTlsFiles(variables, folder);
    const options = { requestCert: true, rejectUnauthorized: false, handshakeTimeout: handshakeMs };
    const server = createTlsServer({ ...files, ...options }, (socket) => this.#check(socket));
    server.on('tlsClientError', (error, socket) => {
      log.warn(`a client at ${socket.remoteAddress} was disconnected: ${error.message}`);
      socket.destroy();
    });
    return server;
  }

  /** Otherwise the socket is destroyed. */
  #admits(socket: Socket): boolean {
    const { variables, log } = this.#options;
    const { remoteAddress } = socket;
    socket.on('error', () => {}); // `close` follows
    if (!this.#allowed.allows(remoteAddress)) {
      log.warn(`a client at ${remoteAddress} was rejected: its address is not in allowedClients`);
    } else if (this.#sockets.size >= variables.maxClients) {
      log.warn(
        `a client at ${remoteAddress} was rejected: there are ${variables.maxClients} connections already (maxClients)`,
      );
    } else {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      return true;
    }
    socket.destroy();
    return false;
  }

  async #check(socket: TLSSocket): Promise<void> {
    const { variables, clock, log, onClient } = this.#options;
    socket.on('error', () => {}); // `close` follows
    try {
      const hasAuthorities = variables.caFile !== '';
      const certificate = await checkTlsClient(socket, { certificates: this.#certificates, hasAuthorities, clock });
      if (socket.destroyed) return;
      const mayWrite = this.#writeRoles.size === 0 || this.#writeRoles.has(roleOf(certificate) ?? '');
      onClient(socket, mayWrite);
    } catch (error) {
      log.warn(`a client at ${socket.remoteAddress} was rejected: ${(error as Error).message}`);
      socket.destroy();
    }
  }
}

function rolesIn(text: string): string[] {
  return text.split(',').flatMap((role) => role.trim() || []);
}
