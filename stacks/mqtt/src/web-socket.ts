// MQTT over WebSocket (MQTT 5, 6): the bytes of both directions in binary messages, over a socket that is there already.
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { answerPings } from '@telltale/schema';
import { createWebSocketStream, WebSocket } from 'ws';

export interface WebSocketPlace {
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

/** A message of WebSocket has to be whole before it can be read; one of MQTT may have 256 MiB. */
const maxMessageBytes = 64 * 1024 * 1024;

/** The socket may be encrypted: then this is `wss`, and whoever made it has checked the certificate. */
export function webSocketOver(socket: Socket, { host, port, path }: WebSocketPlace): Duplex {
  const authority = host.includes(':') ? `[${host}]` : host;
  const webSocket = new WebSocket(`ws://${authority}:${port}${path}`, 'mqtt', {
    createConnection: () => socket,
    perMessageDeflate: false,
    followRedirects: false,
    maxPayload: maxMessageBytes,
    autoPong: false,
  });
  answerPings(webSocket);
  return createWebSocketStream(webSocket);
}
