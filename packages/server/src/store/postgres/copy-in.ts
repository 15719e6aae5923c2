// COPY … FROM STDIN with bytes that are ready. The types of `pg` leave out what a statement of this kind is told and may say.
import type { Submittable, Connection as Wire } from 'pg';

interface CopyWire extends Wire {
  sendCopyFromChunk(bytes: Uint8Array): void;
  endCopyFrom(): void;
}

/** The server takes each in one piece. */
const pieceBytes = 2 ** 20;

export class CopyIn implements Submittable {
  /** How many rows there were. */
  readonly done: Promise<number>;
  readonly #text: string;
  readonly #bytes: Uint8Array;
  readonly #settle: PromiseWithResolvers<number>;
  #rows = 0;

  constructor(text: string, bytes: Uint8Array) {
    this.#text = text;
    this.#bytes = bytes;
    this.#settle = Promise.withResolvers();
    this.done = this.#settle.promise;
  }

  submit(wire: Wire): void {
    wire.query(this.#text);
  }

  handleCopyInResponse(wire: CopyWire): void {
    const bytes = this.#bytes;
    for (let at = 0; at < bytes.length; at += pieceBytes) wire.sendCopyFromChunk(bytes.subarray(at, at + pieceBytes));
    wire.endCopyFrom();
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#rows = Number(text.slice('COPY '.length));
  }

  handleError(error: Error): void {
    this.#settle.reject(error);
  }

  handleReadyForQuery(): void {
    this.#settle.resolve(this.#rows);
  }

  handleRowDescription(): void {}

  handleDataRow(): void {}

  handleEmptyQuery(): void {}
}
