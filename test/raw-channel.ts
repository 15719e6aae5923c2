// WebSocket frames as bytes on a socket, for what no decent client would send, and what the server answers to it.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { openSocket } from './raw-http.ts';

export interface Frame {
  readonly opcode: number;
  readonly payload: Uint8Array;
  readonly isFinal?: boolean;
  readonly isMasked?: boolean;
  /** Of RSV1 to RSV3. */
  readonly reserved?: number;
  /** What the header says of the length, where it lies. */
  readonly length?: number;
}

export function frameBytes({ opcode, payload, isFinal = true, isMasked = true, reserved = 0, length }: Frame): Buffer {
  const said = length ?? payload.length;
  const short = said < 126 ? said : said < 65_536 ? 126 : 127;
  const header = Buffer.alloc(2 + (short === 126 ? 2 : short === 127 ? 8 : 0));
  header[0] = (isFinal ? 0x80 : 0) | ((reserved & 7) << 4) | (opcode & 15);
  header[1] = (isMasked ? 0x80 : 0) | short;
  if (short === 126) header.writeUInt16BE(said, 2);
  if (short === 127) header.writeBigUInt64BE(BigInt(said), 2);
  if (!isMasked) return Buffer.concat([header, payload]);
  const mask = Buffer.from([1, 2, 3, 4]);
  return Buffer.concat([header, mask, payload.map((byte, at) => byte ^ (mask[at % 4] as number))]);
}

/** What came back: the texts of messages, and the code of the close frame, 1006 where there was none. */
export interface Reply {
  readonly texts: string[];
  readonly code: number;
}

/**
 * Opens the channel, sends the bytes, waits for so many answers, then sends a close frame, and reads until the server has
 * closed. Where a frame may lie about its length, the server waits for the rest of it: then the client hangs up.
 */
export async function exchangeFrames(url: string, bytes: Uint8Array, answers: number | 'hang up'): Promise<Reply> {
  const socket = await openChannel(url);
  let received = Buffer.alloc(0);
  const enough = new Promise<void>((resolve) => {
    const look = () => {
      if (answers === 'hang up' || readFrames(received).texts.length >= answers) resolve();
    };
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      look();
    });
    socket.once('close', () => resolve());
    look();
  });
  socket.write(bytes);
  await enough;
  if (!socket.closed) {
    const goodbye = frameBytes({ opcode: 8, payload: new Uint8Array([0x03, 0xe8]) });
    if (answers === 'hang up') socket.end(goodbye);
    else socket.write(goodbye);
    await once(socket, 'close');
  }
  return readFrames(received);
}

async function openChannel(url: string): Promise<Socket> {
  const socket = await openSocket(url);
  const head = [
    'GET /data/ws HTTP/1.1',
    `Host: ${new URL(url).host}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error(answer.toString('latin1'));
  return socket;
}

/** A server sends whole frames without masks. */
function readFrames(bytes: Buffer): Reply {
  const texts: string[] = [];
  let code = 1006;
  for (let at = 0; at + 2 <= bytes.length; ) {
    const opcode = (bytes[at] as number) & 15;
    const short = (bytes[at + 1] as number) & 127;
    const start = at + (short === 126 ? 4 : short === 127 ? 10 : 2);
    if (start > bytes.length) break;
    let length = short;
    if (short === 126) length = bytes.readUInt16BE(at + 2);
    if (short === 127) length = Number(bytes.readBigUInt64BE(at + 2));
    at = start + length;
    if (at > bytes.length) break;
    const payload = bytes.subarray(start, at);
    if (opcode === 1) texts.push(payload.toString());
    if (opcode === 8) code = payload.length < 2 ? 1005 : payload.readUInt16BE(0);
  }
  return { texts, code };
}
