// The time columns of a block that is being written, each stored once: the points of a scan share theirs.
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { ByteWriter } from '../codec/byte-writer.ts';
import { encodeTimes } from '../codec/time-column.ts';
import type { FileRange } from './series-index.ts';

/** Beyond so many the oldest are forgotten, and stored again where they come again. */
const mostKnown = 65_536;

export class TimeColumns {
  /** Columns that are not in the file yet. */
  readonly pending = new ByteWriter();
  /** Where in the file those will begin. */
  at = 0;
  readonly #known = new Map<string, FileRange>();

  locate(times: Float64Array, from: number, to: number): FileRange {
    // A digest without known collisions: no device can make its times look like those of another.
    const key = hash('sha256', new Uint8Array(times.buffer, times.byteOffset + 8 * from, 8 * (to - from)), 'base64');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const start = this.pending.length;
    encodeTimes(times, from, to, this.pending);
    const column = this.pending.bytes.subarray(start, this.pending.length);
    const location = { at: this.at + start, bytes: column.length, crc: crc32(column) };
    if (this.#known.size >= mostKnown) {
      for (const oldest of this.#known.keys()) {
        this.#known.delete(oldest);
        break;
      }
    }
    this.#known.set(key, location);
    return location;
  }
}
