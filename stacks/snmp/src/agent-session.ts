// The way to one agent: requests out, the answers that belong to them back, in every version. Reads are sent again
// within their time, a set never is. What is not the answer to a request that waits is passed over and counted.
import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { isIP, isIPv6 } from 'node:net';
import { type Clock, unlessAborted } from '@telltale/schema';
import { NoAnswer, NotConnected } from '@telltale/stack-kit';
import type { Account } from './account.ts';
import type { Host } from './address.ts';
import { Malformed } from './ber.ts';
import {
  type CommunityMessage,
  decodeMessage,
  encodeCommunityMessage,
  encodeScoped,
  encodeSecured,
  maxMessageBytes,
  type SecuredMessage,
} from './message.ts';
import { encodePdu, type Pdu, pduType, type Question } from './pdu.ts';
import { RemoteEngine } from './remote-engine.ts';
import { answerOfVersion1, questionOfVersion1 } from './version-1.ts';

export interface SessionOptions {
  readonly host: Host;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly account: Account;
  /** The address of a host name, resolved again. Throws if it cannot be resolved. */
  readonly resolve?: (host: string) => Promise<string>;
}

interface PendingRequest {
  readonly take: (pdu: Pdu, message: SecuredMessage | undefined) => void;
  readonly fail: (error: Error) => void;
}

/** Reports of version 3, by the number of their counter. */
const reports: Readonly<Record<string, string>> = {
  '1.3.6.1.6.3.15.1.1.1.0': 'the agent does not allow this user this level of security',
  '1.3.6.1.6.3.15.1.1.2.0': 'the agent finds the message too old or too new',
  '1.3.6.1.6.3.15.1.1.3.0': 'the agent does not know the user',
  '1.3.6.1.6.3.15.1.1.4.0': 'the agent is another engine than before',
  '1.3.6.1.6.3.15.1.1.5.0': 'the agent finds the signature wrong: another passphrase or hash',
  '1.3.6.1.6.3.15.1.1.6.0': 'the agent cannot decrypt: another passphrase or cipher',
  '1.3.6.1.6.3.11.2.1.3.0': 'the agent cannot handle such a request',
  '1.3.6.1.6.3.12.1.5.0': 'the agent does not know the context',
};
const notInTimeWindow = '1.3.6.1.6.3.15.1.1.2.0';
const unknownEngine = '1.3.6.1.6.3.15.1.1.4.0';

const maxFailures = 3;

/** A set may take longer than a read, and since it is not sent again there is no hurry. */
const setMs = 5000;

/** The agent says that it has not looked at the request. */
export class Reported extends NoAnswer {
  readonly oid: string;
  /** Signed by the agent. */
  readonly isSigned: boolean;

  constructor(oid: string, isSigned: boolean) {
    super(reports[oid] ?? `the agent reports ${oid}`);
    this.oid = oid;
    this.isSigned = isSigned;
  }
}

export class AgentSession {
  readonly #options: SessionOptions;
  readonly #pending = new Map<number, PendingRequest>();
  #socket: Promise<Socket> | undefined;
  #engine: RemoteEngine | undefined;
  /** Requests in a row that got no answer. */
  #failures = 0;
  #busy = 0;
  #isClosed = false;
  /** Datagrams that were malformed or unexpected. */
  strays = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Throws `NoAnswer` where the agent is silent or will not hear us, the reason of the signal where that is aborted. */
  async read(question: Question, signal: AbortSignal): Promise<Pdu> {
    try {
      return await this.#readOnce(question, signal);
    } catch (error) {
      if (!(error instanceof Reported) || (error.oid !== notInTimeWindow && error.oid !== unknownEngine)) throw error;
      // The engine was learned again from the report, or is requested.
      return this.#readOnce(question, signal);
    }
  }

  /** Sends once. Throws `NotConnected` (nothing sent), `Reported` (not looked at), else the agent may have it. */
  async set(varbinds: Buffer, signal: AbortSignal): Promise<Pdu> {
    const question = { type: pduType.set, varbinds };
    const limits = { retries: 0, timeoutMs: Math.max(this.#options.timeoutMs, setMs) };
    return this.#counted(async () => {
      await this.#ready(signal).catch((error) => {
        throw new NotConnected(`nothing was sent: ${error instanceof Error ? error.message : error}`);
      });
      try {
        return await this.#ask(question, limits, signal);
      } catch (error) {
        // Only a report that the agent signed proves that it did nothing, so that it may have it once more.
        if (!(error instanceof Reported) || error.oid !== notInTimeWindow || !error.isSigned) throw error;
        return await this.#ask(question, limits, signal);
      }
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const { fail } of [...this.#pending.values()]) fail(new Error('the link was closed before the answer came'));
    this.#leaveSocket();
  }

  #leaveSocket(): void {
    this.#socket?.then(
      (socket) => socket.close(),
      () => undefined,
    );
    this.#socket = undefined;
  }

  #readOnce(question: Question, signal: AbortSignal): Promise<Pdu> {
    return this.#counted(async () => {
      await this.#ready(signal);
      return this.#ask(question, this.#options, signal);
    });
  }

  async #counted(request: () => Promise<Pdu>): Promise<Pdu> {
    this.#busy++;
    try {
      const pdu = await request();
      this.#failures = 0;
      return pdu;
    } catch (error) {
      // Requests that could not be sent because discovery failed count as well.
      if (error instanceof NoAnswer || error instanceof NotConnected) this.#missed();
      throw error;
    } finally {
      this.#busy--;
    }
  }

  /** An agent that is silent for a while is met as if for the first time. */
  #missed(): void {
    // Who still waits for an answer, to a set above all, is not left without it: an agent may be busy with that.
    if (++this.#failures < maxFailures || this.#busy > 1) return;
    // One that was reset may count its starts from the beginning, which looks like something old that is played back.
    this.#engine = undefined;
    // Its name may lead elsewhere by now.
    if (isIP(this.#options.host.host) === 0) this.#leaveSocket();
  }

  /** The socket is there and, for version 3, the engine is known. */
  async #ready(signal: AbortSignal): Promise<void> {
    await this.#open(signal);
    if (this.#options.account.version !== '3' || this.#engine !== undefined) return;
    try {
      await this.#ask({ type: pduType.get, varbinds: Buffer.alloc(0) }, this.#options, signal, true);
    } catch (error) {
      if (!(error instanceof Reported) || this.#engine === undefined) throw error;
    }
    if (this.#engine === undefined) throw new NoAnswer('the agent does not report its engine ID');
  }

  async #open(signal: AbortSignal): Promise<Socket> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new NotConnected('the link is closed');
    this.#socket ??= this.#makeSocket().catch((error) => {
      this.#socket = undefined;
      throw error;
    });
    const opening = this.#socket;
    const { promise, reject } = Promise.withResolvers<never>();
    // A name that is looked up for long is given up like an agent that is silent.
    const cancel = this.#options.clock.after(this.#options.timeoutMs, () =>
      reject(new NoAnswer(`${this.#options.host.host} was not found within ${this.#options.timeoutMs} ms`)),
    );
    try {
      return await unlessAborted(signal, Promise.race([opening, promise]));
    } finally {
      cancel();
    }
  }

  async #makeSocket(): Promise<Socket> {
    const { host, port } = this.#options.host;
    const address = await this.#addressOf(host);
    if (this.#isClosed) throw new NotConnected('the link is closed');
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    socket.on('message', (bytes) => this.#hear(bytes));
    // Such as a port without a listener: pending requests fail at once.
    socket.on('error', (error) => {
      for (const { fail } of [...this.#pending.values()]) fail(new NoAnswer(`${host}: ${error.message}`));
    });
    // Connected, so that datagrams of anyone else never reach us.
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    socket.connect(port, address, (error?: Error) => {
      if (error) reject(new NoAnswer(`${host}: ${error.message}`));
      else resolve(socket);
    });
    try {
      return await promise;
    } catch (error) {
      socket.close();
      throw error;
    }
  }

  async #ask(
    question: Question,
    { retries, timeoutMs }: { readonly retries: number; readonly timeoutMs: number },
    signal: AbortSignal,
    isDiscovery = false,
  ): Promise<Pdu> {
    const socket = await this.#open(signal);
    signal.throwIfAborted();
    const { clock, host, account } = this.#options;
    if (account.version === '3' && this.#engine === undefined && !isDiscovery) {
      // It was lost meanwhile; without it nothing can be signed.
      const reason = 'the agent has to be discovered again';
      throw question.type === pduType.set ? new NotConnected(reason) : new NoAnswer(reason);
    }
    const id = this.#freeId();
    const bytes = this.#encode(question, id, isDiscovery);
    if (bytes.length > maxMessageBytes) throw new NotConnected(`${bytes.length} bytes exceed the size of a datagram`);
    const { promise, resolve, reject } = Promise.withResolvers<Pdu>();
    const send = () =>
      socket.send(bytes, (error) => (error ? reject(new NoAnswer(`${host.host}: ${error.message}`)) : undefined));
    let left = retries;
    let cancel = () => {};
    const wait = () => {
      cancel = clock.after(timeoutMs / (retries + 1), () => {
        if (left-- > 0) {
          send();
          wait();
        } else {
          reject(new NoAnswer(`no answer within ${timeoutMs} ms`));
        }
      });
    };
    const answer = (pdu: Pdu) => resolve(account.version === '1' ? answerOfVersion1(question, pdu) : pdu);
    this.#pending.set(id, { take: (pdu, message) => this.#judge(pdu, message, answer, reject), fail: reject });
    try {
      send();
      wait();
      return await unlessAborted(signal, promise);
    } finally {
      cancel();
      this.#pending.delete(id);
    }
  }

  #freeId(): number {
    for (;;) {
      const id = randomInt(1, 2 ** 31 - 1);
      if (!this.#pending.has(id)) return id;
    }
  }

  #encode(question: Question, id: number, isDiscovery: boolean): Buffer {
    const { account } = this.#options;
    const { type, first = 0, second = 0, varbinds } = account.version === '1' ? questionOfVersion1(question) : question;
    const pdu = encodePdu({ type, requestId: id, errorStatus: first, errorIndex: second }, varbinds);
    if (account.version !== '3') return encodeCommunityMessage(account.version, account.community, pdu);
    const { user, context } = account;
    if (isDiscovery || this.#engine === undefined) {
      const none = Buffer.alloc(0);
      const open = { isAuthenticated: false, isEncrypted: false, isReportable: true };
      const engine = { engineId: none, engineBoots: 0, engineTime: 0, user: '' };
      const scoped = encodeScoped(none, '', pdu);
      return encodeSecured({ msgId: id, ...open, ...engine, authParameters: none, privParameters: none, scoped }).bytes;
    }
    const engine = this.#engine.now();
    return user.seal(engine, { msgId: id, isReportable: true }, encodeScoped(engine.engineId, context, pdu));
  }

  #hear(bytes: Buffer): void {
    try {
      const message = decodeMessage(bytes);
      if (message.version === '3') this.#hearSecured(message);
      else this.#hearCommunity(message);
    } catch {
      // Whatever a datagram can make go wrong here, it is not the answer.
      this.strays++;
    }
  }

  #hearCommunity({ version, community, pdu }: CommunityMessage): void {
    const { account } = this.#options;
    const pending = this.#pending.get(pdu.requestId);
    if (pending === undefined || account.version !== version) throw new Malformed('it answers no pending request');
    if (pdu.type !== pduType.response || !community.equals(account.community)) {
      throw new Malformed('not the answer to what was asked');
    }
    pending.take(pdu, undefined);
  }

  /** Only what is at least as secure as what was sent is taken; a report may be less, since it may have to. */
  #hearSecured(message: SecuredMessage): void {
    const pending = this.#pending.get(message.msgId);
    const { account } = this.#options;
    if (pending === undefined || account.version !== '3') throw new Malformed('it answers no pending request');
    const { user } = account;
    const isSigned = message.isAuthenticated && message.user === user.name && user.isSigned(message);
    if (message.isAuthenticated && !isSigned) throw new Malformed('the signature is wrong');
    const { pdu } = user.open(message);
    if (pdu.type === pduType.report) {
      pending.take(pdu, message);
      return;
    }
    const isOurs = this.#engine?.isIt(message.engineId) === true && message.user === user.name;
    if (pdu.type !== pduType.response || pdu.requestId !== message.msgId || !isOurs) {
      throw new Malformed('not the answer to what was asked');
    }
    if (message.isEncrypted !== user.hasPriv || message.isAuthenticated !== user.hasAuth) {
      throw new Malformed('less secure than what was asked');
    }
    if (isSigned && this.#engine?.accepts(message) === false) throw new Malformed('too old or too new');
    pending.take(pdu, message);
  }

  #judge(
    pdu: Pdu,
    message: SecuredMessage | undefined,
    resolve: (pdu: Pdu) => void,
    reject: (error: Error) => void,
  ): void {
    if (pdu.type !== pduType.report || message === undefined) {
      resolve(pdu);
      return;
    }
    const oid = pdu.varbinds[0]?.oid ?? '';
    const isSigned = message.isAuthenticated;
    if (oid === unknownEngine) this.#engine = RemoteEngine.learn(this.#options.clock, message, this.#engine);
    // The right time is believed of one who has signed it; without signatures there is no time to be wrong about.
    if (oid === notInTimeWindow && isSigned) this.#engine?.correct(message);
    reject(new Reported(oid, isSigned));
  }

  async #addressOf(host: string): Promise<string> {
    if (isIP(host) !== 0) return host;
    try {
      return await (this.#options.resolve ?? lookUp)(host);
    } catch (error) {
      throw new NoAnswer(`cannot resolve ${host}: ${(error as NodeJS.ErrnoException).code ?? error}`);
    }
  }
}

async function lookUp(host: string): Promise<string> {
  return (await lookup(host)).address;
}
