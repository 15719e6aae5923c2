// The page of an answer that is being written. One buffer serves all pages; what is taken is a copy of the right length.

/** About so long are the pages of an answer. */
export const pageBytes = 65_536;

export class Page {
  bytes = Buffer.from(new ArrayBuffer(pageBytes + 8192));
  /** Of the same bytes. */
  view = new DataView(this.bytes.buffer);
  /** Where the next byte goes. */
  at = 0;

  get isFull(): boolean {
    return this.at >= pageBytes;
  }

  /** Makes room for so many more bytes. */
  reserve(bytes: number): void {
    if (this.at + bytes <= this.bytes.length) return;
    const grown = Buffer.from(new ArrayBuffer(this.at + bytes + 8192));
    grown.set(this.bytes.subarray(0, this.at));
    this.bytes = grown;
    this.view = new DataView(grown.buffer);
  }

  text(text: string): void {
    this.reserve(text.length * 3);
    this.at += this.bytes.write(text, this.at);
  }

  /** What was written, alone in its buffer. */
  take(): Uint8Array<ArrayBuffer> {
    const page = new Uint8Array(this.view.buffer.slice(0, this.at) as ArrayBuffer);
    this.at = 0;
    // One large record is no reason to keep its room.
    if (this.bytes.length > 4 * pageBytes) {
      this.bytes = Buffer.from(new ArrayBuffer(pageBytes + 8192));
      this.view = new DataView(this.bytes.buffer);
    }
    return page;
  }
}
