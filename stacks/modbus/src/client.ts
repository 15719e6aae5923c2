// A client of one line: requests in turn, each answered at most once and within its time; what is urgent goes first. An
// answer that comes late is nobody's; without ids in the frames, its unit is not asked again before it has come or no longer can.
import { type Clock, onAbort } from '@telltale/schema';
import { NoAnswer, NotConnected, notPermitted } from '@telltale/stack-kit';
import type { Exchange, Expected, Framing } from './framing.ts';
import { answerLength, changesDevice, checkAnswer, UnfitAnswer } from './pdu.ts';
import type { Transport } from './transport.ts';

export interface ClientOptions {
  readonly transport: Transport;
  readonly framing: Framing;
  readonly clock: Clock;
  /** That a device has to answer, besides the time that the bytes are on the line. */
  readonly timeoutMs: number;
  /** Between an answer and the next request. */
  readonly delayMs: number;
  /** Requests under way. More than 1 only where frames have an id. */
  readonly maxAtOnce: number;
  /** Asked before each request that changes something. */
  readonly mayWrite?: () => boolean;
  /** For each right answer: the time from the request to it, without the wait for its turn. */
  readonly onRoundTrip?: (ms: number) => void;
}

/** It was sent, and the link was lost before an answer: the device may have it. */
export class LostAnswer extends Error {
  override readonly name = 'LostAnswer';
}

/** After so many requests without an answer, over so long a time, the link counts as lost. */
const silentRequests = 3;
const silentMs = 5000;
/** Around the PDU, of either frame. */
const frameBytes = 3;

interface Pending extends Exchange {
  readonly signal: AbortSignal;
  readonly resolve: (answer: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
  stopListening: () => void;
  readonly isUrgent: boolean;
  cancel: () => void;
  sentMs: number;
}

/** A request that was given up, and whose answer could not be distinguished from that to the next one of its unit. */
interface GivenUp {
  readonly exchange: Exchange;
  /** After that it cannot come any more over this line, but over a network it can. */
  readonly untilMs: number;
  /** The connection is another one since. */
  isRenewed: boolean;
}

export class Client {
  readonly #options: ClientOptions;
  readonly #queue: Pending[] = [];
  readonly #underWay = new Map<number, Pending>();
  /** By unit, which is not asked meanwhile. */
  readonly #givenUp = new Map<number, GivenUp>();
  #nextId = 1;
  #state: 'closed' | 'open' | 'renewing' = 'closed';
  #lost = Promise.withResolvers<never>();
  #notBeforeMs = 0;
  #cancelPump: (() => void) | undefined;
  #silent = 0;
  #lastAnswerMs = 0;
  #renewing: AbortController | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    options.transport.onData = (bytes) => this.#receive(bytes);
    options.transport.onLost = (reason) => this.#lose(new NotConnected(reason));
  }

  async connect(signal: AbortSignal): Promise<void> {
    const { transport, framing, clock } = this.#options;
    await transport.open(signal);
    framing.clear();
    this.#givenUp.clear();
    this.#lost = Promise.withResolvers();
    this.#lost.promise.catch(() => {});
    this.#silent = 0;
    this.#lastAnswerMs = clock.monotonicMs();
    this.#notBeforeMs = this.#lastAnswerMs + transport.silenceMs;
    this.#state = 'open';
  }

  /** Rejects with `NotConnected` when the link of the last `connect` is lost; never resolves. */
  get lost(): Promise<never> {
    return this.#lost.promise;
  }

  async close(): Promise<void> {
    this.#end(new NotConnected('the link is closed'));
    await this.#options.transport.close();
  }

  /**
   * Resolves with the answer, which is right for the request. Throws `ModbusException`; `NoAnswer` where the unit is
   * silent or answers nonsense; `NotConnected` where nothing was sent; after that, `LostAnswer` where the link was lost,
   * and the reason of the signal where that was aborted.
   */
  request(unit: number, request: Uint8Array, signal: AbortSignal, isUrgent = false): Promise<Uint8Array> {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    if (signal.aborted) reject(givenUp());
    else if (this.#state === 'closed') reject(new NotConnected('the link is down'));
    else {
      const pending: Pending = {
        id: this.#newId(),
        unit,
        request,
        signal,
        resolve,
        reject,
        stopListening: () => {},
        isUrgent,
        cancel: () => {},
        sentMs: 0,
      };
      pending.stopListening = onAbort(signal, () => this.#abort(pending));
      const behind = isUrgent ? this.#queue.findIndex((other) => !other.isUrgent) : -1;
      this.#queue.splice(behind < 0 ? this.#queue.length : behind, 0, pending);
      this.#pump();
    }
    return promise;
  }

  #newId(): number {
    do this.#nextId = (this.#nextId + 1) & 0xffff;
    while (this.#underWay.has(this.#nextId));
    return this.#nextId;
  }

  /** Sends what may be sent now, and comes back when there is more. */
  #pump(): void {
    if (this.#state !== 'open') return;
    const { clock, maxAtOnce, transport } = this.#options;
    let nowMs = clock.monotonicMs();
    while (this.#underWay.size < maxAtOnce && this.#queue.length > 0) {
      if (nowMs < this.#notBeforeMs) {
        this.#pumpAt(this.#notBeforeMs, nowMs);
        return;
      }
      const at = this.#queue.findIndex(({ unit }) => nowMs >= this.#leftAloneUntilMs(unit));
      if (at < 0) {
        this.#pumpAt(Math.min(...this.#queue.map(({ unit }) => this.#leftAloneUntilMs(unit))), nowMs);
        return;
      }
      const { unit } = this.#queue[at] as Pending;
      if (transport.renew !== undefined && this.#givenUp.get(unit)?.isRenewed === false) {
        this.#renew(transport.renew);
        return;
      }
      this.#givenUp.delete(unit);
      const [pending] = this.#queue.splice(at, 1);
      if (pending !== undefined) this.#send(pending);
      nowMs = clock.monotonicMs();
    }
  }

  #pumpAt(dueMs: number, nowMs: number): void {
    this.#cancelPump?.();
    this.#cancelPump = this.#options.clock.after(Math.ceil(dueMs - nowMs), () => {
      this.#cancelPump = undefined;
      this.#pump();
    });
  }

  #leftAloneUntilMs(unit: number): number {
    return this.#givenUp.get(unit)?.untilMs ?? Number.NEGATIVE_INFINITY;
  }

  #send(pending: Pending): void {
    const { transport, framing, clock, timeoutMs, mayWrite } = this.#options;
    if (mayWrite?.() === false && changesDevice(pending.request)) {
      settle(pending).reject(new NotConnected(notPermitted));
      return;
    }
    // Its answer begins now: what is left of the line's past is noise.
    if (!framing.hasIds) framing.clear();
    this.#underWay.set(pending.id, pending);
    const lineMs = transport.lineMs(pending.request.length + answerLength(pending.request) + 2 * frameBytes);
    pending.cancel = clock.after(timeoutMs + lineMs, () => this.#late(pending));
    pending.sentMs = clock.monotonicMs();
    transport.send(framing.frame(pending));
  }

  #receive(bytes: Uint8Array): void {
    const { framing, clock } = this.#options;
    try {
      framing.receive(bytes, this.#expected, this.#answered);
    } catch (error) {
      this.#lose(error as Error);
      return;
    }
    // On a serial line every byte, also of another answer, restarts the silent interval.
    this.#notBeforeMs = Math.max(this.#notBeforeMs, clock.monotonicMs() + this.#options.transport.silenceMs);
    this.#pump();
  }

  readonly #expected: Expected = {
    byId: (id) => this.#underWay.get(id),
    all: () => [...this.#underWay.values(), ...Array.from(this.#givenUp.values(), ({ exchange }) => exchange)],
  };

  readonly #answered = (exchange: Exchange, answer: Uint8Array): void => {
    const pending = this.#underWay.get(exchange.id);
    this.#silent = 0;
    this.#lastAnswerMs = this.#options.clock.monotonicMs();
    this.#notBeforeMs = this.#lastAnswerMs + this.#options.delayMs;
    if (pending !== exchange) {
      // It has come at last: nothing else of this unit is in transit.
      this.#givenUp.delete(exchange.unit);
      return;
    }
    this.#underWay.delete(pending.id);
    try {
      checkAnswer(pending.request, answer);
      this.#options.onRoundTrip?.(this.#lastAnswerMs - pending.sentMs);
      settle(pending).resolve(answer);
    } catch (error) {
      const isUnfit = error instanceof UnfitAnswer;
      settle(pending).reject(isUnfit ? new NoAnswer(`unit ${pending.unit}: ${error.message}`) : error);
    }
  };

  #late(pending: Pending): void {
    const { clock, timeoutMs } = this.#options;
    settle(pending).reject(new NoAnswer(`unit ${pending.unit} did not answer within ${timeoutMs} ms`));
    this.#silent++;
    const silence = clock.monotonicMs() - this.#lastAnswerMs;
    if (this.#silent >= silentRequests && silence >= silentMs) {
      this.#lose(new NotConnected(`no answer for ${Math.round(silence / 1000)} s`));
    } else this.#abandon(pending);
  }

  #abort(pending: Pending): void {
    const at = this.#queue.indexOf(pending);
    if (at >= 0) this.#queue.splice(at, 1);
    settle(pending).reject(at < 0 ? pending.signal.reason : givenUp());
    if (at < 0) this.#abandon(pending);
  }

  /** Its answer may still come. With an id it is known for what it is; without, its unit is left alone first. */
  #abandon(pending: Pending): void {
    const { framing, clock, timeoutMs } = this.#options;
    this.#underWay.delete(pending.id);
    if (!framing.hasIds) {
      const untilMs = clock.monotonicMs() + timeoutMs;
      this.#givenUp.set(pending.unit, { exchange: pending, untilMs, isRenewed: false });
    }
    this.#pump();
  }

  /** What has not come by now is not to come any more: a network may deliver much later than a line. */
  #renew(renew: (signal: AbortSignal) => Promise<void>): void {
    const { framing } = this.#options;
    this.#state = 'renewing';
    this.#renewing = new AbortController();
    renew(this.#renewing.signal).then(
      () => {
        if (this.#state !== 'renewing') return;
        framing.clear();
        for (const givenUp of this.#givenUp.values()) givenUp.isRenewed = true;
        this.#state = 'open';
        this.#pump();
      },
      (error: Error) => {
        if (this.#state === 'renewing') this.#lose(error);
      },
    );
  }

  #lose(error: Error): void {
    if (this.#state === 'closed') return;
    this.#end(error);
    this.#lost.reject(error);
  }

  #end(error: Error): void {
    this.#state = 'closed';
    this.#cancelPump?.();
    this.#cancelPump = undefined;
    this.#renewing?.abort(error);
    this.#renewing = undefined;
    const queued = this.#queue.splice(0);
    const sent = [...this.#underWay.values()];
    this.#underWay.clear();
    for (const pending of queued) settle(pending).reject(error);
    for (const pending of sent) settle(pending).reject(new LostAnswer(error.message));
  }
}

function givenUp(): NotConnected {
  return new NotConnected('it was aborted before it was sent');
}

function settle(pending: Pending): Pending {
  pending.cancel();
  pending.stopListening();
  return pending;
}
