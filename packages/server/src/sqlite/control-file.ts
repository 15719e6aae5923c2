// What a database file had after its newest commit, stored beside the file and outside of its write-ahead log: a start that
// finds less than this knows that something acknowledged is missing.
import { closeSync, constants, fdatasyncSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

/** The commit that was acknowledged last. */
export interface Claim {
  /** Of the commit; each is one more than the one before. */
  readonly sequence: number;
  readonly timeMs: number;
  readonly rows: Readonly<Record<string, number>>;
  /** What was found missing and is not acknowledged yet. */
  readonly missing: readonly string[];
}

/** A claim as it is on disk; the higher write is the newer one. */
type Slot<C> = C & { readonly write: number };

/** A page of the disk: two claims never share one, so that a write that is cut off spoils one of them. */
const slotBytes = 4096;
const slots = 2;

export function controlPath(database: string): string {
  return database.replace(/(\.sqlite)?$/, '.control');
}

/** Of a database; what else has files that grow claims what it has in its own words. */
export class ControlFile<C extends object = Claim> {
  readonly #path: string;
  /** What was read when it was opened; undefined where it is missing or unreadable. */
  readonly found: C | undefined;
  readonly existed: boolean;
  readonly #bytes = Buffer.alloc(slotBytes);
  #fd: number | undefined;
  #write = 0;
  /** The one that is not the newest on disk for sure: claims go there until the next sync. */
  #slot = 0;
  #isSynced = true;

  constructor(path: string) {
    this.#path = path;
    const bytes = readIfThere(path);
    this.existed = bytes.length > 0;
    for (let slot = 0; slot < slots; slot++) {
      const read = readSlot<C>(bytes.subarray(slot * slotBytes, (slot + 1) * slotBytes));
      if (read === undefined || read.write < this.#write) continue;
      const { write, ...claim } = read;
      this.found = claim as unknown as C;
      this.#write = write;
      this.#slot = (slot + 1) % slots;
    }
  }

  /** After the commit, before it is acknowledged. Survives a kill of the process; with `sync`, a power cut too. */
  claim(claim: C): void {
    const json = JSON.stringify({ write: ++this.#write, ...claim } satisfies Slot<C>);
    const text = `${checksum(json)} ${json}`;
    const bytes = this.#bytes.fill(' ');
    bytes.write(text);
    bytes[slotBytes - 1] = 0x0a;
    writeSync(this.#open(), bytes, 0, slotBytes, this.#slot * slotBytes);
    this.#isSynced = false;
  }

  sync(): void {
    if (this.#isSynced || this.#fd === undefined) return;
    fdatasyncSync(this.#fd);
    this.#isSynced = true;
    this.#slot = (this.#slot + 1) % slots;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(): number {
    if (this.#fd !== undefined) return this.#fd;
    this.#fd = openSync(this.#path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
    if (!this.existed) syncFolder(dirname(this.#path));
    return this.#fd;
  }
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path).subarray(0, slots * slotBytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

function readSlot<C>(bytes: Buffer): Slot<C> | undefined {
  const text = bytes.toString().trimEnd();
  const json = text.slice(9);
  if (text.slice(0, 9) !== `${checksum(json)} `) return undefined;
  return JSON.parse(json) as Slot<C>;
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

/** Makes names in the folder durable: what was made, renamed or removed. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
