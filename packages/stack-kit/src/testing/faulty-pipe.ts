// One direction of a connection through the fault proxy: keeps the order of the bytes whatever befalls them.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultDice, secondCopyMs } from './fault.ts';

export interface FaultyPipeOptions {
  readonly from: Socket;
  readonly to: Socket;
  readonly dice: () => FaultDice;
  readonly onBytes: (count: number) => void;
}

interface Chunk {
  readonly bytes: Buffer;
  readonly cameMs: number;
}

/** So much waits before the sender is held up. */
const maxPending = 1 << 20;

export class FaultyPipe {
  /** Bytes are gone: what would follow them makes no sense. */
  hasLost = false;
  readonly #options: FaultyPipeOptions;
  readonly #pending: Chunk[] = [];
  #pendingBytes = 0;
  #hasEnded = false;
  #isPumping = false;
  #isClosed = false;
  #wake = () => {};

  constructor(options: FaultyPipeOptions) {
    this.#options = options;
    options.from.on('data', (bytes: Buffer) => this.#take(bytes));
    options.from.on('end', () => {
      this.#hasEnded = true;
      void this.#pump();
    });
    options.to.on('drain', () => this.#wake());
    options.to.on('close', () => this.#wake());
  }

  /** The fault is another one now. */
  faultChanged(): void {
    this.#wake();
    void this.#pump();
  }

  close(): void {
    this.#isClosed = true;
    this.#pending.length = 0;
    this.#wake();
  }

  #take(bytes: Buffer): void {
    if (this.#isClosed) return;
    this.#pending.push({ bytes, cameMs: performance.now() });
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes > maxPending) this.#options.from.pause();
    void this.#pump();
  }

  async #pump(): Promise<void> {
    if (this.#isPumping) return;
    this.#isPumping = true;
    const { from, to } = this.#options;
    while (!this.#isClosed && (this.#pending.length > 0 || this.#hasEnded)) {
      const dice = this.#options.dice();
      const { kind } = dice.fault;
      if (kind === 'stall' || (kind === 'discard' && this.#pending.length === 0)) {
        await this.#untilWoken();
        continue;
      }
      const chunk = this.#pending.shift();
      if (chunk === undefined) {
        to.end();
        break;
      }
      this.#pendingBytes -= chunk.bytes.length;
      if (this.#pendingBytes <= maxPending) from.resume();
      await this.#passOn(chunk, dice);
      while (to.writableNeedDrain && !to.destroyed && !this.#isClosed) await this.#untilWoken();
    }
    this.#isPumping = false;
  }

  async #passOn({ bytes, cameMs }: Chunk, dice: FaultDice): Promise<void> {
    const { fault } = dice;
    switch (fault.kind) {
      case 'discard':
        this.hasLost = true;
        return;
      case 'delay': {
        const leftMs = () => cameMs + fault.ms - performance.now();
        while (leftMs() > 0 && this.#options.dice() === dice && !this.#isClosed) await this.#untilWoken(leftMs());
        return this.#write(bytes);
      }
      case 'drip':
        for (const byte of bytes) {
          if (this.#isClosed) return;
          this.#write(Buffer.of(byte));
          if (fault.ms > 0) await sleep(fault.ms);
          else await new Promise(setImmediate);
        }
        return;
      case 'garble':
        return this.#write(dice.strikes() ? dice.garbled(bytes) : bytes);
      case 'mangle':
        return this.#write(dice.strikes() ? dice.mangled(bytes) : bytes);
      case 'duplicate':
        this.#write(bytes);
        if (!dice.strikes()) return;
        // By now, the next question may have been asked.
        await sleep(secondCopyMs);
        return this.#write(bytes);
      case 'truncate':
        if (!dice.strikes()) return this.#write(bytes);
        this.#write(dice.truncated(bytes));
        this.#options.to.end();
        this.#options.from.end();
        return this.close();
      default:
        return this.#write(bytes);
    }
  }

  #write(bytes: Buffer): void {
    if (this.#isClosed || bytes.length === 0 || !this.#options.to.writable) return;
    this.#options.onBytes(bytes.length);
    this.#options.to.write(bytes);
  }

  /** Until the fault changes, the pipe is closed, or the time has passed. */
  async #untilWoken(ms?: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
    this.#wake = () => {};
  }
}
