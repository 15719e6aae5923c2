// What a request brings to say who sends it.
import type { IncomingMessage } from 'node:http';
import type { Credentials } from '../access/index.ts';

export function credentialsOf({ headers, socket }: IncomingMessage): Credentials {
  return { authorization: headers.authorization, cookie: headers.cookie, source: socket.remoteAddress };
}
