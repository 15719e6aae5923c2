// Sends requests exactly as they are given, over connections that are kept: what `fetch` would correct or refuse, too.
import http from 'node:http';
import type { HttpAnswer } from './openapi-promises.ts';
import type { HttpRequest } from './requests-from-openapi.ts';

/** An answer of the archive may be without an end. */
const mostBytes = 8 << 20;

export class HttpClient {
  readonly #agent: http.Agent;
  readonly #url: URL;

  constructor(url: string, connections: number) {
    this.#url = new URL(url);
    this.#agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  }

  send({ method, path, headers, body }: HttpRequest): Promise<HttpAnswer> {
    const { hostname, port } = this.#url;
    return new Promise((resolve, reject) => {
      const request = http.request({ hostname, port, method, path, headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        const settle = (isCut: boolean) =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks), isCut });
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          bytes += chunk.length;
          if (bytes <= mostBytes) return;
          settle(true);
          response.destroy();
        });
        response.once('error', reject);
        response.once('end', () => settle(false));
      });
      request.once('error', reject);
      request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
