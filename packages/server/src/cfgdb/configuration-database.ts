// The configuration database as the rest of the service sees it: the client of the configuration's thread, and the
// files that come in and go out.
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Worker } from 'node:worker_threads';
import { ProblemError } from '@telltale/schema';
import { UnusableDatabase } from '../sqlite/index.ts';
import { startThread } from '../threads/index.ts';
import { Agreement } from './agreement.ts';
import { DatabaseCopies, type Download, isTemporaryFile, temporaryFile } from './database-copies.ts';
import {
  type Answer,
  type Arguments,
  changes,
  type Figures,
  type Method,
  type Opened,
  ownBuffers,
  type Proposal,
  type Request,
  type Result,
  release,
  type Start,
} from './protocol.ts';
import type { RenderingBytes } from './rendering.ts';

/** A rendering that is ready, seen by nobody yet: one of these is called, once. */
export interface PreparedRendering {
  /** At once. Resolves when everybody who runs a part of it has it. */
  takeOver(): Promise<void>;
  drop(): void;
}

export interface ConfigurationDatabaseOptions {
  /** The data folder; it exists and is ours alone. */
  readonly folder: string;
  readonly stackModules: readonly string[];
  /** Told while another file takes the place of the database. */
  readonly whileReplacing?: (replace: () => Promise<void>) => Promise<void>;
  /** Makes ready what is to be rendered, one at a time. Where it rejects, the operation is refused and nothing is kept. */
  readonly prepare: (rendering: RenderingBytes) => Promise<PreparedRendering>;
  /** The disk refuses, for this reason; undefined: it takes changes again. */
  readonly onTrouble?: (reason: string | undefined) => void;
  /** The thread died: nothing that is asked from now on will be answered. */
  readonly onFailure: (error: Error) => void;
}

/** At once: each is a file as large as an upload may be. */
export const mostUploads = 4;
/** How long after a refusal the disk is tried again, by a write that changes nothing. */
const trialMs = 1000;

interface Waiting {
  readonly isChange: boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class ConfigurationDatabase {
  readonly #options: ConfigurationDatabaseOptions;
  readonly #temporary: string;
  readonly #waiting = new Map<number, Waiting>();
  readonly #copies: DatabaseCopies;
  #uploads = 0;
  #prepared: Worker | undefined;
  #thread: Worker | undefined;
  #lastId = 0;
  #isClosing = false;
  #figures: Figures | undefined;
  #missing: readonly string[] = [];
  #failure: string | undefined;
  #trial: NodeJS.Timeout | undefined;
  readonly #agreement = new Agreement();
  /** What the running change is about to render. */
  #proposed: PreparedRendering | undefined;

  constructor(options: ConfigurationDatabaseOptions) {
    this.#options = options;
    this.#temporary = join(options.folder, 'temporary');
    this.#copies = new DatabaseCopies(this.#temporary, (path) => this.call('writeCopy', path));
  }

  /** Starts the thread, which takes its time, and touches no file yet. */
  prepare(): void {
    this.#prepared ??= startThread(new URL('./worker.ts', import.meta.url), 'configuration');
  }

  /** Rejects with `UnusableDatabase` where the file cannot be used. */
  async open(): Promise<void> {
    this.prepare();
    const { folder, stackModules, onFailure } = this.#options;
    const thread = this.#prepared as Worker;
    const start: Start = { path: join(folder, 'cfgdb.sqlite'), stackModules, agreement: this.#agreement.memory };
    thread.postMessage(start);
    let running: Promise<void> | undefined;
    const opened = await new Promise<Extract<Opened, { opened: boolean }>>((resolve, reject) => {
      thread.once('error', reject);
      thread.on('message', (message: Opened) => {
        if ('opened' in message) resolve(message);
        else {
          // The threads of the stacks begin with it: nobody waits for these at a start.
          running = this.#prepare(message.rendering).then((prepared) => void prepared.takeOver());
          running.catch(reject);
        }
      });
    });
    thread.removeAllListeners('message');
    if (!opened.opened) {
      await thread.terminate();
      throw new UnusableDatabase(opened.unusable);
    }
    this.#missing = opened.missing;
    this.#figures = opened.figures;
    thread.on('message', (message: Answer | Proposal) => {
      if ('proposed' in message) this.#onProposal(message);
      else this.#settle(message);
    });
    thread.on('error', (error: Error) => {
      this.#thread = undefined;
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
      onFailure(error);
    });
    this.#thread = thread;
    await this.#clearTemporary();
    await running;
  }

  /** What a server that was killed left there; nothing else, whoever put it there. */
  async #clearTemporary(): Promise<void> {
    await mkdir(this.#temporary, { recursive: true });
    for (const name of await readdir(this.#temporary)) {
      if (isTemporaryFile(name)) await rm(join(this.#temporary, name), { force: true });
    }
  }

  /** What was acknowledged and was not found when it was opened, a sentence each, until somebody acknowledges that. */
  get missing(): readonly string[] {
    return this.#missing;
  }

  async acknowledgeMissing(): Promise<void> {
    await this.call('acknowledgeMissing');
    this.#missing = [];
  }

  /** Why the disk did not take the newest change; undefined where it did. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** How many operations have been asked for and not yet answered. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** As they were at the last answer; undefined before it is open. */
  get figures(): Figures | undefined {
    return this.#figures;
  }

  /**
   * Asks the thread; a change is on disk when the promise resolves. Rejects with `ProblemError`. Bytes that share their
   * memory with nothing are handed over, and are not there any more: a body is large, and two copies are larger.
   */
  call<M extends Method>(method: M, ...args: Arguments<M>): Promise<Result<M>> {
    const thread = this.#thread;
    if (thread === undefined) return Promise.reject(new ProblemError('starting', 'The configuration is not open.'));
    if (changes.has(method)) this.#copies.outdate();
    const request: Request = { id: ++this.#lastId, method, args };
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(request.id, { isChange: changes.has(method), resolve, reject });
      thread.postMessage(request, ownBuffers(args));
    }) as Promise<Result<M>>;
  }

  /** Replaces the database by what a stranger sends; the caller bounds the length of the body. */
  async upload(body: Readable, options: { render: boolean }, author: string): Promise<void> {
    if (this.#uploads >= mostUploads) {
      throw new ProblemError('overloaded', `${mostUploads} uploads of a database are under way.`);
    }
    const path = temporaryFile(this.#temporary);
    this.#uploads++;
    try {
      await pipeline(body, createWriteStream(path, { flags: 'wx', mode: 0o600 })).catch((error: Error) => {
        throw error instanceof ProblemError ? error : new ProblemError('storage-failed', `${error.message}.`);
      });
      const replace = () => this.call('upload', path, options, author);
      await (this.#options.whileReplacing?.(replace) ?? replace());
    } finally {
      this.#uploads--;
      await rm(path, { force: true });
    }
  }

  /** A consistent copy of the objects, as a database file. */
  download(): Promise<Download> {
    return this.#copies.download();
  }

  /** Finishes what was asked, closes the file and ends the thread, by force after `patienceMs`: the file is safe then, too. */
  async close(patienceMs: number): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) {
      await this.#prepared?.terminate();
      return;
    }
    clearTimeout(this.#trial);
    this.#isClosing = true;
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    const force = setTimeout(() => thread.terminate(), patienceMs);
    this.call('close').catch(() => undefined);
    await ended;
    clearTimeout(force);
    this.#thread = undefined;
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    const concluded = waiting?.isChange ? this.#conclude(answer.isRendered) : undefined;
    if ('problem' in answer && answer.diskReason !== undefined) this.#noteTrouble(answer.diskReason);
    if ('problem' in answer) waiting?.reject(new ProblemError(answer.problem, answer.detail, answer.errors));
    else if ('failure' in answer) waiting?.reject(new Error(answer.failure));
    else {
      this.#figures = answer.figures;
      if (concluded === undefined) waiting?.resolve(answer.result);
      else concluded.then(() => waiting?.resolve(answer.result), waiting?.reject);
    }
  }

  async #onProposal({ proposed }: Proposal): Promise<void> {
    try {
      this.#proposed = await this.#prepare(proposed);
    } catch (error) {
      this.#agreement.answer((error as Error).message);
      return;
    }
    this.#agreement.answer(undefined);
  }

  /** Undefined where nothing takes effect. */
  #conclude(isRendered: boolean): Promise<void> | undefined {
    const proposed = this.#proposed;
    this.#proposed = undefined;
    if (!isRendered) {
      proposed?.drop();
      return undefined;
    }
    try {
      return proposed?.takeOver();
    } catch (error) {
      this.#options.onFailure(error as Error); // nobody knows what runs
      return undefined;
    }
  }

  #noteTrouble(reason: string | undefined): void {
    const wasFailing = this.#failure !== undefined;
    this.#failure = reason;
    clearTimeout(this.#trial);
    if (reason !== undefined && !this.#isClosing) {
      this.#trial = setTimeout(() => this.#tryDisk(), trialMs);
    }
    if (wasFailing !== (reason !== undefined)) this.#options.onTrouble?.(reason);
  }

  /** Where it refuses again, its answer has said so. */
  #tryDisk(): void {
    this.call('tryDisk').then(
      () => this.#noteTrouble(undefined),
      () => undefined,
    );
  }

  #prepare(rendering: RenderingBytes): Promise<PreparedRendering> {
    return this.#options.prepare(rendering).finally(() => release(rendering));
  }
}
