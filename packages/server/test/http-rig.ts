// The real HTTP server around the routes of a test, sockets to it and what its metrics say; all of it ends together.
import type { AddressInfo, Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { openSocket } from '../../../test/raw-http.ts';
import { until } from '../../../test/until.ts';
import { type HttpServer, type HttpServerOptions, Metrics } from '../src/api/index.ts';
import { reset } from '../src/api/socket-internals.ts';
import { plainHttp } from './plain-http.ts';

export class HttpRig {
  readonly #sockets: Socket[] = [];
  readonly #metrics = new Metrics();
  readonly app: HttpServer;

  constructor(options: Pick<HttpServerOptions, 'routes'> & Partial<HttpServerOptions>) {
    this.app = plainHttp({ metrics: this.#metrics, ...options });
  }

  async listen(): Promise<this> {
    await this.app.listen({ host: '127.0.0.1', port: 0 });
    return this;
  }

  /** The sockets that the server has taken from now on. */
  taken(): Socket[] {
    const sockets: Socket[] = [];
    const event = this.app.server instanceof TlsServer ? 'secureConnection' : 'connection';
    this.app.server.on(event, (socket: Socket) => sockets.push(socket));
    return sockets;
  }

  async open(): Promise<Socket> {
    const { port } = this.app.server.address() as AddressInfo;
    const socket = await openSocket(`http://127.0.0.1:${port}`);
    this.#sockets.push(socket);
    return socket;
  }

  /** Of `telltale_http_…`, labels included. */
  async figure(name: string): Promise<number> {
    const text = await this.#metrics.registry.metrics();
    const line = text.split('\n').find((each) => each.startsWith(`telltale_http_${name} `));
    return Number(line?.split(' ')[1]);
  }

  /** Connections that the server closed. */
  closedBy(reason: string): Promise<number> {
    return this.figure(`connections_closed_total{reason="${reason}"}`);
  }

  /** With a reset: what was asked on them is wanted no more. */
  async end(): Promise<void> {
    for (const socket of this.#sockets.splice(0)) reset(socket);
    try {
      await until('all connections are gone', async () => (await this.figure('connections')) === 0);
    } finally {
      this.app.server.closeAllConnections();
      await this.app.close();
    }
  }
}

export const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n');

/** Of every answer in the text. */
export const statuses = (text: string) =>
  Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => Number(status));
