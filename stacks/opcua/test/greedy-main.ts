// A process with clients of the provider that never stop: `node greedy-main.ts <port>`. Half of them take the answers, half never
// read; half ask for one node at a time, half for very many. Each opens a session as a client of the library, and then sends its
// read over and over, as fast as the system takes it, past the library. Says `ready` when all have begun.
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '@telltale/schema';
import { clientsOfEach } from '@telltale/stack-kit/testing';
import {
  AttributeIds,
  type ClientSession,
  LogLevel,
  MessageSecurityMode,
  OPCUAClient,
  SecurityPolicy,
  setLogLevel,
  UserTokenType,
} from 'node-opcua-client';
import { CertificateFolder } from '../src/certificate-folder.ts';

setLogLevel(LogLevel.Emergency);
const [port = '0'] = process.argv.slice(2);

const quiet = () => {};
const certificates = new CertificateFolder({
  folder: join(process.cwd(), 'greedy-clients'),
  applicationUri: 'urn:telltale:greedy-client',
  applicationName: 'client',
  clock: systemClock,
  log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
});
await certificates.initialize();

/** Where a chunk of a message has its number and that of its request; without security nothing depends on them. */
const numbersAt = 16;
/** So that the sessions of an earlier attempt are over. */
const sessionMs = 5000;
/** So many take several steps, and have room in one chunk. */
const manyNodes = 100;
const bytesAtOnce = 64 * 1024;

interface Inner {
  readonly _secureChannel: { getTransport(): { readonly _socket: Socket } };
}

interface Opened {
  readonly socket: Socket;
  /** A read, as the library sends it. */
  readonly request: Buffer;
}

async function open(nodes: number): Promise<Opened> {
  const client = OPCUAClient.create({
    securityMode: MessageSecurityMode.None,
    securityPolicy: SecurityPolicy.None,
    endpointMustExist: false,
    clientCertificateManager: certificates,
    certificateKeyPairProvider: certificates,
    connectionStrategy: { maxRetry: 0 },
    requestedSessionTimeout: sessionMs,
  });
  await client.connect(`opc.tcp://127.0.0.1:${port}`);
  const session = await client.createSession({ type: UserTokenType.UserName, userName: 'joe', password: 'secret' });
  const socket = (client as unknown as Inner)._secureChannel.getTransport()._socket;
  return { socket, request: await readOf(session, socket, nodes) };
}

async function readOf(session: ClientSession, socket: Socket, nodes: number): Promise<Buffer> {
  let request: Buffer | undefined;
  const write = socket.write;
  socket.write = ((chunk: Buffer, ...rest: []) => {
    request = Buffer.from(chunk);
    return write.call(socket, chunk, ...rest);
  }) as Socket['write'];
  const node = { nodeId: 'ns=2;s=level.d', attributeId: AttributeIds.Value };
  await session.read(Array.from({ length: nodes }, () => node));
  socket.write = write;
  if (request === undefined) throw new Error('nothing was sent');
  return request;
}

function begin({ socket, request }: Opened, isDeaf: boolean): void {
  socket.removeAllListeners('data').on('error', quiet);
  if (isDeaf) socket.pause();
  else socket.on('data', quiet);
  let number = request.readUInt32LE(numbersAt);
  const many = Buffer.alloc(Math.ceil(bytesAtOnce / request.length) * request.length);
  const numbered = () => {
    for (let at = 0; at < many.length; at += request.length) {
      request.copy(many, at);
      number++;
      many.writeUInt32LE(number, at + numbersAt);
      many.writeUInt32LE(number, at + numbersAt + 4);
    }
    return Buffer.from(many);
  };
  const send = () => {
    while (!socket.destroyed && socket.write(numbered()));
  };
  socket.on('drain', send);
  send();
}

const kinds = Array.from({ length: clientsOfEach }, (_, each) => (each % 2 === 0 ? 1 : manyNodes));
const takers = await Promise.all(kinds.map(open));
const deaf = await Promise.all(kinds.map(open));
for (const each of takers) begin(each, false);
for (const each of deaf) begin(each, true);
process.stdout.write('ready\n');
