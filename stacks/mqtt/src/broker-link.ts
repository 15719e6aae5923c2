// One connection to a broker, from CONNECT to the end. The library's client lives as long as the connection and no longer:
// what it keeps to send again after a reconnect, a command above all, goes with it.
import { randomBytes, randomInt } from 'node:crypto';
import { type Clock, onAbort } from '@telltale/schema';
import { type HostNames, type Meter, NoAnswer, NotConnected, type StackLog } from '@telltale/stack-kit';
import { type IClientOptions, type IClientPublishOptions, type IPublishPacket, MqttClient, type Packet } from 'mqtt';
import { BrokerStream } from './broker-stream.ts';
import { type BrokerTls, brokerTls } from './broker-tls.ts';
import type { BrokerVariables } from './broker-variables.ts';
import { lost, refusal } from './lost-link.ts';
import { PacketGuard } from './packet-guard.ts';
import { codeText, isFailure } from './reason-code.ts';

export interface BrokerLinkOptions {
  readonly name: string;
  readonly variables: BrokerVariables;
  readonly clock: Clock;
  readonly names: HostNames;
  /** With the certificates. */
  readonly folder: string;
  readonly log: StackLog;
  readonly cleanStart: boolean;
  readonly will?: IClientOptions['will'];
  readonly meter?: Meter;
  /**
   * Undefined payload: it was too large. `mayBeRetained`: the broker may have had it since before the connection was made. No
   * message is taken before the returned promise is fulfilled.
   */
  readonly onMessage: (
    topic: string,
    payload: Buffer | undefined,
    packet: IPublishPacket,
    mayBeRetained: boolean,
  ) => Promise<void> | undefined;
}

/** Filters in one request: some brokers take no more. */
const filtersAtOnce = 8;
const requestsAtOnce = 64;
const maxUnreleased = 1000;
const maxUnreleasedBytes = 64 * 1024 * 1024;
/** How long the broker has to receive the DISCONNECT. */
const closeMs = 500;
/** The reason code of a DISCONNECT after which the broker publishes the last will. */
const withLastWill = 0x04;

export class BrokerLink {
  /** Resolves when the connection has ended, with the reason. */
  readonly ended: Promise<NotConnected>;
  readonly #options: BrokerLinkOptions;
  readonly #client: MqttClient;
  readonly #guard: PacketGuard;
  readonly #stream: BrokerStream;
  readonly #token = randomBytes(32);
  readonly #codes = new Map<number, number>();
  /** Bytes of messages of quality 2 that have not been released, by identifier. */
  readonly #unreleased = new Map<number, number>();
  /** Of everything that waits for an answer. */
  readonly #pending = new Set<(error: Error) => void>();
  /** Publishes of quality 1 and 2 that the broker has not acknowledged, and how many of them it takes. */
  #inFlight = 0;
  #receiveMaximum = Number.POSITIVE_INFINITY;
  /**
   * Of all subscriptions of this connection. A message that was kept for the session has that of an earlier one: brokers
   * of MQTT 5 note it when the message comes to them.
   */
  readonly #subscriptionIdentifier = randomInt(1, 0x0fff_ffff);
  /** The broker resumes an earlier session, and delivers what it has stored for it. */
  #isResumed = false;
  #hasIdentifiers = false;
  #end: (reason: NotConnected) => void = () => {};
  #lost: NotConnected | undefined;
  #whyClosed = 'the broker closed the connection';
  #cancelPing = () => {};

  /** Throws `NotConnected` or `BackOff`. */
  static async open(options: BrokerLinkOptions, signal: AbortSignal): Promise<BrokerLink> {
    const tls = options.variables.tls ? await brokerTls(options) : undefined;
    signal.throwIfAborted();
    const link = new BrokerLink(options, tls);
    try {
      await link.#connected(signal);
    } finally {
      await tls?.peer.settled();
    }
    return link;
  }

  private constructor(options: BrokerLinkOptions, tls: BrokerTls | undefined) {
    const { variables, cleanStart, will, name } = options;
    const { host, port, version, user, password, pingAfterMs, timeoutMs } = variables;
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<NotConnected>();
    this.ended = promise;
    this.#end = resolve;
    const isFive = version === '5';
    this.#guard = new PacketGuard({
      maxLength: variables.maxPacketKiB * 1024,
      hasProperties: isFive,
      token: this.#token,
    });
    const settings: IClientOptions = {
      clientId: variables.clientId || `telltale_${name}_${randomBytes(6).toString('hex')}`,
      protocolVersion: isFive ? 5 : 4,
      clean: cleanStart,
      keepalive: Math.max(10, Math.ceil((2 * (pingAfterMs + timeoutMs)) / 1000)),
      reconnectPeriod: 0,
      connectTimeout: 60_000,
      queueQoSZero: false,
      resubscribe: false,
      timerVariant: 'native',
      ...(user !== '' && { username: user }),
      ...(password !== '' && { password }),
      ...(will !== undefined && { will }),
      ...(isFive && !cleanStart && { properties: { sessionExpiryInterval: 0xffff_ffff } }),
      log: () => {},
    };
    const path = variables.transport === 'websocket' ? variables.webSocketPath : undefined;
    this.#stream = new BrokerStream({ host, port, lookup: options.names.lookup, tls, path, guard: this.#guard });
    // Before the library's own listener, which passes over errors that the system did not give.
    this.#stream.on('error', (error) => this.#lose(lost(error.message)));
    this.#client = new MqttClient(() => this.#stream, settings);
    this.#client.on('error', (error) => this.#lose(refusal(error) ?? lost(error.message)));
    this.#client.on('close', () => this.#lose(lost(this.#whyClosed)));
    this.#client.on('disconnect', ({ reasonCode }) => this.#lose(lost(`the broker ended it: ${codeText(reasonCode)}`)));
    this.#client.on('packetreceive', (packet) => this.#look(packet));
    this.#client.handleMessage = (packet, done) => this.#hear(packet, done);
  }

  get isUp(): boolean {
    return this.#lost === undefined && this.#client.connected;
  }

  /** Whether the broker takes one more of quality 1 or 2 now: MQTT 5 ends the connection of who sends more. */
  get hasRoom(): boolean {
    return this.#inFlight < this.#receiveMaximum;
  }

  /** Resolves with the filters that the broker refused, and why. Throws where the link is lost. */
  async subscribe(filters: readonly string[], qos: 0 | 1 | 2): Promise<Map<string, string>> {
    const refused = new Map<string, string>();
    const chunks: string[][] = [];
    for (let at = 0; at < filters.length; at += filtersAtOnce) chunks.push(filters.slice(at, at + filtersAtOnce));
    const next = async () => {
      for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) {
        for (const [filter, why] of await this.#subscribe(chunk, qos)) refused.set(filter, why);
      }
    };
    await Promise.all(Array.from({ length: Math.min(requestsAtOnce, chunks.length) }, next));
    return refused;
  }

  async unsubscribe(filters: readonly string[]): Promise<void> {
    for (let at = 0; at < filters.length; at += filtersAtOnce) {
      const chunk = filters.slice(at, at + filtersAtOnce);
      await this.#ask<void>((resolve) => this.#client.unsubscribe(chunk, () => resolve()));
    }
  }

  /**
   * Sends once. Resolves with the reason code when the broker has it; with quality 0 when it was handed to the system.
   * Throws `NotConnected` where nothing was sent, and `NoAnswer` where the broker may have it.
   */
  publish(topic: string, payload: string | Buffer, options: IClientPublishOptions): Promise<number> {
    if (!this.isUp) throw this.#lost ?? lost('not connected');
    const isCounted = options.qos !== 0;
    if (isCounted && !this.hasRoom) throw new NotConnected(`the broker has ${this.#inFlight} to acknowledge first`);
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const startedMs = performance.now();
    const settle = () => {
      if (this.#pending.delete(fail) && isCounted) this.#inFlight--;
    };
    const fail = (error: Error) => {
      settle();
      reject(new NoAnswer(`the broker may have it: ${error.message}`, { cause: error }));
    };
    this.#pending.add(fail);
    if (isCounted) this.#inFlight++;
    let id = 0;
    this.#client.publish(topic, payload, options, (error) => {
      settle();
      const code = this.#codes.get(id) ?? 0;
      this.#codes.delete(id);
      if (error && code === 0) return reject(error);
      this.#options.meter?.answered(performance.now() - startedMs);
      resolve(code);
    });
    if (isCounted) id = this.#client.getLastMessageId();
    return promise;
  }

  /** Work of `connect`: when the signal is aborted the link is given up, and with it the work. */
  async whileWanted<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const stopListening = onAbort(signal, () => this.reset('aborted'));
    try {
      return await work();
    } finally {
      stopListening();
    }
  }

  /** The link is given up: whatever was sent and has not arrived yet is thrown away. */
  reset(reason: string): void {
    this.#lose(lost(reason));
  }

  /** Says goodbye where it can. `withWill`: the broker publishes the last will all the same, with MQTT 5. */
  async close(withWill = false, reason = 'closed'): Promise<void> {
    this.#cancelPing();
    this.#whyClosed = reason;
    const closed = new Promise<void>((resolve) => {
      if (this.#stream.destroyed) resolve();
      else this.#stream.once('close', () => resolve());
    });
    if (this.isUp) {
      if (withWill && this.#options.variables.version === '5') this.#client.end(false, { reasonCode: withLastWill });
      else this.#client.end();
      const cancel = this.#options.clock.after(closeMs, () => this.#stream.destroy());
      await closed;
      cancel();
    }
    this.#lose(lost(reason));
    await closed;
  }

  async #connected(signal: AbortSignal): Promise<void> {
    const { clock, variables } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    const stopListening = onAbort(signal, () => this.#lose(lost('aborted')));
    const cancel = clock.after(variables.timeoutMs, () =>
      this.#lose(lost(`the broker has not answered within ${variables.timeoutMs} ms`)),
    );
    this.#client.once('connect', () => resolve());
    const failed = this.ended.then((reason) => Promise.reject(reason));
    try {
      await Promise.race([promise, failed]);
      this.#listen();
    } catch (error) {
      await this.close();
      throw signal.aborted ? signal.reason : error;
    } finally {
      failed.catch(() => undefined);
      cancel();
      stopListening();
    }
  }

  /** On what the library does not report. */
  #look(packet: Packet): void {
    if (packet.cmd === 'puback' || packet.cmd === 'pubrec') {
      if (packet.messageId !== undefined && packet.reasonCode) this.#codes.set(packet.messageId, packet.reasonCode);
    } else if (packet.cmd === 'publish' && packet.qos === 2) {
      // The library keeps these until the broker releases them, however many there are.
      this.#unreleased.set(packet.messageId ?? 0, packet.payload.length);
      let bytes = 0;
      for (const length of this.#unreleased.values()) bytes += length;
      if (this.#unreleased.size > maxUnreleased || bytes > maxUnreleasedBytes) {
        this.#lose(lost('the broker sends messages of quality 2 and does not release them'));
      }
    } else if (packet.cmd === 'pubrel') this.#unreleased.delete(packet.messageId ?? 0);
    else if (packet.cmd === 'connack') {
      const { variables, cleanStart } = this.#options;
      const canIdentify = packet.properties?.subscriptionIdentifiersAvailable !== false;
      this.#receiveMaximum = packet.properties?.receiveMaximum ?? Number.POSITIVE_INFINITY;
      this.#isResumed = packet.sessionPresent;
      this.#hasIdentifiers = variables.version === '5' && !cleanStart && canIdentify;
    }
  }

  /** Asks a broker that is silent whether it is there. */
  #listen(): void {
    const { clock, variables } = this.#options;
    let seen = this.#guard.packets;
    const hasSpoken = () => this.#guard.packets !== seen || this.#stream.isHeld;
    const wait = () => {
      seen = this.#guard.packets;
      this.#cancelPing = clock.after(variables.pingAfterMs, () => (hasSpoken() ? wait() : ask()));
    };
    const ask = () => {
      this.#client.sendPing();
      // A thread that was held up comes to its timers before it comes to what has arrived: therefore another turn.
      this.#cancelPing = clock.after(variables.timeoutMs, () => {
        this.#cancelPing = clock.after(1, () => {
          if (hasSpoken()) wait();
          else {
            this.#options.meter?.failed();
            this.#lose(lost(`the broker has been silent for ${variables.timeoutMs} ms`));
          }
        });
      });
    };
    wait();
  }

  #hear(packet: IPublishPacket, done: (error?: Error) => void): void {
    if (this.#lost !== undefined) {
      done();
      return;
    }
    const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload;
    const isTooLarge = payload.length === this.#token.length && payload.equals(this.#token);
    let later: Promise<void> | undefined;
    try {
      later = this.#options.onMessage(
        packet.topic,
        isTooLarge ? undefined : payload,
        packet,
        this.#mayBeRetained(packet),
      );
    } catch (error) {
      this.#lose(lost((error as Error).message));
    }
    if (later === undefined) done();
    else later.then(() => done());
  }

  #mayBeRetained({ properties }: IPublishPacket): boolean {
    if (!this.#isResumed) return false;
    const identifiers = [properties?.subscriptionIdentifier ?? []].flat();
    return !this.#hasIdentifiers || !identifiers.includes(this.#subscriptionIdentifier);
  }

  async #subscribe(filters: string[], qos: 0 | 1 | 2): Promise<[string, string][]> {
    const properties = { subscriptionIdentifier: this.#subscriptionIdentifier };
    return this.#ask<[string, string][]>((resolve, reject) =>
      this.#client.subscribe(
        filters,
        { qos, ...(this.#hasIdentifiers && { properties }) },
        (error, _subscriptions, packet) => {
          if (packet === undefined) return reject(error ?? lost('no answer to a subscription'));
          const refused = filters.flatMap((filter, at): [string, string][] => {
            const code = Number(packet.granted[at] ?? 128);
            return isFailure(code) ? [[filter, `the broker refuses the subscription: ${codeText(code)}`]] : [];
          });
          resolve(refused);
        },
      ),
    );
  }

  /** A request that the broker must answer in time, or the link is lost. */
  #ask<Answer>(send: (resolve: (answer: Answer) => void, reject: (error: Error) => void) => void): Promise<Answer> {
    if (!this.isUp) return Promise.reject(this.#lost ?? lost('not connected'));
    const { clock, variables, meter } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const startedMs = performance.now();
    const settle = () => {
      cancel();
      this.#pending.delete(fail);
    };
    const fail = (error: Error) => {
      settle();
      reject(error);
    };
    const cancel = clock.after(variables.timeoutMs, () => {
      meter?.failed();
      this.#lose(lost(`the broker has not answered within ${variables.timeoutMs} ms`));
    });
    this.#pending.add(fail);
    send((answer) => {
      settle();
      meter?.answered(performance.now() - startedMs);
      resolve(answer);
    }, fail);
    return promise;
  }

  #lose(reason: NotConnected): void {
    if (this.#lost !== undefined) return;
    this.#lost = reason;
    this.#cancelPing();
    for (const fail of [...this.#pending]) fail(reason);
    this.#unreleased.clear();
    this.#client.end(true);
    this.#stream.destroy();
    this.#end(reason);
  }
}
