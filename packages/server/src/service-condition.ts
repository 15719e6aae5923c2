// What is wrong with the disk and the data stored on it, over all parts, and what is to be done soon: for /readyz, refusals
// of writes and the log.
import { resolve, sep } from 'node:path';
import { ProblemError } from '@telltale/schema';
import type { Logger } from 'pino';

export interface ServiceConditionOptions {
  readonly folder: string;
  readonly log: Logger;
  /** Of the data folder: undefined where it is there. */
  readonly watch: { readonly failure: string | undefined };
  /** What each cannot write, and why; the gravest first. */
  readonly disks: readonly { readonly failure: string | undefined }[];
  /** The acknowledged data that each has lost: sentences that begin with the name of a file or folder. */
  readonly stores: readonly { readonly missing: readonly string[]; acknowledgeMissing(): void | Promise<void> }[];
  /** What is to be done soon, by whoever knows it: a sentence each. */
  readonly warners: readonly { readonly warnings: readonly string[] }[];
}

export class ServiceCondition {
  readonly #options: ServiceConditionOptions;

  constructor(options: ServiceConditionOptions) {
    this.#options = options;
  }

  /** Why the service cannot do all of its work, the gravest reason first. */
  get failure(): ProblemError | undefined {
    const { folder, disks } = this.#options;
    const gone = this.writeRefusal;
    if (gone !== undefined) return gone;
    const failure = disks.find((disk) => disk.failure !== undefined)?.failure;
    if (failure !== undefined) {
      const detail = `The disk of ${resolve(folder)} does not take what is written (${failure}): make room there.`;
      return new ProblemError('disk-failing', `${detail} Writing is retried every second.`);
    }
    const missing = this.missing();
    if (missing.length === 0) return undefined;
    return new ProblemError('data-missing', `${missing.join('. ')}. telltale config missing says what to do.`);
  }

  get writeRefusal(): ProblemError | undefined {
    const { failure } = this.#options.watch;
    return failure === undefined ? undefined : new ProblemError('data-folder-gone', `${failure}; nothing is written.`);
  }

  /** What is to be done soon, though the service does its work: a sentence each. */
  warnings(): string[] {
    return this.#options.warners.flatMap(({ warnings }) => warnings);
  }

  /** A sentence each, beginning with a path. */
  missing(): string[] {
    return this.#options.stores.flatMap(({ missing }) => missing.map((text) => this.#withFolder(text)));
  }

  async acknowledge(): Promise<void> {
    for (const store of this.#options.stores) await store.acknowledgeMissing();
  }

  logAllMissing(): void {
    for (const { missing } of this.#options.stores) for (const text of missing) this.logMissing(text);
  }

  logMissing(text: string): void {
    this.#options.log.error(`something that was acknowledged is missing: ${this.#withFolder(text)}`);
  }

  #withFolder(text: string): string {
    return `${resolve(this.#options.folder)}${sep}${text}`;
  }
}

/** Of a disk that refuses something, for this reason; undefined: it accepts it again. */
export function logDisk(log: Logger, what: string, reason: string | undefined): void {
  if (reason === undefined) log.info(`the disk accepts ${what} again`);
  else log.error(`the disk refuses ${what}, which is retried; check space and permissions: ${reason}`);
}
