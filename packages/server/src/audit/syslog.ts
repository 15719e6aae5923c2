// Sends messages to a syslog server (RFC 5424): over UDP, one a datagram (RFC 5426), or over TCP or TLS, with their length in
// front (RFC 6587, RFC 5425). While the server is away they wait, the newest of them; it is tried again.
import { createSocket } from 'node:dgram';
import { connect, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '@telltale/schema';

export interface SyslogTarget {
  readonly protocol: 'udp' | 'tcp' | 'tls';
  readonly host: string;
  readonly port: number;
}

export interface SyslogOptions {
  readonly target: SyslogTarget;
  readonly clock: Clock;
  /** The certificates, in PEM, by which a server of TLS is trusted; default: those of Node. */
  readonly ca?: string | undefined;
  /** The server is away, for this reason; undefined: it takes messages again. */
  readonly onFault: (reason: string | undefined) => void;
}

const ports = { udp: 514, tcp: 601, tls: 6514 } as const;
const form = /^(udp|tcp|tls):\/\/(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(?::(\d{1,5}))?$/;

/** Such as tls://log.example:6514; undefined where it is none. */
export function readSyslogTarget(text: string): SyslogTarget | undefined {
  const [, word, host, digits] = form.exec(text) ?? [];
  if (word === undefined || host === undefined) return undefined;
  const protocol = word as SyslogTarget['protocol'];
  const port = digits === undefined ? ports[protocol] : Number(digits);
  return port >= 1 && port <= 65535 ? { protocol, host: host.replace(/^\[|\]$/g, ''), port } : undefined;
}

/** Facility 13, log audit; severity 5, notice. */
const priority = 13 * 8 + 5;
const mostWaiting = 1000;
const [firstRetryMs, lastRetryMs] = [1000, 60_000];
const connectMs = 10_000;

export class Syslog {
  readonly #options: SyslogOptions;
  #waiting: Buffer[] = [];
  #socket: Socket | undefined;
  #isReady = false;
  #retryMs = firstRetryMs;
  #cancel: (() => void) | undefined;
  #reason: string | undefined;
  #isClosed = false;
  /** Messages that were discarded while the server was away. */
  discarded = 0;

  constructor(options: SyslogOptions) {
    this.#options = options;
  }

  get failure(): string | undefined {
    return this.#reason;
  }

  get pending(): number {
    return this.#waiting.length;
  }

  /** `id` says what kind of message it is. */
  send(id: string, text: string): void {
    if (this.#isClosed) return;
    const time = new Date(this.#options.clock.now() / 1000).toISOString();
    const from = hostname().replace(/[^\x21-\x7e]/g, '-') || '-';
    const message = Buffer.from(`<${priority}>1 ${time} ${from} telltale ${process.pid} ${id} - \ufeff${text}`);
    this.#waiting.push(message);
    if (this.#waiting.length > mostWaiting) {
      this.#waiting.shift();
      this.discarded++;
    }
    this.#flush();
  }

  /** Sends what waits where the server takes it within a second. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    const socket = this.#socket;
    if (socket === undefined) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#options.clock.after(firstRetryMs, () => socket.destroy());
      socket.once('close', () => {
        cancel();
        resolve();
      });
      if (this.#isReady) socket.end(); // else it ends when it is connected, and has sent what waits
    });
  }

  #flush(): void {
    if (this.#options.target.protocol === 'udp') this.#sendDatagrams();
    else if (this.#isReady) this.#writeAll();
    else if (this.#socket === undefined && this.#cancel === undefined) this.#connect();
  }

  #sendDatagrams(): void {
    const { host, port } = this.#options.target;
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    const all = this.#waiting.splice(0);
    let open = all.length;
    socket.on('error', (error) => this.#note(error.message));
    for (const message of all) {
      socket.send(message, port, host, (error) => {
        this.#note(error?.message);
        if (--open === 0) socket.close();
      });
    }
  }

  #writeAll(): void {
    const socket = this.#socket as Socket;
    for (const message of this.#waiting.splice(0))
      socket.write(Buffer.concat([Buffer.from(`${message.length} `), message]));
  }

  #connect(): void {
    const { target, ca, clock } = this.#options;
    const { protocol, host, port } = target;
    const ready = () => {
      cancelWait();
      this.#isReady = true;
      this.#retryMs = firstRetryMs;
      this.#note(undefined);
      this.#writeAll();
      if (this.#isClosed) socket.end();
    };
    const socket =
      protocol === 'tls'
        ? connectTls({ host, port, servername: isAddress(host) ? '' : host, ...(ca !== undefined && { ca }) }, ready)
        : connect({ host, port }, ready);
    const cancelWait = clock.after(connectMs, () => socket.destroy(new Error('it does not answer')));
    this.#socket = socket;
    let reason = 'it closed the connection';
    socket.on('error', (error) => {
      reason = error.message;
    });
    socket.on('data', () => {}); // nothing is expected; what comes is let pass, so that the end is heard
    socket.once('close', () => {
      cancelWait();
      this.#socket = undefined;
      this.#isReady = false;
      if (!this.#isClosed) this.#again(reason);
    });
  }

  #again(reason: string): void {
    this.#note(reason);
    this.#cancel = this.#options.clock.after(this.#retryMs, () => {
      this.#cancel = undefined;
      this.#connect();
    });
    this.#retryMs = Math.min(lastRetryMs, 2 * this.#retryMs);
  }

  #note(reason: string | undefined): void {
    const isChange = (this.#reason === undefined) !== (reason === undefined);
    this.#reason = reason;
    if (isChange) this.#options.onFault(reason);
  }
}

function isAddress(host: string): boolean {
  return /^[\d.]+$/.test(host) || host.includes(':');
}
