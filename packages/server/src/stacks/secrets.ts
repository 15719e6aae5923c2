// The secrets of one connector or provider: filled in where its variables have or name them, as long as it sends them where
// they were set for, and removed from every text that it has for people.
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Entry,
  formatEntries,
  NotConnected,
  type ParameterDescription,
  parseEntries,
  type StackLog,
} from '@telltale/stack-kit';
import {
  boundElsewhere,
  type Destination,
  destinationOf,
  type FoundSecret,
  inlinePlace,
  isSecretName,
  isStored,
  type Role,
  Seal,
  SealedOtherwise,
  type SealKeys,
  SecretFiles,
  stars,
} from '../secrets/index.ts';

const prefix = 'file:';
/** Shorter texts are not secrets, and would turn every text into stars. */
const minHidden = 4;
/** What may be base64, of either alphabet. */
const base64Run = /[A-Za-z0-9+/_-]{4,}=*/g;

type Texts = Readonly<Record<string, string>>;
type Parameters = Readonly<Record<string, ParameterDescription>>;

export interface SecretsOptions {
  /** The folder of everybody's files. */
  readonly root: string;
  readonly keys: SealKeys;
  readonly role: Role;
  readonly owner: string;
  readonly stackName: string;
  readonly log: StackLog;
}

export class Secrets {
  readonly #options: SecretsOptions;
  readonly #seal: Seal;
  readonly #files: SecretFiles;
  #hidden: readonly string[] = [];
  /** What base64 of any text with a secret in it has, such as a user and a password in a header. */
  #hiddenBase64: readonly string[] = [];

  constructor(options: SecretsOptions) {
    this.#options = options;
    this.#seal = new Seal(options.keys);
    this.#files = new SecretFiles(options.root, this.#seal);
  }

  /**
   * The variables with every secret filled in. Rejects, with a text for people, where one cannot be read: with `NotConnected`
   * where somebody may be about to put the file there.
   */
  async read(parameters: Parameters, vars: Texts): Promise<Texts> {
    const secrets: string[] = [];
    const to = destinationOf(this.#options.stackName, parameters, vars);
    const read = await this.#fill(parameters, vars, to, secrets);
    this.#hidden = secrets.flatMap(formsOf).sort((a, b) => b.length - a.length);
    this.#hiddenBase64 = secrets.flatMap(base64Of);
    return read;
  }

  /** With the secrets of a list of entries as well. Those that are to be hidden are added to `secrets`. */
  async #fill(parameters: Parameters, vars: Texts, to: Destination, secrets: string[], within = ''): Promise<Texts> {
    const read = new Map(Object.entries(vars));
    for (const [variable, parameter] of Object.entries(parameters)) {
      const text = read.get(variable);
      if (text === undefined) continue;
      const path = within + variable;
      if (parameter.entries !== undefined) {
        const entries: Entry[] = [];
        for (const { name, texts } of parseEntries(this.#inline(path, text, to))) {
          entries.push({ name, texts: await this.#fill(parameter.entries, texts, to, secrets, `${path}/${name}/`) });
        }
        read.set(variable, formatEntries(entries));
      } else if (parameter.secret) {
        const isNamed = text.startsWith(prefix);
        const secret = isNamed
          ? await this.#fromFile(path, text.slice(prefix.length), to)
          : this.#inline(path, text, to);
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

  /** Of a variable itself. */
  #inline(path: string, text: string, to: Destination): string {
    const { role, owner } = this.#options;
    const anew = `set it anew in variable ${path} of ${role} ${owner}`;
    const wrong = (what: string) => new Error(`variable ${path}: the secret cannot be used: ${what}; ${anew}`);
    if (text === stars) throw wrong('this server does not have it');
    if (!isStored(text)) return text;
    try {
      const secret = this.#seal.open(text);
      if (secret.of !== inlinePlace(role, owner, path)) throw new SealedOtherwise('it was set for another one');
      const elsewhere = boundElsewhere(secret, role, to);
      if (elsewhere === undefined) return secret.text;
      throw new SealedOtherwise(elsewhere);
    } catch (error) {
      throw error instanceof SealedOtherwise ? wrong(error.message) : error;
    }
  }

  async #fromFile(path: string, name: string, to: Destination): Promise<string> {
    const { role, owner, log } = this.#options;
    const wrong = (what: string) => new NotConnected(`variable ${path}: ${what}`);
    const place = `secrets/${owner}`;
    if (!isSecretName(name)) {
      throw new Error(
        `variable ${path}: after file: the name of a file in ${place} is expected, of 0-9, a-z, A-Z, ., _ and -`,
      );
    }
    const anew = `set it anew: telltale secret set ${role === 'provider' ? '--provider ' : ''}${owner} ${name}`;
    let found: FoundSecret;
    try {
      found = await this.#files.read(owner, name);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' && (await this.#isInRoot(name))) {
        throw wrong(`secrets/${name} belongs to no connector or provider: move it to ${place}/${name}`);
      }
      if (code === 'ENOENT') throw wrong(`there is no file ${place}/${name}`);
      if (error instanceof SealedOtherwise) throw wrong(`${place}/${name} cannot be used: ${message}, or ${anew}`);
      throw wrong(`${place}/${name} cannot be read: ${code === 'ELOOP' ? 'it is a symbolic link' : (code ?? message)}`);
    }
    if (found.isExposed) {
      log.warn(`${place}/${name} can be read by other users: chmod 700 its folder, or chmod 600 the file`);
    }
    if (found.isDamaged) {
      log.warn(`${place}/.${name}.bound is damaged: the secret is bound to its present destination`);
    }
    const [line = ''] = found.secret.text.split(/\r?\n/, 1);
    if (line === '') throw wrong(`the first line of ${place}/${name} is empty`);
    const elsewhere = boundElsewhere(found.secret, role, to);
    if (elsewhere !== undefined) throw wrong(`the secret ${name} cannot be used: ${elsewhere}; ${anew}`);
    await this.#bind(name, found, to);
    return line;
  }

  /** A file that somebody wrote belongs to where it is first used. */
  async #bind(name: string, found: FoundSecret, to: Destination): Promise<void> {
    const { role, owner, log } = this.#options;
    if (found.secret.bound[role] !== undefined && !(found.isPlain && this.#seal.hasKey)) return;
    try {
      await this.#files.bind(owner, name, found, role, to);
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
      log.warn(`secrets/${owner}/${name} is neither sealed nor bound to its destination: ${reason}`);
    }
  }

  /** Whether it is in the former common folder of secrets, from before each instance had its own. */
  async #isInRoot(name: string): Promise<boolean> {
    const found = await lstat(join(this.#options.root, name)).catch(() => undefined);
    return found !== undefined && !found.isDirectory();
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
