// What makes it uncertain whom a request is for or where it ends: a proxy in front may have read it otherwise. Such a
// request comes to no handler, and nothing behind it on its connection is read.
import type { IncomingMessage } from 'node:http';

/** What is wrong with the form of the request; undefined where nothing is. */
export function formFault({ url = '', headers, rawHeaders }: IncomingMessage): string | undefined {
  if (countOf('host', rawHeaders) > 1) return 'There is more than one Host header.';
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return `The Transfer-Encoding is ${JSON.stringify(coding.slice(0, 80))}; chunked is the one there is.`;
  }
  if (url.startsWith('/') || url === '*') return undefined;
  const [, authority = ''] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? [];
  if (authority.toLowerCase() === headers.host?.toLowerCase()) return undefined;
  return 'The host in the target of the request is not that of the Host header.';
}

function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const each = rawHeaders[at] as string;
    if (each.length === name.length && each.toLowerCase() === name) count++;
  }
  return count;
}
