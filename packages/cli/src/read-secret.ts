// A secret from a person, who does not see what is typed, or from the standard input; never from the command line, which
// other users of the machine can list.
import type { ReadStream } from 'node:tty';
import { type Call, Refused } from './declaration.ts';
import { readInput } from './files.ts';

const [enter, newline, interrupt, end, backspace, erase] = ['\r', '\n', '\u0003', '\u0004', '\u007f', '\b'];

/** The first line. */
export async function readSecret(call: Pick<Call, 'input' | 'signal' | 'terminal'>, what: string): Promise<string> {
  const input = call.input as Partial<ReadStream> & NodeJS.ReadableStream;
  const text = input.isTTY ? await typed(input as ReadStream, call, what) : (await readInput(call, '-')).toString();
  const [line = ''] = text.split(/\r?\n/, 1);
  if (line === '') throw new Refused(`There is no ${what} in the standard input: its first line is empty.`);
  return line;
}

/** Without an echo, until Enter. */
async function typed(input: ReadStream, { signal, terminal }: Pick<Call, 'signal' | 'terminal'>, what: string) {
  terminal.note(`Type the ${what}, which is not shown, and press Enter.`);
  input.setRawMode(true);
  let text = '';
  try {
    for await (const chunk of input.iterator({ destroyOnReturn: false })) {
      for (const character of String(chunk)) {
        if (character === enter || character === newline || character === end) return text;
        if (character === interrupt || signal.aborted) throw new Refused('Nothing was set.');
        text = character === backspace || character === erase ? text.slice(0, -1) : text + character;
      }
    }
    return text;
  } finally {
    input.setRawMode(false);
    input.pause();
  }
}
