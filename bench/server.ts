// The real server for a benchmark: as a child process, on a data folder that is gone afterwards.
import http from 'node:http';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { type ServerProcess, startServer } from '../test/server-process.ts';

export async function withServer<T>(work: (server: ServerProcess) => Promise<T>): Promise<T> {
  await using cleanup = new AsyncDisposableStack();
  return await work(await startServer(cleanup, { data: temporaryFolder(cleanup) }));
}

const agent = new http.Agent({ keepAlive: true });

/** Sends a JSON body and waits for 204. */
export function post(url: string, body: Uint8Array | string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const request = http.request(url, { method: 'POST', headers, agent }, async (response) => {
      const text = (await response.setEncoding('utf8').toArray()).join('');
      if (response.statusCode === 204) resolve();
      else reject(new Error(`${url} answered ${response.statusCode}: ${text.slice(0, 500)}`));
    });
    request.once('error', reject);
    request.end(body);
  });
}
