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

/** Cookies of a site would be those of the centre. */
export function answerHeaders(headers: IncomingHttpHeaders): ForwardedHeaders {
  return without(headers, (name) => ofConnection.has(name) || name === 'set-cookie');
}

function without(headers: IncomingHttpHeaders, isLeftOut: (name: string) => boolean): ForwardedHeaders {
  const kept: ForwardedHeaders = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !isLeftOut(name)) kept[name] = value;
  }
  return kept;
}
