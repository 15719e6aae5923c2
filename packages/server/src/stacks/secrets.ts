// The secrets of one connector or provider: read from the files that its variables name, and kept out of every text that
// it has for people.
import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ParameterDescription, StackLog } from '@telltale/stack-kit';

const prefix = 'file:';
/** One name, no path. */
const namePattern = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/;
const maxBytes = 65_536;
/** Shorter ones are none, and would turn every text into stars. */
const minHidden = 4;
const stars = '***';

type Texts = Readonly<Record<string, string>>;

export class Secrets {
  readonly #folder: string;
  readonly #log: StackLog;
  #hidden: readonly string[] = [];

  /** The files are in `folder`. */
  constructor(folder: string, log: StackLog) {
    this.#folder = folder;
    this.#log = log;
  }

  /** The variables with every secret in its place. Rejects, with a text for people, where one cannot be had. */
  async read(parameters: Readonly<Record<string, ParameterDescription>>, vars: Texts): Promise<Texts> {
    const read = new Map(Object.entries(vars));
    const hidden: string[] = [];
    for (const [variable, parameter] of Object.entries(parameters)) {
      const text = read.get(variable);
      if (!parameter.secret || text === undefined) continue;
      const secret = text.startsWith(prefix) ? await this.#fromFile(variable, text.slice(prefix.length)) : text;
      read.set(variable, secret);
      if (secret.length >= minHidden && secret !== parameter.default)
        hidden.push(secret, encodeURIComponent(secret.toWellFormed()));
    }
    this.#hidden = hidden.sort((a, b) => b.length - a.length);
    return Object.fromEntries(read);
  }

  /** The same with stars for secrets, in every text of it. */
  hide<Told>(told: Told): Told {
    return this.#hidden.length === 0 ? told : (this.#hideIn(told) as Told);
  }

  #hideIn(told: unknown): unknown {
    if (typeof told === 'string') return this.#hidden.reduce((text, secret) => text.replaceAll(secret, stars), told);
    if (Array.isArray(told)) return told.map((each) => this.#hideIn(each));
    if (typeof told !== 'object' || told === null) return told;
    return Object.fromEntries(Object.entries(told).map(([key, each]) => [key, this.#hideIn(each)]));
  }

  async #fromFile(variable: string, name: string): Promise<string> {
    const wrong = (what: string) => new Error(`variable ${variable}: ${what}`);
    if (!namePattern.test(name)) {
      throw wrong('after file: the name of a file in the folder of secrets is expected: 0-9, a-z, A-Z, ., _ and -');
    }
    let text: string;
    try {
      text = await this.#read(name);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') throw wrong(`there is no file ${name} in the folder of secrets`);
      throw wrong(`the secret ${name} cannot be read: ${code ?? message}`);
    }
    const [line = ''] = text.split(/\r?\n/, 1);
    if (line === '') throw wrong(`the first line of the secret ${name} is empty`);
    return line;
  }

  async #read(name: string): Promise<string> {
    // Without blocking: what looks like a file may be a pipe that nobody writes to.
    const file = await open(join(this.#folder, name), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const { mode, size } = await file.stat();
      if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw new Error('it is no file');
      if (size > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
      await this.#checkMode(name, mode);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  }

  /** Whoever may read the file and enter the folder; Windows has no such modes. */
  async #checkMode(name: string, mode: number): Promise<void> {
    if (process.platform === 'win32') return;
    const folder = await stat(this.#folder);
    if (((mode >> 2) & folder.mode & 0o011) === 0) return;
    this.#log.warn(`the secret ${name} can be read by other users: chmod 700 its folder, or chmod 600 the file`);
  }
}
