// The entries of a ZIP archive that a stranger sent. Nothing is unpacked but what is asked for, by its exact name, into
// memory, up to a limit; so names that lead elsewhere lead nowhere.
import { inflateRawSync } from 'node:zlib';
import { ProblemError } from '@telltale/schema';

/** A workbook of a spreadsheet program has some dozens. */
const mostEntries = 1000;
const endLength = 22;
const mostComment = 0xffff;

interface Entry {
  readonly method: number;
  readonly flags: number;
  readonly packedBytes: number;
  readonly at: number;
}

export class ZipReader {
  readonly #bytes: Buffer;
  readonly #entries = new Map<string, Entry>();
  /** Of all entries together. */
  #bytesLeft: number;

  /** Throws a problem where it is no archive. */
  constructor(bytes: Uint8Array, mostBytes: number) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#bytesLeft = mostBytes;
    try {
      this.#readDirectory();
    } catch (error) {
      throw error instanceof RangeError ? malformed('its directory is damaged') : error;
    }
  }

  /** Its bytes, unpacked, at most so many; undefined where there is none. */
  read(name: string, mostBytes: number): Buffer | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    if ((entry.flags & 1) !== 0) throw malformed('it is encrypted: save it without a password');
    const packed = this.#packed(entry);
    if (entry.method !== 0 && entry.method !== 8) throw malformed(`${name} is compressed in an unknown way`);
    const most = Math.min(mostBytes, this.#bytesLeft);
    const unpacked = entry.method === 0 ? packed : inflate(name, packed, most);
    this.#bytesLeft -= unpacked.length;
    if (unpacked.length > most) throw tooLarge();
    return unpacked;
  }

  #packed({ at, packedBytes }: Entry): Buffer {
    const bytes = this.#bytes;
    if (at + 30 > bytes.length || bytes.toString('latin1', at, at + 4) !== 'PK\x03\x04')
      throw malformed('it is damaged');
    const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
    if (start + packedBytes > bytes.length) throw malformed('it is cut off');
    return bytes.subarray(start, start + packedBytes);
  }

  #readDirectory(): void {
    const bytes = this.#bytes;
    const from = Math.max(0, bytes.length - endLength - mostComment);
    const end = bytes.subarray(from).lastIndexOf(Buffer.from('PK\x05\x06'));
    if (end < 0) throw malformed('it has no directory, and may be cut off');
    const count = bytes.readUInt16LE(from + end + 10);
    let at = bytes.readUInt32LE(from + end + 16);
    if (count > mostEntries) throw malformed(`it has ${count} parts; at most ${mostEntries} are taken`);
    for (let index = 0; index < count; index++) {
      if (bytes.toString('latin1', at, at + 4) !== 'PK\x01\x02') throw malformed('its directory is damaged');
      const nameLength = bytes.readUInt16LE(at + 28);
      const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
      if (this.#entries.has(name)) throw malformed('a part of it is there twice');
      this.#entries.set(name, {
        flags: bytes.readUInt16LE(at + 8),
        method: bytes.readUInt16LE(at + 10),
        packedBytes: bytes.readUInt32LE(at + 20),
        at: bytes.readUInt32LE(at + 42),
      });
      at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    }
  }
}

function inflate(name: string, packed: Buffer, most: number): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, most) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw malformed(`${name} cannot be unpacked`);
  }
}

export function malformed(what: string): ProblemError {
  return new ProblemError('malformed-xlsx', `The body is no workbook that can be read: ${what}.`);
}

export function tooLarge(): ProblemError {
  return new ProblemError('table-too-large', 'Unpacked, the workbook is larger than any table that is taken.');
}
