// Turns what went wrong into an answer: every error body of the service is made here.
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ProblemError, type ProblemName, problemMediaType } from '@telltale/schema';
import { answerHeaders } from './answer-headers.ts';

/** With a 401, what would be right (RFC 9110, 15.5.2; RFC 6750). */
export const challenge = 'Bearer error="invalid_token"';

/** When another try is worth it. */
const overloadedS = 1;

/** The rest of such a request is not worth waiting for. */
const closing: ReadonlySet<ProblemName> = new Set(['malformed-request', 'request-timeout', 'overloaded']);

export function sendProblem(response: ServerResponse, problem: ProblemError): void {
  if (response.headersSent || response.destroyed) return;
  const body = JSON.stringify(problem);
  if (problem.status === 401) response.setHeader('www-authenticate', challenge);
  const retryAfterS = problem.retryAfterS ?? (problem.problem === 'overloaded' ? overloadedS : undefined);
  if (retryAfterS !== undefined) response.setHeader('retry-after', retryAfterS);
  if (closing.has(problem.problem)) response.setHeader('connection', 'close');
  response.writeHead(problem.status, {
    ...answerHeaders(response.socket),
    'cache-control': 'no-store',
    'content-type': problemMediaType,
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

const clientErrors: Record<string, [ProblemName, string]> = {
  HPE_HEADER_OVERFLOW: ['headers-too-large', 'The URL and the headers are longer than the service takes.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request-timeout', 'The request did not arrive in time.'],
};

/** A connection that is closed while its client still sends is reset, and the client never sees the answer. */
const lingerMs = 2000;

/** Answers what is not even HTTP, on the bare socket, and discards the rest of the input. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (socket.writableEnded && !socket.destroyed) return; // answered; this is the rest of it
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [name, detail] = clientErrors[error.code ?? ''] ?? ['malformed-request', 'The request is not HTTP/1.1.'];
  endWith(new ProblemError(name, detail), socket.resume());
}

/** Sends the problem on the bare socket, where nothing else answers, and closes it soon. */
export function endWith(problem: ProblemError, socket: Duplex): void {
  closeSoon(socket, bareAnswer(problem, socket));
}

/** Sends no more, and closes when the client has had time to read; discards what it still sends. */
export function closeSoon(socket: Duplex, lastWords?: string): void {
  socket.end(lastWords);
  const linger = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(linger));
}

/** The answer to a client that is talked to over its bare socket, which is closed then. */
export function bareAnswer(problem: ProblemError, socket: Duplex): string {
  const { status } = problem;
  const body = JSON.stringify(problem);
  const { 'keep-alive': _, ...headers } = answerHeaders(socket);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: ${problemMediaType}\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n${lines.join('')}` +
    `${status === 401 ? `WWW-Authenticate: ${challenge}\r\n` : ''}\r\n${body}`
  );
}
