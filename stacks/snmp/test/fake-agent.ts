// An agent that does what the test says, right or wrong.
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { tag } from '../src/ber.ts';
import {
  decodeMessage,
  encodeCommunityMessage,
  encodeScoped,
  encodeSecured,
  type SecuredMessage,
} from '../src/message.ts';
import { encodePdu, encodeVarbinds, type Pdu, pduType, type Varbind } from '../src/pdu.ts';
import { UsmUser } from '../src/usm.ts';

export interface FakeAnswer {
  readonly status?: number;
  readonly index?: number;
  readonly varbinds: readonly Varbind[];
}

const keys = { user: 'operator', authKey: 'first key', privKey: 'second key' };
const user = new UsmUser({ ...keys, securityLevel: 'authPriv', authProtocol: 'sha256', privProtocol: 'aes' });
const engine = { engineId: Buffer.from('80001f8805aabbccdd', 'hex'), boots: 1, time: 1 };

export class FakeAgent {
  readonly socket: Socket;
  readonly requests: Pdu[] = [];
  /** As the variables of a connector have them, for version 3. */
  readonly keys = keys;
  /** What comes meanwhile is lost. */
  isSilent = false;
  port = 0;

  /** Of each version; undefined: silence. */
  static async start(answer: (pdu: Pdu) => FakeAnswer | undefined | Promise<FakeAnswer>): Promise<FakeAgent> {
    const agent = new FakeAgent();
    agent.socket.on('message', async (bytes, from) => {
      if (agent.isSilent) return;
      const message = decodeMessage(bytes);
      if (message.version === '3' && !message.isAuthenticated) {
        agent.send(discovered(message), from);
        return;
      }
      const pdu = message.version === '3' ? user.open(message).pdu : message.pdu;
      agent.requests.push(pdu);
      const given = await answer(pdu);
      if (given === undefined) return;
      const { status = 0, index = 0, varbinds } = given;
      const head = { type: pduType.response, requestId: pdu.requestId, errorStatus: status, errorIndex: index };
      const reply = encodePdu(head, encodeVarbinds(varbinds));
      agent.send(sealed(message, reply), from);
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

function sealed(message: ReturnType<typeof decodeMessage>, pdu: Buffer): Buffer {
  if (message.version !== '3') return encodeCommunityMessage(message.version, message.community, pdu);
  const header = { msgId: message.msgId, isReportable: false };
  return user.seal(engine, header, encodeScoped(engine.engineId, '', pdu));
}

function discovered({ msgId }: SecuredMessage): Buffer {
  const counter = { oid: '1.3.6.1.6.3.15.1.1.4.0', tag: tag.counter32, content: Buffer.of(1) };
  const head = { type: pduType.report, requestId: 0, errorStatus: 0, errorIndex: 0 };
  const none = Buffer.alloc(0);
  return encodeSecured({
    msgId,
    ...{ isAuthenticated: false, isEncrypted: false, isReportable: false },
    ...{ engineId: engine.engineId, engineBoots: engine.boots, engineTime: engine.time, user: '' },
    ...{ authParameters: none, privParameters: none },
    scoped: encodeScoped(engine.engineId, '', encodePdu(head, encodeVarbinds([counter]))),
  }).bytes;
}
