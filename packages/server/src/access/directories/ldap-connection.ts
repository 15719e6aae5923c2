// One connection to an LDAP server, over TLS from its first request on, with one time limit for all that is asked, and a
// limit on what the server answers. It never connects again by itself: that would be without TLS after StartTLS.
import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { Clock } from '@telltale/schema';
import { Client, type Entry, type SearchOptions } from 'ldapts';

export interface LdapConnectionOptions {
  readonly url: string;
  readonly ca: string | undefined;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** An entry of a person, or a thousand names of groups, is a fraction of it. */
const maxAnswerBytes = 4 * 1024 * 1024;

export class LdapConnection {
  readonly #client: Client;
  readonly #tls: ConnectionOptions;
  readonly #isPlain: boolean;
  readonly #failed = Promise.withResolvers<never>();
  readonly #stopTimer: () => void;
  readonly #count = () => {
    if ((this.#socket?.bytesRead ?? 0) > maxAnswerBytes)
      this.#fail(`its answers are longer than ${maxAnswerBytes} bytes`);
  };
  #socket: Socket | undefined;
  #hasFailed = false;

  constructor({ url, ca, timeoutMs, clock }: LdapConnectionOptions) {
    const { protocol, hostname } = new URL(url);
    const host = hostname.replace(/^\[|\]$/g, '');
    this.#isPlain = protocol !== 'ldaps:';
    this.#tls = {
      host,
      ...(isIP(host) === 0 && { servername: host }),
      ...(ca !== undefined && { ca }),
      minVersion: 'TLSv1.2',
    };
    this.#client = new Client({
      url,
      // With options, ldap:// would begin with TLS as well.
      ...(!this.#isPlain && { tlsOptions: this.#tls }),
      createConnection: ((port: number) => this.#once(() => connect(port, host))) as typeof connect,
      createSecureConnection: ((first: number | ConnectionOptions) =>
        typeof first === 'number'
          ? this.#once(() => connectTls({ ...this.#tls, port: first }))
          : this.#upgrade(first)) as typeof connectTls,
    });
    this.#failed.promise.catch(() => {}); // also where nobody waits for anything
    this.#stopTimer = clock.after(timeoutMs, () => this.#fail(`it has not answered within ${timeoutMs} ms`));
  }

  /** Rejects where there is no TLS, or its certificate is not the server's. Over ldaps, the first request connects. */
  async open(): Promise<void> {
    if (this.#isPlain) await this.#inTime(this.#client.startTLS({ ...this.#tls }));
  }

  async bind(dn: string, password: string): Promise<void> {
    // A name without `=` could be that of a mechanism; an empty password binds as nobody in particular, and succeeds.
    if (!dn.includes('=') || password === '') throw new Error('a bind needs a distinguished name and a password');
    await this.#inTime(this.#client.bind(dn, password));
  }

  async search(base: string, options: SearchOptions): Promise<Entry[]> {
    const explicitBufferAttributes = ['objectGUID'];
    const searching = this.#client.search(base, { ...options, scope: 'sub', explicitBufferAttributes });
    return (await this.#inTime(searching)).searchEntries;
  }

  async close(): Promise<void> {
    if (!this.#hasFailed) await this.#inTime(this.#client.unbind()).catch(() => {});
    this.#stopTimer();
    this.#socket?.destroy();
  }

  /** What is under way when a socket is closed in a handshake never settles by itself. */
  #inTime<Result>(asking: Promise<Result>): Promise<Result> {
    return Promise.race([asking, this.#failed.promise]);
  }

  #once(connectNow: () => Socket): Socket {
    if (this.#socket !== undefined) throw new Error('the server has closed the connection');
    this.#socket = this.#watched(connectNow());
    return this.#socket;
  }

  #upgrade(options: ConnectionOptions): Socket {
    this.#socket?.off('data', this.#count); // from here on the socket of TLS reads
    return this.#watched(connectTls(options));
  }

  #watched(socket: Socket): Socket {
    return socket.on('data', this.#count).on('close', () => {
      this.#fail(socket.errored?.message ?? 'it has closed the connection');
    });
  }

  #fail(fault: string): void {
    this.#hasFailed = true;
    this.#failed.reject(new Error(fault));
    this.#socket?.destroy();
  }
}
