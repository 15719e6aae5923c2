// What code in a thread prints past the log, as libraries do: line by line into the log, bounded as that of a stack is.
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** A longer line is logged in pieces. */
const maxLine = 2000;

export function logOutput(output: Readable, log: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let begun = '';
  output.on('data', (bytes: Buffer) => {
    const lines = (begun + decoder.write(bytes)).split('\n');
    begun = lines.pop() ?? '';
    if (begun.length > maxLine) {
      lines.push(begun);
      begun = '';
    }
    for (const line of lines) if (line.trim() !== '') log(line.trimEnd());
  });
  output.on('end', () => {
    if (begun.trim() !== '') log(begun.trimEnd());
  });
}
