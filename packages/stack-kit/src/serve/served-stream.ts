// A client of a provider over a stream: what it asks is carried out one by one, when it is its turn. Nothing more is read
// from it before all of that is done and the client has taken the answers.
import type { Socket } from 'node:net';
import type { RequestRate } from './request-rate.ts';
import type { Admitted, ServedClients } from './served-clients.ts';

export interface ServedStreamOptions {
  readonly clients: ServedClients;
  readonly socket: Socket;
  /** How long the request is with which the bytes begin; 0: it is not whole yet. Throws where it cannot be one. */
  readonly cut: (bytes: Buffer) => number;
  /** Carries out a request. The next one follows when its promise, if any, is settled. */
  readonly take: (request: Buffer) => unknown;
  /** What `cut` or `take` has thrown; the client is disconnected. */
  readonly onWrong: (error: Error) => void;
  /** False while it is to have no more; `goOn` follows. */
  readonly mayTake?: () => boolean;
  /** Of a socket whose own methods somebody else has; its own. */
  readonly flow?: { readonly pause: () => void; readonly resume: () => void };
}

const noBytes: Buffer = Buffer.alloc(0);

export class ServedStream implements Admitted {
  usedMs = 0;
  readonly rate: RequestRate;
  cancelHold: () => void = () => {};
  readonly #options: ServedStreamOptions;
  /** What has come and was not carried out; begins with a request. */
  #rest = noBytes;
  #isBusy = false;
  readonly #pause: () => void;
  readonly #resume: () => void;

  /** The caller has the data of the socket: by `socket.on('data', …)`. */
  constructor(options: ServedStreamOptions) {
    const { clients, socket, flow } = options;
    this.#options = options;
    this.#pause = flow?.pause ?? (() => socket.pause());
    this.#resume = flow?.resume ?? (() => socket.resume());
    this.rate = clients.newRate();
    socket.on('drain', () => this.goOn());
    socket.on('close', () => this.#end());
  }

  hear(chunk: Buffer): void {
    this.#pause();
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.goOn();
  }

  next(): boolean {
    const { clients, socket, cut, take, mayTake } = this.#options;
    if (socket.destroyed || this.#isBusy || socket.writableNeedDrain || mayTake?.() === false) return false;
    try {
      const length = cut(this.#rest);
      if (length === 0) {
        this.#resume();
        return false;
      }
      if (!clients.admit(this)) return false;
      const request = this.#rest.subarray(0, length);
      this.#rest = this.#rest.length === length ? noBytes : this.#rest.subarray(length);
      const taken = take(request);
      if (!(taken instanceof Promise)) return true;
      this.#isBusy = true;
      taken.then(
        () => this.#done(),
        (error) => this.#wrong(error),
      );
    } catch (error) {
      this.#wrong(error);
    }
    return false;
  }

  #done(): void {
    this.#isBusy = false;
    this.goOn();
  }

  /** It may take more again. */
  goOn(): void {
    if (!this.#options.socket.destroyed && !this.#isBusy) this.#options.clients.turns.join(this);
  }

  #wrong(error: unknown): void {
    const { socket, onWrong } = this.#options;
    if (!socket.destroyed) onWrong(error instanceof Error ? error : new Error(String(error)));
    socket.destroy();
    this.#end();
  }

  #end(): void {
    this.cancelHold();
    this.#rest = noBytes;
    this.#options.clients.turns.leave(this);
  }
}
