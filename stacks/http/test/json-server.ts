// A server for the tests: pages by their paths, what was asked of it, and ways to fail.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

export interface Page {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text as it is, anything else as JSON. */
  readonly body?: unknown;
  /** It never answers. */
  readonly isSilent?: boolean;
  /** It answers so much later. */
  readonly afterMs?: number;
}

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const maxAsked = 1000;

export class JsonServer {
  readonly pages = new Map<string, Page>();
  /** The newest. */
  asked: Asked[] = [];
  /** Answers what the pages do not; undefined: 404. */
  onOther: (asked: Asked) => Page | undefined = () => undefined;
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(tls: { readonly key: string; readonly cert: string } | undefined) {
    const answer: RequestListener = (request, response) => {
      this.#read(request).then(
        (asked) => {
          const page = this.pages.get(asked.url) ?? this.onOther(asked) ?? { status: 404, body: 'no such page' };
          if (page.isSilent) return;
          const { status = 200, headers = {}, body, afterMs } = page;
          const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
          const send = () => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
          if (afterMs === undefined) send();
          else setTimeout(send, afterMs);
        },
        () => response.destroy(),
      );
    };
    this.#server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
    this.#server.on('connection', (socket) => {
      this.connections++;
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(tls?: { readonly key: string; readonly cert: string }): Promise<JsonServer> {
    const server = new JsonServer(tls);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Of GET, by their URLs. */
  get reads(): string[] {
    return this.asked.filter(({ method }) => method === 'GET').map(({ url }) => url);
  }

  dropConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.dropConnections();
    await closed;
  }

  async #read(request: IncomingMessage): Promise<Asked> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const asked = { method, url, headers, body: Buffer.concat(chunks).toString() };
    this.asked.push(asked);
    if (this.asked.length > maxAsked) this.asked = this.asked.slice(-100);
    return asked;
  }
}
