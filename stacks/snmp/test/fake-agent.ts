// An agent that does what the test says, right or wrong.
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import {
  decodeMessage,
  encodeCommunityMessage,
  encodePdu,
  encodeVarbinds,
  type Pdu,
  pduType,
  type Varbind,
} from '../src/message.ts';

export interface FakeAnswer {
  readonly status?: number;
  readonly index?: number;
  readonly varbinds: readonly Varbind[];
}

export class FakeAgent {
  readonly socket: Socket;
  readonly requests: Pdu[] = [];
  port = 0;

  /** Of version 2c; undefined: silence. */
  static async start(answer: (pdu: Pdu) => FakeAnswer | undefined): Promise<FakeAgent> {
    const agent = new FakeAgent();
    agent.socket.on('message', (bytes, from) => {
      const message = decodeMessage(bytes);
      if (message.version !== 1) return;
      agent.requests.push(message.pdu);
      const given = answer(message.pdu);
      if (given === undefined) return;
      const { status = 0, index = 0, varbinds } = given;
      const head = { type: pduType.response, requestId: message.pdu.requestId, errorStatus: status, errorIndex: index };
      agent.send(encodeCommunityMessage(message.community, encodePdu(head, encodeVarbinds(varbinds))), from);
    });
    await agent.listen();
    return agent;
  }

  /** Every byte is the test's. */
  static async raw(answer: (bytes: Buffer, send: (bytes: Buffer) => void) => void): Promise<FakeAgent> {
    const agent = new FakeAgent();
    agent.socket.on('message', (bytes, from) => answer(bytes, (reply) => agent.send(reply, from)));
    await agent.listen();
    return agent;
  }

  private constructor() {
    this.socket = createSocket('udp4');
  }

  async listen(): Promise<void> {
    this.socket.bind(0, '127.0.0.1');
    await once(this.socket, 'listening');
    this.port = this.socket.address().port;
  }

  send(bytes: Buffer, { port, address }: RemoteInfo): void {
    this.socket.send(bytes, port, address);
  }

  stop(): void {
    this.socket.close();
  }
}
