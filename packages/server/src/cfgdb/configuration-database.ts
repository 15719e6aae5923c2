// The configuration database as the rest of the service sees it: the client of the configuration's thread, and the
// files that come in and go out.
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ProblemError, systemClock } from '@telltale/schema';
import type { Rights } from '../access/index.ts';
import type { SealKeys } from '../secrets/index.ts';
import { UnusableDatabase } from '../sqlite/index.ts';
import { DiskRetry, ownBuffers, release, startThread, threadPort, WorkerLink } from '../threads/index.ts';
import { Agreement } from './agreement.ts';
import { type Author, AuthorsRights } from './authors-rights.ts';
import type { ChangedObjects } from './changed-objects.ts';
import type { Rendering } from './configuration.ts';
import type { Figures } from './content.ts';
import { DatabaseCopies, type Download, isTemporaryFile, temporaryFile } from './database-copies.ts';
import {
  type Arguments,
  type ConfigurationClient,
  type ConfigurationThread,
  changes,
  type Method,
  type Result,
} from './protocol.ts';
import type { Rename } from './renamed-references.ts';
import type { RenderingBytes } from './rendering.ts';
import type { SiteBytes } from './shared/site-bytes.ts';

/** A rendering that is ready, not visible yet: one of these is called, once. */
export interface PreparedRendering {
  /** At once. Resolves when everybody who runs a part of it has it. */
  takeOver(): Promise<void>;
  drop(): void;
}

export interface ConfigurationDatabaseOptions {
  /** The data folder; it exists and is ours alone. */
  readonly folder: string;
  readonly stackModules: readonly string[];
  /** Called while another file takes the place of the database. */
  readonly whileReplacing?: (replace: () => Promise<void>) => Promise<void>;
  /** With which secrets in variables are sealed; none: they are not. */
  readonly secretKeys?: SealKeys;
  /** Makes ready what is to be rendered, one at a time. Where it rejects, the operation is refused and nothing is stored. */
  readonly prepare: (rendering: RenderingBytes, renames: readonly Rename[]) => Promise<PreparedRendering>;
  /**
   * Where there are other nodes of the site: each change, before it is committed. Resolves when they will have it, rejects with
   * `ProblemError`; undefined: this node does not lead. What is adopted from them is not shared.
   */
  readonly share?: ((entries: readonly SiteBytes[]) => Promise<void> | undefined) | undefined;
  /** The disk refuses, for this reason; undefined: it takes changes again. */
  readonly onFault?: (reason: string | undefined) => void;
  /** The thread died: nothing that is asked from now on will be answered. */
  readonly onFailure: (error: Error) => void;
}

/** A caller: its rights are those of the moment. */
export interface Asker {
  readonly author: string;
  readonly rights: Pick<Rights, 'granted'>;
}

/** As `ConfigurationDatabase` has it, for somebody who asks. */
export interface AskedConfiguration {
  call<M extends Method>(method: M, ...args: Arguments<M>): Promise<Result<M>>;
  upload(body: Readable, options: Rendering): Promise<void>;
  /** For whoever sees all of it. */
  download(): Promise<Download>;
}

/** Whoever has only this cannot ask without saying for whom. */
export type AskableConfiguration = Pick<ConfigurationDatabase, 'as'>;

/** Of why a change was not shared. */
const mostReason = 500;
/** At once: each is a file as large as an upload may be. */
export const mostUploads = 4;

export class ConfigurationDatabase {
  readonly #options: ConfigurationDatabaseOptions;
  readonly #temporary: string;
  readonly #copies: DatabaseCopies;
  readonly #disk: DiskRetry;
  readonly #agreement = new Agreement();
  readonly #sharing = new Agreement();
  #thread: WorkerLink<ConfigurationThread, ConfigurationClient> | undefined;
  #isOpen = false;
  #uploads = 0;
  #figures: Figures | undefined;
  #missing: readonly string[] = [];
  /** What the running change is about to render. */
  #proposed: PreparedRendering | undefined;
  /** What was rendered last takes effect, everywhere. */
  #effect: Promise<void> | undefined;

  constructor(options: ConfigurationDatabaseOptions) {
    this.#options = options;
    this.#temporary = join(options.folder, 'temporary');
    this.#copies = new DatabaseCopies(this.#temporary, (path) => this.call('writeCopy', path));
    this.#disk = new DiskRetry({
      clock: systemClock,
      retry: () => this.#tryDisk(),
      onChange: options.onFault ?? (() => {}),
    });
  }

  /** Starts the thread, which takes its time, and touches no file yet. */
  prepare(): WorkerLink<ConfigurationThread, ConfigurationClient> {
    this.#thread ??= this.#start();
    return this.#thread;
  }

  #start(): WorkerLink<ConfigurationThread, ConfigurationClient> {
    return new WorkerLink(threadPort(startThread(new URL('./worker.ts', import.meta.url), 'configuration')), {
      handlers: {
        rendered: (rendering, renames) => {
          // The threads of the stacks begin with it: nobody waits for these at a start.
          this.#effect = this.#prepare(rendering, renames).then((prepared) => void prepared.takeOver());
          this.#effect.catch(() => undefined); // `open` rejects
        },
        proposed: (rendering, renames) => void this.#onProposal(rendering, renames),
        concluded: (isRendered) => {
          this.#effect = this.#conclude(isRendered);
        },
        sharing: (entries) => void this.#onSharing(entries),
        diskRefused: (reason) => this.#disk.note(reason),
        figures: (figures) => {
          this.#figures = figures;
        },
      },
      onDeath: (error) => {
        if (this.#isOpen) this.#options.onFailure(error); // else `open` rejects
        this.#isOpen = false;
      },
    });
  }

  /** Rejects with `UnusableDatabase` where the file cannot be used. */
  async open(): Promise<void> {
    const thread = this.prepare();
    const { folder, stackModules, secretKeys = [] } = this.#options;
    const path = join(folder, 'cfgdb.sqlite');
    const agreement = this.#agreement.memory;
    const sharing = this.#options.share && this.#sharing.memory;
    const opened = await thread.call('open', [{ path, stackModules, secretKeys, agreement, sharing }]);
    if ('unusable' in opened) {
      await thread.kill();
      throw new UnusableDatabase(opened.unusable);
    }
    this.#missing = opened.missing;
    this.#isOpen = true;
    await this.#clearTemporary();
    await this.#effect;
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
    return this.#disk.reason;
  }

  /** How many operations have been asked for and not yet answered. */
  get pending(): number {
    return this.#thread?.pending ?? 0;
  }

  /** As they were at the last answer; undefined before it is open. */
  get figures(): Figures | undefined {
    return this.#figures;
  }

  /**
   * Asks the thread, as the service itself; a change is on disk when the promise resolves. Rejects with `ProblemError`. Bytes that share their
   * memory with nothing are handed over, and are not there any more: a body is large, and two copies are larger.
   */
  call<M extends Method>(method: M, ...args: Arguments<M>): Promise<Result<M>> {
    return this.#call(undefined, method, args);
  }

  /** For somebody who sees and changes what their rights permit when it is carried out. `onChanged` learns what that was. */
  as(asker: Asker, onChanged?: (changed: ChangedObjects) => void): AskedConfiguration {
    const author = () => ({ name: asker.author, granted: asker.rights.granted });
    return {
      call: (method, ...args) => this.#call(author(), method, args, onChanged),
      upload: (body, options) =>
        this.#upload(body, (path) => this.#call(author(), 'upload', [path, options, asker.author], onChanged)),
      download: async () => {
        new AuthorsRights(author()).permitEverywhere('read-config');
        return this.download();
      },
    };
  }

  async #call<M extends Method>(
    author: Author | undefined,
    method: M,
    args: Arguments<M>,
    onChanged?: (changed: ChangedObjects) => void,
  ): Promise<Result<M>> {
    const thread = this.#thread;
    if (thread === undefined || !this.#isOpen) {
      throw new ProblemError('starting', 'The configuration is not open.');
    }
    if (changes.has(method)) this.#copies.outdate();
    const { result, changed } = await thread.call('carryOut', [method, args, author], { transfer: ownBuffers(args) });
    if (changed !== undefined) onChanged?.(changed);
    if (changes.has(method)) await this.#effect;
    return result as Result<M>;
  }

  /** Replaces the database by what a stranger sends; the caller bounds the length of the body. */
  upload(body: Readable, options: Rendering, author: string): Promise<void> {
    return this.#upload(body, (path) => this.call('upload', path, options, author));
  }

  /** A consistent copy of the objects, as a database file. */
  download(): Promise<Download> {
    return this.#copies.download();
  }

  async #upload(body: Readable, take: (path: string) => Promise<void>): Promise<void> {
    if (this.#uploads >= mostUploads) {
      throw new ProblemError('overloaded', `${mostUploads} uploads of a database are under way.`);
    }
    const path = temporaryFile(this.#temporary);
    this.#uploads++;
    try {
      await pipeline(body, createWriteStream(path, { flags: 'wx', mode: 0o600 })).catch((error: Error) => {
        throw error instanceof ProblemError ? error : new ProblemError('storage-failed', `${error.message}.`);
      });
      await this.#replacing(() => take(path));
    } finally {
      this.#uploads--;
      await rm(path, { force: true });
    }
  }

  /** As `Configuration.adoptWhole`, which puts another file in the place of the database. */
  adoptWhole(...args: Arguments<'adoptWhole'>): Promise<Result<'adoptWhole'>> {
    return this.#replacing(() => this.call('adoptWhole', ...args));
  }

  async #replacing<Answer>(replace: () => Promise<Answer>): Promise<Answer> {
    const { whileReplacing = (work) => work() } = this.#options;
    const answers: Answer[] = [];
    await whileReplacing(async () => void answers.push(await replace()));
    return answers[0] as Answer;
  }

  /** Finishes what was asked, closes the file and ends the thread, by force after `patienceMs`: the file is safe then, too. */
  async close(patienceMs: number): Promise<void> {
    this.#disk.stop();
    if (this.#isOpen) await this.#thread?.close(patienceMs, async () => this.#thread?.call('close', []));
    else await this.#thread?.kill();
    this.#isOpen = false;
  }

  async #onProposal(rendering: RenderingBytes, renames: readonly Rename[]): Promise<void> {
    try {
      this.#proposed = await this.#prepare(rendering, renames);
    } catch (error) {
      this.#agreement.answer((error as Error).message);
      return;
    }
    this.#agreement.answer(undefined);
  }

  async #onSharing(entries: readonly SiteBytes[]): Promise<void> {
    try {
      const sharing = this.#options.share?.(entries);
      if (sharing === undefined) throw new ProblemError('not-leading', 'This node does not lead the site.');
      await sharing;
    } catch (error) {
      const problem = error instanceof ProblemError ? error.problem : 'storage-failed';
      this.#sharing.answer(JSON.stringify({ problem, detail: (error as Error).message.slice(0, mostReason) }));
      return;
    }
    this.#sharing.answer(undefined);
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
      this.#options.onFailure(error as Error); // what runs is unknown
      return undefined;
    }
  }

  /** Where it refuses again, its answer has said so. */
  #tryDisk(): void {
    this.call('tryDisk').then(
      () => this.#disk.note(undefined),
      () => undefined,
    );
  }

  #prepare(rendering: RenderingBytes, renames: readonly Rename[]): Promise<PreparedRendering> {
    return this.#options.prepare(rendering, renames).finally(() => release(rendering));
  }
}
