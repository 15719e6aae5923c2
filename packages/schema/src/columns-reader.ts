// Reads the binary form of archive records: frames of typed arrays, which may be cut anywhere on their way.
import { type Aggregate, type ArchiveKind, archiveKinds, isAggregate } from './archive-words.ts';
import { type Datatype, form, isDatatype, traitsOf } from './datatype.ts';

/** Records of one name in time order; a name may have several of these, one after the other. */
export interface ArchiveColumns {
  readonly kind: ArchiveKind;
  readonly name: string;
  readonly datatype: Datatype;
  /** Where several were asked for, which one: it has the buckets in which it has a value. */
  readonly aggregate?: Aggregate;
  /** Whole microseconds since 1970. */
  readonly times: Float64Array;
  /** In the form of the datatype: numbers, 64-bit integers or texts. */
  readonly values: Float64Array | BigInt64Array | readonly string[];
  /** Of commands they say nothing. */
  readonly qualities: Uint8Array;
  /** Where they were asked for; 1: simulated. */
  readonly flags?: Uint8Array;
}

const headBytes = 16;
const recordsMagic = 0x46435454; // TTCF
const aggregateMagic = 0x41435454; // TTCA
const endMagic = 0x45435454; // TTCE
/** Beside the kind: a column of flags is behind that of the qualities. */
const flagsFollow = 0x80;
/** Behind the head of a frame of an aggregate: its word. */
const wordBytes = 16;

/** The last frame is so long; nothing comes after it. */
export const endFrameBytes = headBytes;

export function isEndFrame(bytes: Uint8Array): boolean {
  return bytes.length === endFrameBytes && magicOf(bytes) === endMagic;
}

/** More than any frame of the service has; what is longer is no frame. */
const mostFrameBytes = 256 << 20;

/** Bytes that make no sense here. */
export class BadColumns extends Error {
  override readonly name = 'BadColumns';
}

export class ColumnsReader {
  #chunks: Uint8Array[] = [];
  #pending = 0;
  #wanted = headBytes;
  #isEnded = false;

  /** The frames that are whole with this. Throws BadColumns. */
  *feed(chunk: Uint8Array): Generator<ArchiveColumns> {
    this.#chunks.push(chunk);
    this.#pending += chunk.length;
    while (this.#pending >= this.#wanted && this.#pending > 0) {
      if (this.#isEnded) throw new BadColumns('there is data after the end');
      const [only] = this.#chunks;
      const bytes = this.#chunks.length === 1 && only !== undefined ? only : joined(this.#chunks, this.#pending);
      const size = frameBytes(bytes);
      this.#chunks = [bytes];
      this.#wanted = size;
      if (bytes.length < size) return;
      const frame = new Uint8Array(bytes.subarray(0, size));
      this.#chunks = [bytes.subarray(size)];
      this.#pending -= size;
      this.#wanted = headBytes;
      if (magicOf(frame) === endMagic) {
        this.#isEnded = true;
        this.#wanted = 0;
      } else yield readFrame(frame);
    }
  }

  /** The last frame was there: nothing was cut off. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Throws where the last frame is missing. */
  end(): void {
    if (!this.#isEnded) throw new BadColumns('it is truncated');
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

const padded = (length: number) => Math.ceil(length / 8) * 8;

function magicOf(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
}

interface Head {
  /** With the word of an aggregate, where there is one. */
  readonly headBytes: number;
  /** Undefined: there is no such datatype. */
  readonly datatype: Datatype | undefined;
  readonly isText: boolean;
  readonly hasFlags: boolean;
  readonly nameBytes: number;
  readonly count: number;
  readonly textBytes: number;
}

function headOf(bytes: Uint8Array): Head {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const letter = String.fromCharCode(view.getUint8(5));
  const datatype = isDatatype(letter) ? letter : undefined;
  return {
    headBytes: magicOf(bytes) === aggregateMagic ? headBytes + wordBytes : headBytes,
    datatype,
    isText: datatype !== undefined && traitsOf(datatype).form === form.text,
    hasFlags: (view.getUint8(4) & flagsFollow) !== 0,
    nameBytes: view.getUint16(6, true),
    count: view.getUint32(8, true),
    textBytes: view.getUint32(12, true),
  };
}

function frameBytes(bytes: Uint8Array): number {
  const magic = magicOf(bytes);
  if (magic === endMagic) return headBytes;
  if (magic !== recordsMagic && magic !== aggregateMagic) throw new BadColumns('a frame is expected');
  const { headBytes: nameAt, isText, hasFlags, nameBytes, count, textBytes } = headOf(bytes);
  const values = isText ? padded(4 * count) + padded(textBytes) : 8 * count;
  const size = nameAt + padded(nameBytes) + 8 * count + values + (hasFlags ? 2 : 1) * padded(count);
  if (size > mostFrameBytes) throw new BadColumns('a frame is too long');
  return size;
}

/** The frame has a buffer of its own, so that its arrays begin where their elements may. */
function readFrame(bytes: Uint8Array<ArrayBuffer>): ArchiveColumns {
  const { buffer } = bytes;
  const { headBytes: nameAt, datatype, isText, hasFlags, nameBytes, count, textBytes } = headOf(bytes);
  const kind = archiveKinds[(bytes[4] ?? 0) & ~flagsFollow];
  if (kind === undefined || datatype === undefined) throw new BadColumns('the kind of a frame is unknown');
  const aggregate = nameAt > headBytes ? wordIn(bytes.subarray(headBytes, nameAt)) : undefined;
  const name = new TextDecoder().decode(bytes.subarray(nameAt, nameAt + nameBytes));
  const timesAt = nameAt + padded(nameBytes);
  const valuesAt = timesAt + 8 * count;
  const textsAt = valuesAt + padded(4 * count);
  const qualitiesAt = isText ? textsAt + padded(textBytes) : valuesAt + 8 * count;
  const valuesOf = () => {
    if (isText)
      return readTexts(new Uint32Array(buffer, valuesAt, count), bytes.subarray(textsAt, textsAt + textBytes));
    const ArrayOf = traitsOf(datatype).form === form.long ? BigInt64Array : Float64Array;
    return new ArrayOf(buffer, valuesAt, count);
  };
  return {
    kind,
    name,
    datatype,
    ...(aggregate !== undefined && { aggregate }),
    times: new Float64Array(buffer, timesAt, count),
    values: valuesOf(),
    qualities: new Uint8Array(buffer, qualitiesAt, count),
    ...(hasFlags && { flags: new Uint8Array(buffer, qualitiesAt + padded(count), count) }),
  };
}

function wordIn(bytes: Uint8Array): Aggregate {
  const word = new TextDecoder().decode(bytes).replace(/\0+$/, '');
  if (!isAggregate(word)) throw new BadColumns('the aggregate of a frame is unknown');
  return word;
}

function readTexts(lengths: Uint32Array, bytes: Uint8Array): string[] {
  const utf8 = new TextDecoder();
  let at = 0;
  const texts = Array.from(lengths, (length) => {
    const text = utf8.decode(bytes.subarray(at, at + length));
    at += length;
    return text;
  });
  if (at !== bytes.length) throw new BadColumns('the texts of a frame have another length than declared');
  return texts;
}
