// One client of the library and its socket, made and ended for good: it never connects again by itself, and whatever
// state it is in, `destroy` leaves nothing behind.
import {
  type ClientSecureChannelLayer,
  LogLevel,
  type MessageSecurityMode,
  OPCUAClient,
  type SecurityPolicy,
  setLogLevel,
} from 'node-opcua-client';
import type { CertificateFolder } from './certificate-folder.ts';
import { guardArrays } from './guarded-arrays.ts';
import { GuardedTransport } from './guarded-socket.ts';

export interface UaClientOptions {
  readonly name: string;
  readonly applicationUri: string;
  readonly certificates: CertificateFolder;
  readonly securityMode: MessageSecurityMode;
  readonly securityPolicy: SecurityPolicy;
  readonly serverCertificate: Buffer | undefined;
  readonly sessionTimeoutMs: number;
}

/** What a server may make the client hold at most. */
const maxMessageBytes = 16 * 1024 * 1024;
const chunkBytes = 64 * 1024;

export class UaClient {
  readonly client: OPCUAClient;
  /** What the server has said, where it has ended the connection with a reason. */
  refusal: string | undefined;
  readonly #channels = new Set<ClientSecureChannelLayer>();

  constructor({ name, applicationUri, certificates, serverCertificate, ...options }: UaClientOptions) {
    // The library prints to the console; messages belong into the log of the instance.
    setLogLevel(LogLevel.Emergency);
    guardArrays();
    this.client = OPCUAClient.create({
      applicationName: 'Telltale',
      clientName: name,
      applicationUri,
      securityMode: options.securityMode,
      securityPolicy: options.securityPolicy,
      ...(serverCertificate && { serverCertificate }),
      clientCertificateManager: certificates,
      certificateKeyPairProvider: certificates,
      connectionStrategy: { maxRetry: 0, initialDelay: 100, maxDelay: 100 },
      endpointMustExist: false,
      keepSessionAlive: false,
      keepPendingSessionsOnDisconnect: true,
      requestedSessionTimeout: options.sessionTimeoutMs,
      transportFactory: {
        create: (settings) => new GuardedTransport(settings, (reason) => this.#refuse(reason)) as never,
      },
      transportSettings: {
        maxMessageSize: maxMessageBytes,
        maxChunkCount: maxMessageBytes / chunkBytes,
        receiveBufferSize: chunkBytes,
        sendBufferSize: chunkBytes,
      },
    });
    this.client.on('secure_channel_created', (channel) => this.#channels.add(channel));
  }

  /** The reason for people: what the server has said, before what the library made of it. */
  reasonOf(error: unknown): string {
    if (this.refusal !== undefined) return `the server has ended the connection: ${this.refusal}`;
    const said = error instanceof Error ? error.message : String(error ?? '');
    // The library puts several lines of advice around it.
    const message = /Err = \((.+)\)\s*$/s.exec(said)?.[1] ?? said;
    if (message === 'Connection Break') return 'the connection was reset';
    const isSilentEnd = message === '' || message.includes('disconnected by third party');
    return isSilentEnd ? 'the server has closed the connection without a reason' : message;
  }

  #refuse(reason: string): void {
    this.refusal ??= reason;
  }

  /** Ends the link without a word to the server where it does not listen. Never rejects, never waits for long. */
  async destroy(): Promise<void> {
    const { promise: waited, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, 500);
    await Promise.race([this.client.disconnect().catch(() => undefined), waited]);
    clearTimeout(timer);
    for (const channel of this.#channels) {
      channel.cancelPendingTransactions(() => undefined);
      channel.dispose();
    }
    this.#channels.clear();
    this.client.removeAllListeners();
  }
}
