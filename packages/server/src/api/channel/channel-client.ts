// One client of the channel: its send queue, and what happens when it falls behind. It knows nothing about requests.
import type { Socket } from 'node:net';
import { closeCode } from '@telltale/schema';
import type { WebSocket } from 'ws';
import type { Caller } from '../../access/index.ts';
import type { View } from '../../operations/index.ts';
import { queuedBytes } from '../socket-internals.ts';
import type { Backlog } from './backlog.ts';
import { Outgoing } from './outgoing.ts';

/** Beyond this, measurement updates are conflated, and no more requests are read. */
export const mostPendingBytes = 8 << 20;

/** How many conflated measurements are reported in one message. */
const mostAtOnce = 5000;

/** More than the system buffers before it reports that everything has been sent. */
const littleBytes = 1 << 20;

/** Alarms and commands are never discarded: beyond so many queued bytes, without requested ones, it is closed. */
const mostUndroppableBytes = 64 << 20;

/** A client that takes nothing for so long is closed; one that is silent for so long is dead. */
const patienceMs = 30_000;

/** How long a client that is asked to leave has to receive that. */
const farewellMs = 1000;

/** How long a client that takes nothing has to read again and receive the reason of its close; as long as TCP tries. */
export const lingerMs = 15 * 60_000;

/** Of whom the newest values of measurements are asked, of which so many updates were passed over. */
export interface UpdateSource {
  newest(handles: readonly number[], skipped: number): Buffer | undefined;
}

export interface ChannelClientOptions {
  readonly socket: WebSocket;
  /** Below the WebSocket. */
  readonly stream: Socket;
  /** The address of the client, where that is behind a proxy. */
  readonly source?: string | undefined;
  readonly caller: Caller;
  /** What of the plant it may view; undefined: all of it. It is closed when that changes. */
  readonly view?: View | undefined;
  /** Counts what waits for it, with all others. */
  readonly backlog: Backlog;
  /** Sends what is gathered: the newest values never overtake older ones. */
  readonly flush: () => void;
  /** Resolves when there may be more long work. */
  readonly nextTurn: () => Promise<void>;
}

export class ChannelClient {
  readonly caller: Caller;
  readonly view: View | undefined;
  readonly #socket: WebSocket;
  readonly #stream: Socket;
  readonly #source: string | undefined;
  readonly #backlog: Backlog;
  readonly #outgoing: Outgoing;
  readonly #flush: () => void;
  /** By source and measurement, how many updates were skipped since its last one was reported; at least one a source. */
  readonly #passedOver = new Map<UpdateSource, Map<number, number>>();
  /** Of removed measurements: reported with the next newest values. */
  readonly #passedOverOfGone = new Map<UpdateSource, number>();
  readonly #nextTurn: () => Promise<void>;
  #drained: (() => void)[] = [];
  #isCatchingUp = false;
  #isPaused = false;
  #isHeld = false;
  #isLeaving = false;
  #left = 0;
  #leaving: AbortController | undefined;
  #closedMs: number | undefined;
  #movedMs: number;
  #heardMs: number;

  constructor({ socket, stream, source, caller, view, backlog, flush, nextTurn }: ChannelClientOptions, nowMs: number) {
    this.caller = caller;
    this.view = view;
    this.#socket = socket;
    this.#stream = stream;
    this.#source = source;
    this.#backlog = backlog;
    this.#flush = flush;
    this.#nextTurn = nextTurn;
    this.#movedMs = nowMs;
    this.#heardMs = nowMs;
    this.#outgoing = new Outgoing({ socket, backlog, onDrained: () => this.#onDrain() });
    stream.on('drain', () => this.#onDrain());
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** It was asked to leave, and is cut off in a moment. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  get remoteAddress(): string | undefined {
    return this.#source ?? this.#stream.remoteAddress;
  }

  get pendingBytes(): number {
    return this.#outgoing.pendingBytes;
  }

  /** Of these, the rest of long messages that it has requested. */
  get requestedBytes(): number {
    return this.#outgoing.requestedBytes;
  }

  /** Resolves when the client has taken the long message being sent, or is gone; undefined without such a message. */
  whenTaken(): Promise<void> | undefined {
    return this.#outgoing.isBusy ? new Promise((resolve) => this.onceDrained(resolve)) : undefined;
  }

  /**
   * Answers and what is never discarded. With several consecutive pieces: what it has requested. `onSent` is called
   * once, when the bytes are no longer needed: they were taken, or the client is gone.
   */
  send(message: string | Buffer | readonly Buffer[], onSent: () => void = () => undefined): void {
    if (!this.isOpen) {
      onSent();
      return;
    }
    const isBehind = this.pendingBytes - this.requestedBytes > mostUndroppableBytes;
    if (isPieces(message)) this.#outgoing.sendRequested(message, onSent);
    else this.#outgoing.send(typeof message === 'string' ? Buffer.from(message) : message, onSent);
    if (isBehind) this.#giveUp('the client does not keep up');
    else if ((this.pendingBytes > mostPendingBytes || this.#outgoing.isBusy) && !this.#isPaused) {
      this.#isPaused = true;
      this.#socket.pause();
    }
  }

  /** Measurement updates; false where they have to be passed over, each by `passOver`. */
  sendUpdates(message: Buffer): boolean {
    const pending = this.pendingBytes;
    // A message that is long by itself is sent where little is queued: with an empty queue, no drain would come.
    const isMuch = pending > littleBytes && pending + message.length > mostPendingBytes;
    if (this.#passedOver.size > 0 || isMuch || (this.#backlog.isTight && this.#stream.writableNeedDrain)) return false;
    if (this.isOpen) this.#outgoing.send(message);
    return true;
  }

  passOver(source: UpdateSource, handle: number): void {
    const updates = this.#passedOver.get(source);
    if (updates === undefined) this.#passedOver.set(source, new Map([[handle, 1]]));
    else updates.set(handle, (updates.get(handle) ?? 0) + 1);
  }

  /** Whether updates of the measurement were passed over, and it is yet to be reported. */
  isBehind(source: UpdateSource, handle: number): boolean {
    return this.#passedOver.get(source)?.has(handle) === true;
  }

  /** Nothing that was skipped of the source is reported any more; returns how much that was. */
  dropPassedOver(source: UpdateSource): number {
    let dropped = this.#passedOverOfGone.get(source) ?? 0;
    for (const updates of this.#passedOver.get(source)?.values() ?? []) dropped += updates;
    this.#passedOver.delete(source);
    this.#passedOverOfGone.delete(source);
    return dropped;
  }

  /** Nothing more of the measurement is reported; returns how many of its updates were skipped. */
  unwatched(source: UpdateSource, handle: number): number {
    const updates = this.#passedOver.get(source);
    const dropped = updates?.get(handle) ?? 0;
    updates?.delete(handle);
    if (updates?.size === 0) this.#passedOver.delete(source);
    return dropped;
  }

  /** The removal of a measurement is always reported, and nothing of it afterwards. */
  sendRemoval(source: UpdateSource, handle: number, message: Buffer): void {
    const dropped = this.unwatched(source, handle);
    if (dropped > 0) this.#passedOverOfGone.set(source, (this.#passedOverOfGone.get(source) ?? 0) + dropped);
    this.send(message);
  }

  /** Reads no more requests of it until `release`: what it sends stays in the socket. */
  hold(): void {
    this.#isHeld = true;
    this.#socket.pause();
  }

  release(): void {
    this.#isHeld = false;
    if (!this.#isPaused) this.#socket.resume();
  }

  /** Aborted when the client leaves, or is asked to. One signal for all callers, for as long as the client lasts. */
  gone(): AbortSignal {
    if (this.#leaving === undefined) {
      const leaving = new AbortController();
      this.#socket.once('close', () => leaving.abort());
      this.#leaving = leaving;
    }
    // One that has said goodbye may hold its line for long.
    if (!this.isOpen) this.#leaving.abort();
    return this.#leaving.signal;
  }

  /** Called when it has taken its whole queue; only for a client with a queue. */
  onceDrained(listener: () => void): void {
    this.#drained.push(listener);
  }

  /** It has said something. */
  heard(nowMs: number): void {
    this.#heardMs = nowMs;
  }

  /** Pings it; closes it where it takes nothing, or is silent, for too long. */
  check(nowMs: number): void {
    if (!this.isOpen) {
      this.#leaving?.abort();
      this.#closedMs ??= nowMs;
      if (nowMs - this.#closedMs >= lingerMs) this.terminate();
      return;
    }
    const left = this.#leftBytes();
    if (left === 0 || left !== this.#left) this.#movedMs = nowMs;
    this.#left = left;
    if (nowMs - this.#movedMs >= patienceMs) this.#giveUp('the client takes nothing');
    else if (nowMs - Math.max(this.#heardMs, left === 0 ? 0 : this.#movedMs) >= patienceMs) this.#socket.terminate();
    else if (left === 0) this.#socket.ping();
  }

  close(code: number, reason: string): void {
    this.#isLeaving = true;
    this.farewell(code, reason);
    // The queue is ahead of the farewell, and may never be taken.
    setTimeout(() => this.terminate(), farewellMs).unref();
  }

  terminate(): void {
    this.#socket.terminate();
  }

  /** Closes it behind all that waits, for as long as it takes. */
  farewell(code: number, reason: string): void {
    this.#outgoing.handAll();
    this.#socket.close(code, reason);
    this.#leaving?.abort();
  }

  /** It gets nothing more; the queue and the reason it gets as soon as it reads again. `check` ends it. */
  #giveUp(reason: string): void {
    this.farewell(closeCode.tryAgainLater, reason);
  }

  #onDrain(): void {
    if (this.#outgoing.isBusy) return; // it reports when everything has been sent
    if (this.#isPaused) {
      this.#isPaused = false;
      if (!this.#isHeld) this.#socket.resume();
    }
    for (const listener of this.#drained.splice(0)) listener();
    this.#catchUp();
  }

  /** Reports the newest values of skipped measurements: so many at once, the others in turns of their own. */
  async #catchUp(): Promise<void> {
    if (this.#isCatchingUp) return;
    this.#isCatchingUp = true;
    // Behind so much, the next drain goes on.
    while (this.#passedOver.size > 0 && this.isOpen && this.pendingBytes <= littleBytes) {
      this.#flush();
      const [[source, updates] = []] = this.#passedOver;
      if (source === undefined || updates === undefined) break;
      const portion = updates.keys().take(mostAtOnce).toArray();
      let skipped = this.#passedOverOfGone.get(source) ?? 0;
      this.#passedOverOfGone.delete(source);
      for (const handle of portion) skipped += this.unwatched(source, handle) - 1; // the last one is reported
      const message = source.newest(portion, skipped);
      if (message !== undefined) this.send([message]);
      if (this.#passedOver.size > 0) await this.#nextTurn();
    }
    this.#isCatchingUp = false;
  }

  /** What the system has not taken yet: it also counts down during a long write. */
  #leftBytes(): number {
    const buffered = this.#socket.bufferedAmount;
    return (buffered === 0 ? 0 : (queuedBytes(this.#stream) ?? buffered)) + this.#outgoing.queuedBytes;
  }
}

function isPieces(message: string | Buffer | readonly Buffer[]): message is readonly Buffer[] {
  return Array.isArray(message);
}
