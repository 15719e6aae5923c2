// The page of an answer that is being written. It is sent with its buffer; returned buffers are reused, so that a query
// of any length makes no garbage.

/** About so long are the pages of an answer. */
export const pageBytes = 512 * 1024;

/** Behind the length of a page, so that its last record need not be moved. */
const roomBytes = 8192;
/** Buffers that wait for their next page. */
const mostSpare = 8;

export class PageBuffers {
  readonly pageBytes: number;
  readonly bufferBytes: number;
  readonly #spare: ArrayBuffer[] = [];

  constructor(length = pageBytes) {
    this.pageBytes = length;
    this.bufferBytes = length + roomBytes;
  }

  take(): ArrayBuffer {
    return this.#spare.pop() ?? new ArrayBuffer(this.bufferBytes);
  }

  giveBack(buffer: ArrayBuffer): void {
    if (buffer.byteLength === this.bufferBytes && this.#spare.length < mostSpare) this.#spare.push(buffer);
  }
}

export class Page {
  declare bytes: Buffer<ArrayBuffer>;
  /** Of the same bytes. */
  declare view: DataView<ArrayBuffer>;
  at = 0;
  readonly fullBytes: number;
  readonly #buffers: PageBuffers;

  constructor(buffers: PageBuffers) {
    this.#buffers = buffers;
    this.fullBytes = buffers.pageBytes;
    this.#lay(new ArrayBuffer(0));
  }

  get isFull(): boolean {
    return this.at >= this.fullBytes;
  }

  reserve(bytes: number): void {
    if (this.at + bytes <= this.bytes.length) return;
    const isFirst = this.at === 0 && bytes <= this.#buffers.bufferBytes;
    const written = this.bytes.subarray(0, this.at);
    this.#lay(isFirst ? this.#buffers.take() : new ArrayBuffer(this.at + bytes + roomBytes));
    this.bytes.set(written);
  }

  text(text: string): void {
    this.reserve(text.length * 3);
    this.at += this.bytes.write(text, this.at);
  }

  /** What was written, in a buffer that is the taker's from now on; empty, and in none of the page's, where that is nothing. */
  take(): Uint8Array<ArrayBuffer> {
    if (this.at === 0) return new Uint8Array();
    const page = new Uint8Array(this.bytes.buffer, 0, this.at);
    this.at = 0;
    this.#lay(new ArrayBuffer(0));
    return page;
  }

  #lay(buffer: ArrayBuffer): void {
    this.bytes = Buffer.from(buffer);
    this.view = new DataView(buffer);
  }
}
