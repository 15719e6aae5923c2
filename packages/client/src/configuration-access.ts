// The configuration interface, version 2, over HTTP: families, stacks, the database as a whole, executables.
import type {
  Change,
  ExecutableStat,
  Family,
  FamilyObject,
  Operation,
  RenderStatus,
  RevisionSummary,
  Stack,
} from '@telltale/schema';
import { type AskOptions, type Bytes, byNames, type Download, pathName, type Transport } from './transport.ts';

export type StackRole = 'connector' | 'provider';

/** Every collection of a configuration, by family. */
export type WholeConfiguration = { [F in Family]: Record<string, FamilyObject[F]> };

export type RevisionDetails = RevisionSummary & {
  /** Against the rendering before it. */
  changes: Change[];
  /** Where it was asked for. */
  configuration?: WholeConfiguration;
};

export interface RenderOption extends AskOptions {
  /** Render on success; if rendering fails, nothing is changed. */
  readonly render?: boolean | undefined;
}

export interface TransactionOptions extends RenderOption {
  /** False carries everything out and rolls it back: it resolves where it would have worked. */
  readonly commit?: boolean | undefined;
}

export interface NamesOption extends AskOptions {
  /** Only these; unknown names are left out. */
  readonly names?: readonly string[] | undefined;
}

const sqliteType = 'application/x-sqlite3';

export class ConfigurationAccess {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  names(family: Family, { signal }: AskOptions = {}): Promise<string[]> {
    return this.#transport.json(`${family}/names`, { signal });
  }

  list<F extends Family>(family: F, { names, signal }: NamesOption = {}): Promise<Record<string, FamilyObject[F]>> {
    return byNames(names, (list) => this.#transport.collection(`${family}/`, { query: { names: list }, signal }));
  }

  async get<F extends Family>(family: F, name: string, { signal }: AskOptions = {}): Promise<FamilyObject[F]> {
    return this.#transport.json(`${family}/${pathName(name, 'unknown-object')}`, { signal });
  }

  /** Creates the object, or replaces the one with this name. */
  async put<F extends Family>(
    family: F,
    name: string,
    object: FamilyObject[F],
    options: AskOptions = {},
  ): Promise<void> {
    const path = `${family}/${pathName(name, 'invalid-name')}`;
    await this.#transport.send('PUT', path, { json: object, signal: options.signal });
  }

  async delete(family: Family, name: string, { signal }: AskOptions = {}): Promise<void> {
    await this.#transport.send('DELETE', `${family}/${pathName(name, 'invalid-name')}`, { signal });
  }

  stackNames(role: StackRole, { signal }: AskOptions = {}): Promise<string[]> {
    return this.#transport.json(`stacks/${role}/names`, { signal });
  }

  stacks(role: StackRole, { names, signal }: NamesOption = {}): Promise<Record<string, Stack>> {
    return byNames(names, (list) => this.#transport.collection(`stacks/${role}/`, { query: { names: list }, signal }));
  }

  async stack(role: StackRole, name: string, { signal }: AskOptions = {}): Promise<Stack> {
    return this.#transport.json(`stacks/${role}/${pathName(name, 'unknown-stack')}`, { signal });
  }

  /** All or none of the operations. */
  transaction(operations: readonly Operation[], options: TransactionOptions = {}): Promise<void> {
    const { commit, render, signal } = options;
    return this.#transport.send('POST', 'cfgdb/txn', { query: { commit, render }, json: { operations }, signal });
  }

  /** The whole configuration as an SQLite file. */
  downloadDatabase({ signal }: AskOptions = {}): Promise<Download> {
    return this.#transport.download('cfgdb/database', { signal });
  }

  /** Replaces the whole configuration by the rows of an SQLite file. */
  uploadDatabase(body: Bytes, { render, signal }: RenderOption = {}): Promise<void> {
    const bytes = { body, type: sqliteType };
    return this.#transport.send('POST', 'cfgdb/database', { query: { render }, bytes, signal });
  }

  /** Whether what runs equals the database. */
  async isUpToDate({ signal }: AskOptions = {}): Promise<boolean> {
    const status = await this.#transport.json<RenderStatus>('cfgdb/render', { signal });
    return status.up_to_date === true;
  }

  /** What was acknowledged once and is not there, a sentence each, until somebody acknowledges it. */
  async missing({ signal }: AskOptions = {}): Promise<readonly string[]> {
    return (await this.#transport.json<RenderStatus>('cfgdb/render', { signal })).missing ?? [];
  }

  /** Says that what is missing is known: it is told no more. */
  acknowledgeMissing({ signal }: AskOptions = {}): Promise<void> {
    return this.#transport.send('POST', 'cfgdb/missing/acknowledge', { signal });
  }

  /** Checks the configuration as a whole and runs it. */
  render({ force, signal }: AskOptions & { readonly force?: boolean } = {}): Promise<void> {
    return this.#transport.send('POST', 'cfgdb/render', { query: { force }, signal });
  }

  /** The database against what runs. */
  async diff({ signal }: AskOptions = {}): Promise<Change[]> {
    return (await this.#transport.json<{ changes: Change[] }>('cfgdb/diff', { signal })).changes;
  }

  /** The newest first. */
  revisions({ signal }: AskOptions = {}): Promise<RevisionSummary[]> {
    return this.#transport.json('cfgdb/revisions', { signal });
  }

  revision(id: number, options: AskOptions & { readonly configuration?: boolean } = {}): Promise<RevisionDetails> {
    const { configuration, signal } = options;
    return this.#transport.json(`cfgdb/revisions/${Math.trunc(id)}`, { query: { configuration }, signal });
  }

  /** Makes the database what the revision was. */
  restore(id: number, { render, signal }: RenderOption = {}): Promise<void> {
    return this.#transport.send('POST', `cfgdb/revisions/${Math.trunc(id)}/restore`, { query: { render }, signal });
  }

  async executable(module: string, { signal }: AskOptions = {}): Promise<Download> {
    return this.#transport.download(executablePath(module, 'unknown-object'), { signal });
  }

  async putExecutable(module: string, body: Bytes, { signal }: AskOptions = {}): Promise<void> {
    const bytes = { body, type: 'application/octet-stream' };
    await this.#transport.send('PUT', executablePath(module, 'invalid-name'), { bytes, signal });
  }

  async deleteExecutable(module: string, { signal }: AskOptions = {}): Promise<void> {
    await this.#transport.send('DELETE', executablePath(module, 'invalid-name'), { signal });
  }

  async statExecutable(module: string, { signal }: AskOptions = {}): Promise<ExecutableStat> {
    return this.#transport.json(`${executablePath(module, 'unknown-object')}-stat`, { signal });
  }
}

function executablePath(module: string, otherwise: 'unknown-object' | 'invalid-name'): string {
  return `function-modules/${pathName(module, otherwise)}/executable`;
}
