// Requests to a peer over HTTP: kept connections, whole bodies, no more than a given number at once.
import http from 'node:http';

export class HttpPeer {
  readonly #base: string;
  readonly #agent = new http.Agent({ keepAlive: true });

  constructor(base: string) {
    this.#base = base;
  }

  ask(method: string, path: string, body?: Uint8Array, headers: http.OutgoingHttpHeaders = {}): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const options = { method, agent: this.#agent, headers: { 'content-length': body?.length ?? 0, ...headers } };
      const request = http.request(`${this.#base}${path}`, options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const answer = Buffer.concat(chunks);
          if ((response.statusCode ?? 500) < 300) resolve(answer);
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${answer.toString().slice(0, 500)}`));
        });
      });
      request.once('error', reject);
      request.end(body);
    });
  }

  /** Posts all bodies in order, `atOnce` of them at a time, and gives the milliseconds that it took. */
  async postAll(path: string, bodies: readonly Uint8Array[], atOnce: number): Promise<number> {
    const start = performance.now();
    let next = 0;
    const sender = async () => {
      for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) await this.ask('POST', path, body);
    };
    await Promise.all(Array.from({ length: atOnce }, sender));
    return performance.now() - start;
  }

  close(): void {
    this.#agent.destroy();
  }
}
