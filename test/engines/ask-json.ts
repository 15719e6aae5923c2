// A request to an engine over HTTP or HTTPS, by a client that may show a certificate.
import { readFileSync } from 'node:fs';
import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Authority, Pair } from './authority.ts';

export interface AskOptions {
  /** Sent by POST; without one it is a GET. */
  readonly body?: unknown;
  /** Whose servers are trusted, over HTTPS. */
  readonly authority?: Authority | undefined;
  readonly pair?: Pair | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface JsonAnswer {
  readonly status: number;
  /** Some refuse in plain words. */
  readonly body: unknown;
}

const patienceMs = 10_000;

/** Rejects where nobody answers in time. */
export async function askJson(url: string, { body, authority, pair, headers }: AskOptions = {}): Promise<JsonAnswer> {
  const request = authority === undefined ? requestPlain : requestSecure;
  const { promise, resolve, reject } = Promise.withResolvers<JsonAnswer>();
  const asking = request(url, {
    method: body === undefined ? 'GET' : 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', ...headers },
    signal: AbortSignal.timeout(patienceMs),
    ...(authority && { ca: readFileSync(authority.ca) }),
    ...(pair && { cert: readFileSync(pair.cert), key: readFileSync(pair.key) }),
  });
  asking.on('error', reject).on('response', (response) => {
    const done = (said: string) => resolve({ status: response.statusCode ?? 0, body: parsed(said) });
    text(response).then(done, reject);
  });
  asking.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

function parsed(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return said.trim();
  }
}
