// The messages of a WebSocket, out of its bytes as they pass by, in one direction: without extensions, which a centre does not let through.

export interface ChannelMessagesOptions {
  /** Of a message that is looked at. */
  readonly mostBytes: number;
  /** Whole; undefined: it is longer. */
  readonly onMessage: (message: Buffer | undefined) => void;
}

interface Frame {
  /** Of its payload: what is still to come, and what has come. */
  left: number;
  at: number;
  readonly mask: Buffer | undefined;
  readonly isControl: boolean;
}

const [textOpcode, binaryOpcode, controlOpcodes] = [1, 2, 8];
const mostHeadBytes = 14;

export class ChannelMessages {
  readonly #options: ChannelMessagesOptions;
  #head = Buffer.alloc(0);
  /** Undefined: its head has not come yet. */
  #frame: Frame | undefined;
  #isLast = false;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(options: ChannelMessagesOptions) {
    this.#options = options;
  }

  /** The next bytes, which are not changed. */
  take(bytes: Buffer): void {
    for (let at = 0; at < bytes.length || this.#frame?.left === 0; ) {
      if (this.#frame === undefined) at += this.#takeHead(bytes.subarray(at));
      else at += this.#takePayload(bytes.subarray(at), this.#frame);
    }
  }

  /** Answers how many bytes were of it. */
  #takeHead(bytes: Buffer): number {
    const head = Buffer.concat([this.#head, bytes.subarray(0, mostHeadBytes - this.#head.length)]);
    const size = headSize(head);
    if (head.length < size) {
      this.#head = head;
      return bytes.length;
    }
    const taken = size - this.#head.length;
    this.#head = Buffer.alloc(0);
    const [first = 0, second = 0] = head;
    const opcode = first & 15;
    const short = second & 127;
    const left = short === 127 ? Number(head.readBigUInt64BE(2)) : short === 126 ? head.readUInt16BE(2) : short;
    const isControl = opcode >= controlOpcodes;
    if (!isControl) this.#isLast = (first & 128) !== 0;
    if (opcode === textOpcode || opcode === binaryOpcode) this.#forget();
    const mask = (second & 128) === 0 ? undefined : head.subarray(size - 4, size);
    this.#frame = { left, at: 0, mask, isControl };
    return taken;
  }

  #takePayload(bytes: Buffer, frame: Frame): number {
    const { mask, at, isControl } = frame;
    const taken = bytes.subarray(0, frame.left);
    frame.left -= taken.length;
    frame.at += taken.length;
    if (!isControl) {
      this.#bytes += taken.length;
      if (this.#bytes > this.#options.mostBytes) this.#pieces = [];
      else this.#pieces.push(mask === undefined ? Buffer.from(taken) : unmasked(taken, mask, at));
    }
    if (frame.left === 0) {
      this.#frame = undefined;
      if (!isControl && this.#isLast) this.#end();
    }
    return taken.length;
  }

  #end(): void {
    const isWhole = this.#bytes <= this.#options.mostBytes;
    const message = isWhole ? Buffer.concat(this.#pieces) : undefined;
    this.#forget();
    this.#options.onMessage(message);
  }

  #forget(): void {
    this.#pieces = [];
    this.#bytes = 0;
  }
}

function headSize({ 1: second }: Buffer): number {
  if (second === undefined) return 2;
  const short = second & 127;
  return 2 + (short === 127 ? 8 : short === 126 ? 2 : 0) + ((second & 128) === 0 ? 0 : 4);
}

function unmasked(bytes: Buffer, mask: Buffer, from: number): Buffer {
  const plain = Buffer.from(bytes);
  for (let at = 0; at < plain.length; at++) plain[at] = (plain[at] as number) ^ (mask[(from + at) & 3] as number);
  return plain;
}
