// Several statements in one text, sent in one go: what each COPY … TO STDOUT among them gives, whole. Who asks bounds it.
import type { Submittable, Connection as Wire } from 'pg';

const firstBytes = 64 * 1024;

export class CopyOut implements Submittable {
  /** By statement, in order. Rejects with the error of the server, after which it does nothing more of the text. */
  readonly done: Promise<Buffer[]>;
  readonly #text: string;
  readonly #settle: PromiseWithResolvers<Buffer[]>;
  readonly #copied: Buffer[] = [];
  #bytes = Buffer.allocUnsafeSlow(firstBytes);
  #length = 0;

  constructor(text: string) {
    this.#text = text;
    this.#settle = Promise.withResolvers();
    this.done = this.#settle.promise;
  }

  submit(wire: Wire): void {
    wire.query(this.#text);
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 4 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    chunk.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    if (!text.startsWith('COPY')) return;
    this.#copied.push(this.#bytes.subarray(0, this.#length));
    // What follows goes behind it while there is room, which is so for most.
    this.#bytes = this.#bytes.subarray(this.#length);
    this.#length = 0;
  }

  handleError(error: Error): void {
    this.#settle.reject(error);
  }

  handleReadyForQuery(): void {
    this.#settle.resolve(this.#copied);
  }

  handleRowDescription(): void {}

  handleDataRow(): void {}

  handleEmptyQuery(): void {}
}
