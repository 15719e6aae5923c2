// The `fetch` with which an OpenID provider is asked: an authority of its own, no redirections, and answers of bounded
// length. Node's own takes no authority for a single request.
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

export interface FetchOptions {
  readonly method?: string;
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Metadata and key sets are some kB. */
const maxAnswerBytes = 1024 * 1024;

export function boundedFetch(ca: string | undefined): (url: string, options: FetchOptions) => Promise<Response> {
  return (url, { method = 'GET', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const request = url.startsWith('https:') ? requestHttps : requestHttp;
      const options = {
        method,
        headers: Object.fromEntries(new Headers(headers)),
        ...(ca !== undefined && { ca }),
        minVersion: 'TLSv1.2' as const,
        agent: false as const,
        ...(signal !== undefined && { signal }),
      };
      const asking = request(url, options, (answer) => {
        const chunks: Buffer[] = [];
        let length = 0;
        answer.on('data', (chunk: Buffer) => {
          length += chunk.length;
          chunks.push(chunk);
          if (length > maxAnswerBytes) answer.destroy(new Error(`its answer is longer than ${maxAnswerBytes} bytes`));
        });
        answer.on('error', reject);
        answer.on('end', () => {
          const { statusCode: status = 500, headersDistinct } = answer;
          const pairs = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
            values.map((value): [string, string] => [name, value]),
          );
          const hasBody = status !== 204 && status !== 205 && status !== 304;
          resolve(new Response(hasBody ? Buffer.concat(chunks) : null, { status, headers: pairs }));
        });
      });
      asking.on('error', reject);
      asking.end(body === undefined || body === null ? undefined : String(body));
    });
}
