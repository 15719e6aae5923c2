// Asks the person at the terminal, without an echo where it is a secret; or takes the lines of the standard input, for
// scripts. A secret is never an argument, which every user of the machine could read.
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { onAbort } from '@telltale/schema';
import { type Call, Interrupted, type OptionDeclaration, Refused } from './declaration.ts';
import { readInput } from './files.ts';
import type { Terminal } from './terminal.ts';

export const passwordStdin: OptionDeclaration = {
  name: 'password-stdin',
  summary: 'Read what would be asked for, such as the password, from the standard input, one line each',
};

export interface Prompts extends Disposable {
  ask(question: string): Promise<string>;
  secret(question: string): Promise<string>;
  /** A secret that is set: a person enters it twice. */
  newSecret(question: string): Promise<string>;
}

const mostTries = 3;

export type Asking = Pick<Call, 'options' | 'input' | 'signal' | 'terminal'>;

export async function openPrompts(call: Asking): Promise<Prompts> {
  if (call.options.has('password-stdin')) return new GivenLines(await linesOf(call));
  if ((call.input as NodeJS.ReadStream).isTTY === true) return new TerminalPrompts(call);
  throw new Refused(
    'There is no terminal to ask for a password at: give it on the standard input, with --password-stdin.',
  );
}

/** Where nothing else is asked for. */
export async function newSecret(call: Asking, question: string): Promise<string> {
  using prompts = await openPrompts(call);
  return await prompts.newSecret(question); // it is open until then
}

async function linesOf(call: Asking): Promise<string[]> {
  const text = (await readInput(call, '-')).toString('utf8');
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}

class GivenLines implements Prompts {
  readonly #lines: string[];

  constructor(lines: string[]) {
    this.#lines = lines;
  }

  async ask(question: string): Promise<string> {
    const line = this.#lines.shift();
    if (line === undefined || line === '') throw new Refused(`The standard input has no line for: ${question}`);
    return line;
  }

  secret(question: string): Promise<string> {
    return this.ask(question);
  }

  newSecret(question: string): Promise<string> {
    return this.ask(question);
  }

  [Symbol.dispose](): void {}
}

class TerminalPrompts implements Prompts {
  readonly #terminal: Terminal;
  readonly #signal: AbortSignal;
  readonly #reader: Interface;
  readonly #lines: string[] = [];
  #isHidden = false;
  #waiting: { resolve(line: string): void; reject(error: Error): void } | undefined;
  #isOver = false;
  readonly #stopListening: () => void;

  /** From now on, nothing that is typed is echoed by the terminal itself. */
  constructor({ input, terminal, signal }: Asking) {
    this.#terminal = terminal;
    this.#signal = signal;
    const output = new Writable({
      write: (chunk, _, done) => {
        if (!this.#isHidden) terminal.prompt(String(chunk));
        done();
      },
    });
    this.#reader = createInterface({ input, output, terminal: true, historySize: 0 });
    this.#reader.on('line', (line) => this.#take(line));
    for (const event of ['SIGINT', 'close'] as const) this.#reader.on(event, () => this.#end());
    this.#stopListening = onAbort(signal, () => this.#end());
  }

  ask(question: string): Promise<string> {
    return this.#next(question, false);
  }

  secret(question: string): Promise<string> {
    return this.#next(question, true);
  }

  async newSecret(question: string): Promise<string> {
    for (let tries = 0; tries < mostTries; tries++) {
      const first = await this.secret(question);
      if ((await this.secret('Once more: ')) === first) return first;
      this.#terminal.note('They differ.');
    }
    throw new Refused('They differed each time: nothing has changed.');
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#stopListening();
    this.#reader.close();
  }

  async #next(question: string, isHidden: boolean): Promise<string> {
    this.#isHidden = isHidden;
    this.#terminal.prompt(question);
    const line = this.#lines.shift() ?? (await this.#wait());
    if (isHidden) this.#terminal.note('');
    return line;
  }

  #wait(): Promise<string> {
    if (this.#isOver || this.#signal.aborted) return Promise.reject(new Interrupted());
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  #take(line: string): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#lines.push(line);
    else waiting.resolve(line);
  }

  #end(): void {
    this.#isOver = true;
    this.#waiting?.reject(new Interrupted());
    this.#waiting = undefined;
  }
}
