// The page of an answer that is being written. It is handed on with its buffer; buffers that come back serve again, so
// that a reading of any length makes no garbage.

/** About so long are the pages of an answer. */
export const pageBytes = 512 * 1024;

const bufferBytes = pageBytes + 8192;
/** Buffers that wait for their next page. */
const mostSpare = 8;

export class PageBuffers {
  readonly #spare: ArrayBuffer[] = [];

  take(): ArrayBuffer {
    return this.#spare.pop() ?? new ArrayBuffer(bufferBytes);
  }

  giveBack(buffer: ArrayBuffer): void {
    if (buffer.byteLength === bufferBytes && this.#spare.length < mostSpare) this.#spare.push(buffer);
  }
}

export class Page {
  bytes = Buffer.alloc(0);
  /** Of the same bytes. */
  view = new DataView(this.bytes.buffer);
  /** Where the next byte goes. */
  at = 0;
  readonly #buffers: PageBuffers;

  constructor(buffers: PageBuffers) {
    this.#buffers = buffers;
  }

  get isFull(): boolean {
    return this.at >= pageBytes;
  }

  /** Makes room for so many more bytes. */
  reserve(bytes: number): void {
    if (this.at + bytes <= this.bytes.length) return;
    const isFirst = this.at === 0 && bytes <= bufferBytes;
    const buffer = isFirst ? this.#buffers.take() : new ArrayBuffer(this.at + bytes + 8192);
    const grown = Buffer.from(buffer);
    grown.set(this.bytes.subarray(0, this.at));
    this.bytes = grown;
    this.view = new DataView(buffer);
  }

  text(text: string): void {
    this.reserve(text.length * 3);
    this.at += this.bytes.write(text, this.at);
  }

  /** What was written, at the start of a buffer that is the taker's. */
  take(): Uint8Array<ArrayBuffer> {
    const page = new Uint8Array(this.view.buffer as ArrayBuffer, 0, this.at);
    this.at = 0;
    this.bytes = Buffer.alloc(0);
    return page;
  }
}
