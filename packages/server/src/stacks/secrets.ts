// The secrets of one connector or provider: read from the files that its variables name, in a folder of its own, and
// removed from every text that it has for people.
import { constants } from 'node:fs';
import { lstat, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Entry,
  formatEntries,
  NotConnected,
  type ParameterDescription,
  parseEntries,
  type StackLog,
} from '@telltale/stack-kit';

const prefix = 'file:';
/** One name, no path. */
const namePattern = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/;
const maxBytes = 65_536;
/** Windows has neither, nor pipes and links that anybody may make. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
/** Shorter texts are not secrets, and would turn every text into stars. */
const minHidden = 4;
const stars = '***';
/** What may be base64, of either alphabet. */
const base64Run = /[A-Za-z0-9+/_-]{4,}=*/g;

type Texts = Readonly<Record<string, string>>;
type Parameters = Readonly<Record<string, ParameterDescription>>;

export class Secrets {
  /** Of everybody's secrets. */
  readonly #root: string;
  readonly #owner: string;
  readonly #log: StackLog;
  #hidden: readonly string[] = [];
  /** What base64 of any text with a secret in it has, such as a user and a password in a header. */
  #hiddenBase64: readonly string[] = [];

  /** The files are in the folder of the owner, which is one in `root`. */
  constructor(root: string, owner: string, log: StackLog) {
    this.#root = root;
    this.#owner = owner;
    this.#log = log;
  }

  /**
   * The variables with every secret filled in. Rejects, with a text for people, where one cannot be read: with `NotConnected`
   * where somebody may be about to put the file there.
   */
  async read(parameters: Parameters, vars: Texts): Promise<Texts> {
    const secrets: string[] = [];
    const read = await this.#fill(parameters, vars, secrets);
    this.#hidden = secrets.flatMap(formsOf).sort((a, b) => b.length - a.length);
    this.#hiddenBase64 = secrets.flatMap(base64Of);
    return read;
  }

  /** With the secrets of a list of entries as well. Those that are to be hidden are added to `secrets`. */
  async #fill(parameters: Parameters, vars: Texts, secrets: string[], within = ''): Promise<Texts> {
    const read = new Map(Object.entries(vars));
    for (const [variable, parameter] of Object.entries(parameters)) {
      const text = read.get(variable);
      if (text === undefined) continue;
      if (parameter.entries !== undefined) {
        const entries: Entry[] = [];
        for (const { name, texts } of parseEntries(text)) {
          entries.push({ name, texts: await this.#fill(parameter.entries, texts, secrets, `${variable}, ${name}: `) });
        }
        read.set(variable, formatEntries(entries));
      } else if (parameter.secret) {
        const isNamed = text.startsWith(prefix);
        const secret = isNamed ? await this.#fromFile(within + variable, text.slice(prefix.length)) : text;
        read.set(variable, secret);
        if (secret.length >= minHidden && secret !== parameter.default) secrets.push(secret);
      }
    }
    return Object.fromEntries(read);
  }

  /** The same with stars for secrets, in every text of it. */
  hide<Shown>(shown: Shown): Shown {
    return this.#hidden.length === 0 ? shown : (this.#hideIn(shown) as Shown);
  }

  #hideIn(shown: unknown): unknown {
    if (typeof shown === 'string') return this.#hideInText(shown);
    if (Array.isArray(shown)) return shown.map((each) => this.#hideIn(each));
    if (typeof shown !== 'object' || shown === null) return shown;
    return Object.fromEntries(Object.entries(shown).map(([key, each]) => [key, this.#hideIn(each)]));
  }

  #hideInText(shown: string): string {
    const text = this.#hidden.reduce((rest, form) => rest.replaceAll(form, stars), shown);
    return text.replace(base64Run, (run) => {
      const standard = run.replaceAll('-', '+').replaceAll('_', '/');
      return this.#hiddenBase64.some((part) => standard.includes(part)) ? stars : run;
    });
  }

  async #fromFile(variable: string, name: string): Promise<string> {
    const wrong = (what: string) => new NotConnected(`variable ${variable}: ${what}`);
    const place = `secrets/${this.#owner}`;
    if (!namePattern.test(name)) {
      throw new Error(
        `variable ${variable}: after file: the name of a file in ${place} is expected, of 0-9, a-z, A-Z, ., _ and -`,
      );
    }
    let text: string;
    try {
      text = await this.#read(name);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' && (await this.#isInRoot(name))) {
        throw wrong(`secrets/${name} belongs to no connector or provider: move it to ${place}/${name}`);
      }
      if (code === 'ENOENT') throw wrong(`there is no file ${place}/${name}`);
      throw wrong(`${place}/${name} cannot be read: ${code === 'ELOOP' ? 'it is a symbolic link' : (code ?? message)}`);
    }
    const [line = ''] = text.split(/\r?\n/, 1);
    if (line === '') throw wrong(`the first line of ${place}/${name} is empty`);
    return line;
  }

  /** No symbolic link leads to another one's secret: neither of the folder nor of the file. */
  async #read(name: string): Promise<string> {
    const folder = join(this.#root, this.#owner);
    const { mode: folderMode } = await lstat(folder);
    if (!isOfType(folderMode, constants.S_IFDIR)) throw new Error('its folder is a symbolic link, or no folder');
    // Without blocking: what looks like a file may be a pipe without a writer.
    await using file = await open(join(folder, name), constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const { mode, size } = await file.stat();
    if (!isOfType(mode, constants.S_IFREG)) throw new Error('it is no file');
    if (size > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
    await this.#checkMode(name, mode, folderMode);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  }

  /** Whether it is in the former common folder of secrets, from before each instance had its own. */
  async #isInRoot(name: string): Promise<boolean> {
    const found = await lstat(join(this.#root, name)).catch(() => undefined);
    return found !== undefined && !found.isDirectory();
  }

  /** Warns where other users may read the file and enter both folders; Windows has no such modes. */
  async #checkMode(name: string, mode: number, folderMode: number): Promise<void> {
    if (process.platform === 'win32') return;
    const root = await stat(this.#root);
    if (((mode >> 2) & folderMode & root.mode & 0o011) === 0) return;
    this.#log.warn(
      `secrets/${this.#owner}/${name} can be read by other users: chmod 700 its folder, or chmod 600 the file`,
    );
  }
}

/** A secret as it is, and as an address, JSON or a dump of bytes has it. */
function formsOf(secret: string): string[] {
  const hex = Buffer.from(secret).toString('hex');
  return [
    secret,
    encodeURIComponent(secret.toWellFormed()),
    JSON.stringify(secret).slice(1, -1),
    hex,
    hex.toUpperCase(),
  ];
}

/** The base64 characters that stand for this secret alone, for each of the three alignments of its bytes. */
function base64Of(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].map((before) => {
    const first = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    return Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(first, end);
  });
}

function isOfType(mode: number, type: number): boolean {
  return (mode & constants.S_IFMT) === type;
}
