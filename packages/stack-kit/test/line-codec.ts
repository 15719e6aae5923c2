// Lines with a checksum: `text*hhhhhhhh`, so that what is not as it was sent is not taken for it.
import { crc32 } from 'node:zlib';

const maxLine = 1000;

export function lineOf(text: string): string {
  return `${text}*${checksumOf(text)}\n`;
}

/** How long the line is with which the bytes begin; 0: it is not whole. */
export function lineLength(bytes: Buffer): number {
  const length = bytes.indexOf('\n') + 1;
  if (length === 0 && bytes.length > maxLine) throw new Error('the line is too long');
  return length;
}

/** The text of a line; undefined where its checksum is wrong. */
export function readLine(line: string): string | undefined {
  const [, text = '', checksum] = /^(.*)\*([0-9a-f]{8})\n?$/.exec(line) ?? [];
  return checksum === checksumOf(text) ? text : undefined;
}

/** Splits a stream into the texts of its lines; those whose checksum is wrong are passed over. */
export class LineReader {
  readonly #onLine: (text: string) => void;
  #rest = '';

  constructor(onLine: (text: string) => void) {
    this.#onLine = onLine;
  }

  take(bytes: Buffer | string): void {
    const lines = (this.#rest + bytes.toString('latin1')).split('\n');
    this.#rest = (lines.pop() ?? '').slice(-maxLine);
    for (const line of lines) {
      const text = readLine(line);
      if (text !== undefined) this.#onLine(text);
    }
  }
}

function checksumOf(text: string): string {
  return crc32(Buffer.from(text, 'latin1')).toString(16).padStart(8, '0');
}
