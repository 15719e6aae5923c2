// Sends traps and informs to one receiver, in order. A trap is sent once and forgotten; an inform is repeated until the
// receiver confirms it. What there is no room for is discarded, the oldest first, and how many is logged.
import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { type Clock, pause } from '@telltale/schema';
import type { StackLog } from '@telltale/stack-kit';
import type { Account } from './account.ts';
import type { Host } from './address.ts';
import { AgentSession } from './agent-session.ts';
import type { LocalEngine } from './local-engine.ts';
import { encodeCommunityMessage, encodeScoped } from './message.ts';
import { encodePdu, encodeVarbinds, pduType, type Varbind } from './pdu.ts';
import { encodeTrapV1 } from './version-1.ts';

export interface TrapSenderOptions {
  readonly host: Host;
  readonly account: Account;
  /** Our own, which traps of version 3 are signed for. */
  readonly engine: LocalEngine | undefined;
  readonly clock: Clock;
  readonly log: StackLog;
  /** Version 1 has no informs: traps are sent in their place. */
  readonly informs: boolean;
}

/** As many alarms as a large plant has at once; beyond them the oldest say least. */
const maxQueued = 10_000;
/** Datagrams in a row, and the pause after them: the buffer of a receiver holds some hundreds. */
const atOnce = 50;
const breathMs = 50;
const informTimeoutMs = 3000;
const informRetries = 2;
/** Between two rounds of an inform that is not confirmed. */
const againMs = 5000;

export class TrapSender {
  readonly #options: TrapSenderOptions;
  readonly #ending = new AbortController();
  readonly #queue: (readonly Varbind[])[] = [];
  readonly #socket: Socket | undefined;
  readonly #session: AgentSession | undefined;
  #isSending = false;
  sent = 0;
  /** Since there was room for all. */
  #discarded = 0;

  constructor(options: TrapSenderOptions) {
    const { host, account, clock, informs } = options;
    this.#options = options;
    if (informs && account.version !== '1') {
      this.#session = new AgentSession({ host, account, clock, timeoutMs: informTimeoutMs, retries: informRetries });
    } else {
      this.#socket = createSocket(host.host.includes(':') ? 'udp6' : 'udp4');
      this.#socket.on('error', (error) => this.#failed(error));
    }
  }

  /** The first two are the time and the name of the trap. */
  send(varbinds: readonly Varbind[]): void {
    if (this.#queue.length >= maxQueued) {
      this.#queue.shift();
      this.#discarded++;
    }
    this.#queue.push(varbinds);
    if (this.#isSending) return;
    this.#sendAll().catch((error) => {
      if (!this.#ending.signal.aborted) this.#options.log.error(`sending traps failed: ${error}`);
    });
  }

  close(): void {
    this.#ending.abort(new Error('stopped'));
    this.#socket?.close();
    this.#session?.close();
  }

  async #sendAll(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#ending;
    this.#isSending = true;
    try {
      for (let count = 1; !signal.aborted; count++) {
        const varbinds = this.#queue.shift();
        if (varbinds === undefined) return this.#reportDiscarded();
        if (this.#session !== undefined) await this.#inform(this.#session, varbinds);
        else this.#trap(varbinds);
        if (count % atOnce === 0) await pause(clock, breathMs, signal);
      }
    } finally {
      this.#isSending = false;
    }
  }

  #trap(varbinds: readonly Varbind[]): void {
    const { host, port } = this.#options.host;
    this.#socket?.send(this.#encode(varbinds), port, host, (error) => {
      if (error) this.#failed(error);
      else this.sent++;
    });
  }

  /** Until it is confirmed. Newer ones wait: a receiver that is back gets them in order. */
  async #inform(session: AgentSession, varbinds: readonly Varbind[]): Promise<void> {
    const { clock, host, log } = this.#options;
    const { signal } = this.#ending;
    const question = { type: pduType.inform, varbinds: encodeVarbinds(varbinds) };
    for (let isFirst = true; ; isFirst = false) {
      try {
        await session.read(question, signal);
        this.sent++;
        if (!isFirst) log.info(`${host.name} confirms informs again`);
        return;
      } catch (error) {
        signal.throwIfAborted();
        const reason = error instanceof Error ? error.message : String(error);
        if (isFirst) log.warn(`${host.name} does not confirm an inform, which is repeated: ${reason}`);
        await pause(clock, againMs, signal);
      }
    }
  }

  #encode(varbinds: readonly Varbind[]): Buffer {
    const { account, engine } = this.#options;
    const head = { type: pduType.trap, requestId: randomInt(1, 2 ** 31 - 1), errorStatus: 0, errorIndex: 0 };
    const pdu = () => encodePdu(head, encodeVarbinds(varbinds));
    if (account.version !== '3') {
      // Nobody knows under which of its addresses this machine is known there: the receiver sees it in the datagram.
      const content = account.version === '1' ? encodeTrapV1(varbinds, Buffer.alloc(4)) : pdu();
      return encodeCommunityMessage(account.version, account.community, content);
    }
    if (engine === undefined) throw new Error('a user without an engine');
    const header = { msgId: head.requestId, isReportable: false };
    return account.user.seal(engine.now(), header, encodeScoped(engine.engineId, account.context, pdu()));
  }

  #reportDiscarded(): void {
    if (this.#discarded === 0) return;
    this.#options.log.warn(`${this.#discarded} traps to ${this.#options.host.name} were discarded: there was no room`);
    this.#discarded = 0;
  }

  #failed(error: Error): void {
    this.#options.log.warn(`a trap could not be sent to ${this.#options.host.name}: ${error.message}`);
  }
}
