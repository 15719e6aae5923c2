// Lines with a checksum: `text*hhhhhhhh`, so that what is not as it was sent is not taken for it.
import { crc32 } from 'node:zlib';

const maxLine = 1000;

export function lineOf(text: string): string {
  return `${text}*${checksumOf(text)}\n`;
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
      const [, text = '', checksum] = /^(.*)\*([0-9a-f]{8})$/.exec(line) ?? [];
      if (checksum === checksumOf(text)) this.#onLine(text);
    }
  }
}

function checksumOf(text: string): string {
  return crc32(Buffer.from(text, 'latin1')).toString(16).padStart(8, '0');
}
