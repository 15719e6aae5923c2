// A ZIP archive, as far as XLSX needs it: deflated entries, no folders, no times of day. The bytes depend on the content alone.
import { constants, crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  /** Deflated. */
  readonly pieces: readonly Uint8Array[];
  readonly crc: number;
  readonly size: number;
}

/** 1980-01-01, the first day of the format. */
const firstDay = 0x21;
const deflated = 8;
const version = 20;
const utf8Names = 0x800;

/** Deflates pieces one by one, so that a long entry can be made in steps. */
export class EntryWriter {
  readonly #name: string;
  readonly #pieces: Uint8Array[] = [];
  #crc = 0;
  #size = 0;

  constructor(name: string) {
    this.#name = name;
  }

  add(text: string): void {
    this.#deflate(text, constants.Z_SYNC_FLUSH);
  }

  end(text = ''): ZipEntry {
    this.#deflate(text, constants.Z_FINISH);
    return { name: this.#name, pieces: this.#pieces, crc: this.#crc, size: this.#size };
  }

  #deflate(text: string, finishFlush: number): void {
    const bytes = Buffer.from(text);
    this.#crc = crc32(bytes, this.#crc);
    this.#size += bytes.length;
    this.#pieces.push(deflateRawSync(bytes, { level: 1, finishFlush }));
  }
}

export function zip(entries: readonly ZipEntry[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  const add = (bytes: Uint8Array) => {
    pieces.push(bytes);
    at += bytes.length;
  };
  for (const entry of entries) {
    const start = at;
    const name = Buffer.from(entry.name);
    const common = commonOf(entry, name.length);
    add(Buffer.concat([Buffer.from('PK\x03\x04'), common, name]));
    for (const piece of entry.pieces) add(piece);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(start, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), u16(version), common, rest, name]));
  }
  const start = at;
  for (const bytes of directory) add(bytes);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(at - start, 12);
  end.writeUInt32LE(start, 16);
  return [...pieces, end];
}

/** What the header of an entry and the directory have in common. */
function commonOf({ pieces, crc, size }: ZipEntry, nameLength: number): Buffer {
  const common = Buffer.alloc(26);
  common.writeUInt16LE(version, 0);
  common.writeUInt16LE(utf8Names, 2);
  common.writeUInt16LE(deflated, 4);
  common.writeUInt16LE(firstDay, 8);
  common.writeUInt32LE(crc, 10);
  common.writeUInt32LE(
    pieces.reduce((sum, piece) => sum + piece.length, 0),
    14,
  );
  common.writeUInt32LE(size, 18);
  common.writeUInt16LE(nameLength, 22);
  return common;
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
