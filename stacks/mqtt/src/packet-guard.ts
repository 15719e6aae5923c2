// Looks at the bytes of a broker before the library does: counts packets, and cuts the payload out of a message that is
// too large, so that no broker fills the memory and one large message does not end the connection. Pure.

/** The fixed header has a byte for the type, and up to four for the length of the rest. */
const maxHeader = 5;
const publishType = 3;

export interface PacketGuardOptions {
  /** Of the bytes behind the fixed header. */
  readonly maxLength: number;
  readonly hasProperties: boolean;
  /** Stands in for a payload that was too large. */
  readonly token: Buffer;
}

export class PacketGuard {
  /** Whole ones. */
  packets = 0;
  readonly #options: PacketGuardOptions;
  /** Of a packet whose fixed header is not whole. */
  #header: Buffer = Buffer.alloc(0);
  /** Bytes of the packet that are still to come. */
  #left = 0;
  /** Of a publish that is too large: what comes before its payload, as far as it is there. */
  #prefix: Buffer | undefined;
  #first = 0;
  #isSkipping = false;

  constructor(options: PacketGuardOptions) {
    this.#options = options;
  }

  /** Hands on bytes up to the end of so many packets, and returns how many. Throws where they are no packets. */
  take(chunk: Buffer, mostPackets: number, pass: (bytes: Buffer) => void): number {
    const enough = this.packets + mostPackets;
    let at = 0;
    while (at < chunk.length && this.packets < enough) {
      if (this.#left > 0) at = this.#body(chunk, at, pass);
      else at = this.#begin(chunk, at, pass);
    }
    return at;
  }

  #begin(chunk: Buffer, from: number, pass: (bytes: Buffer) => void): number {
    const held = this.#header.length;
    const header = Buffer.concat([this.#header, chunk.subarray(from, from + maxHeader - held)]);
    let length = 0;
    let size = 1;
    for (; ; size++) {
      if (size > 4 && size >= maxHeader) throw new Error('the broker sent a packet without a length');
      const byte = header[size];
      if (byte === undefined) {
        this.#header = header;
        return chunk.length;
      }
      length += (byte & 0x7f) * 128 ** (size - 1);
      if (byte < 0x80) break;
    }
    size++;
    this.#header = Buffer.alloc(0);
    this.#left = length;
    this.#first = header[0] as number;
    if (length > this.#options.maxLength) {
      if (this.#first >> 4 !== publishType) throw new Error(`the broker sent a packet of ${length} bytes`);
      this.#prefix = Buffer.alloc(0);
    } else {
      pass(header.subarray(0, size));
      if (length === 0) this.packets++;
    }
    return from + size - held;
  }

  #body(chunk: Buffer, from: number, pass: (bytes: Buffer) => void): number {
    const to = Math.min(chunk.length, from + this.#left);
    const part = chunk.subarray(from, to);
    this.#left -= part.length;
    if (this.#prefix !== undefined) {
      this.#prefix = Buffer.concat([this.#prefix, part]);
      const length = this.#prefixLength(this.#prefix);
      if (length !== undefined) {
        this.#standIn(this.#prefix.subarray(0, length), pass);
        this.#prefix = undefined;
        this.#isSkipping = true;
      } else if (this.#left === 0 || this.#prefix.length > this.#options.maxLength) {
        throw new Error('the broker sent a message whose header is too large');
      }
    } else if (!this.#isSkipping) pass(part);
    if (this.#left === 0) {
      this.packets++;
      this.#isSkipping = false;
    }
    return to;
  }

  /** Topic, packet identifier and properties; undefined while they are not all there. */
  #prefixLength(bytes: Buffer): number | undefined {
    if (bytes.length < 2) return undefined;
    let length = 2 + bytes.readUInt16BE(0) + ((this.#first & 0x06) === 0 ? 0 : 2);
    if (this.#options.hasProperties) {
      let properties = 0;
      for (let digit = 0; ; digit++) {
        const byte = bytes[length++];
        if (byte === undefined || digit > 3) return undefined;
        properties += (byte & 0x7f) * 128 ** digit;
        if (byte < 0x80) break;
      }
      length += properties;
    }
    return bytes.length < length ? undefined : length;
  }

  #standIn(prefix: Buffer, pass: (bytes: Buffer) => void): void {
    const { token } = this.#options;
    const header = [this.#first];
    let length = prefix.length + token.length;
    do {
      const rest = Math.floor(length / 128);
      header.push((length % 128) | (rest > 0 ? 0x80 : 0));
      length = rest;
    } while (length > 0);
    pass(Buffer.concat([Buffer.from(header), prefix, token]));
  }
}
