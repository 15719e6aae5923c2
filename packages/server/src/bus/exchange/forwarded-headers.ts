// Which headers of HTTP go with a forwarded request, and with its answer.
import type { IncomingHttpHeaders } from 'node:http';

/** Of one connection: the next one has its own. */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** The centre knows who asks; a site has nothing to do with how they showed it. */
const ofCaller: ReadonlySet<string> = new Set(['authorization', 'cookie', 'host', 'expect']);

export type ForwardedHeaders = Record<string, string | string[]>;

export function requestHeaders(headers: IncomingHttpHeaders): ForwardedHeaders {
  return without(headers, (name) => ofConnection.has(name) || ofCaller.has(name));
}

/** What a site may say to a browser that takes the centre for who answers: nothing about cookies, policies or who has to sign in. */
const ofContent: ReadonlySet<string> = new Set([
  'allow',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-length',
  'content-type',
  'etag',
  'last-modified',
  'retry-after',
  'sec-websocket-accept',
  'sec-websocket-extensions',
  'sec-websocket-protocol',
  'upgrade',
  'vary',
]);

export function shownHeaders(headers: ForwardedHeaders): ForwardedHeaders {
  return without(headers, (name) => !ofContent.has(name));
}

export function answerHeaders(headers: IncomingHttpHeaders): ForwardedHeaders {
  return without(headers, (name) => ofConnection.has(name));
}

function without(headers: IncomingHttpHeaders, isLeftOut: (name: string) => boolean): ForwardedHeaders {
  const kept: ForwardedHeaders = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !isLeftOut(name)) kept[name] = value;
  }
  return kept;
}
