// Faults that make the target or the end of a request ambiguous: a proxy in front may have read it differently. Such a
// request reaches no handler, and nothing behind it on its connection is read.
import type { IncomingMessage } from 'node:http';

/** The fault in the form of the request; undefined where there is no fault. */
export function formFault(request: IncomingMessage): string | undefined {
  const { url = '', headers, rawHeaders, httpVersionMajor, httpVersionMinor } = request;
  if (httpVersionMajor !== 1) return `The version is ${request.httpVersion}; HTTP/1.1 is the one there is.`;
  const hosts = countOf('host', rawHeaders);
  if (hosts > 1) return 'There is more than one Host header.';
  if (hosts === 0 && httpVersionMinor > 0) return 'There is no Host header.';
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return `The Transfer-Encoding is ${JSON.stringify(coding.slice(0, 80))}; chunked is the one there is.`;
  }
  const { expect } = headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    return `The Expect is ${JSON.stringify(expect.slice(0, 80))}; 100-continue is the one there is.`;
  }
  if (url.startsWith('/')) return undefined;
  const authority = absoluteForm.exec(url)?.[1];
  if (authority === undefined) return 'The target of the request is neither a path nor a URL of http.';
  if (authority.toLowerCase() === headers.host?.toLowerCase()) return undefined;
  return 'The host in the target of the request is not that of the Host header.';
}

/** The target without scheme and host, which a client may name (RFC 9112, 3.2.2). */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = target.replace(absoluteForm, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

const absoluteForm = /^https?:\/\/([^/?#]*)/i;

/** Whether the client sends the body only after `100 Continue`. */
export function awaitsContinue({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersionMinor > 0;
}

function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const each = rawHeaders[at] as string;
    if (each.length === name.length && each.toLowerCase() === name) count++;
  }
  return count;
}
