// The configuration interface, version 2, over HTTP: families, stacks, the database as a whole, executables.
import type {
  ArchiveKind,
  Blame,
  Change,
  CleanedPicture,
  ComparedChange,
  CopyRequest,
  CopyResult,
  ExecutableStat,
  Family,
  FamilyObject,
  FamilySchemas,
  GenerateRequest,
  GenerateResult,
  Operation,
  Renamed,
  RenderStatus,
  RevisionSummary,
  Stack,
  TableResult,
  Typicals,
} from '@telltale/schema';
import { bytesType, familyTitles, sqliteType } from '@telltale/schema/values';
import { OperationCalls } from './operation-calls.ts';
import { type AskOptions, type Bytes, byNames, type Download, type Transport } from './transport.ts';

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
  /** Why, kept with the revision. */
  readonly comment?: string | undefined;
}

export interface DryRunOption extends AskOptions {
  /** Changes nothing, and tells what would change. */
  readonly dryRun?: boolean | undefined;
}

export interface ChangeOptions extends RenderOption, DryRunOption {}

/** All objects, those of a family, or those of a name. */
export interface ObjectsOption {
  readonly family?: Family | undefined;
  readonly name?: string | undefined;
}

export interface TransactionOptions extends RenderOption {
  /** False carries everything out and rolls it back: it resolves where it would have worked. */
  readonly commit?: boolean | undefined;
}

export interface RenderOptions extends AskOptions {
  /** Also where it is up to date. */
  readonly force?: boolean | undefined;
  /** Why, kept with the revision. */
  readonly comment?: string | undefined;
}

export interface NamesOption extends AskOptions {
  /** Only these; unknown names are left out. */
  readonly names?: readonly string[] | undefined;
}

export interface TableOptions extends AskOptions {
  /** Only these, behind the name; all where it is undefined. */
  readonly columns?: readonly string[] | undefined;
  /** CSV where it is undefined. */
  readonly format?: 'csv' | 'xlsx' | undefined;
}

export interface GenerateOptions extends ChangeOptions {
  /** Deletes objects that the type made before, and does not any more. */
  readonly deleteMissing?: boolean | undefined;
  /** Takes what the type says, whatever people did. */
  readonly overwrite?: boolean | undefined;
}

export interface PutTableOptions extends ChangeOptions {
  /** Deletes the objects that the table does not have. */
  readonly deleteMissing?: boolean | undefined;
}

const titleOf = (family: Family): (typeof familyTitles)[Family] => familyTitles[family];

const stacksOf = { connector: 'Connector', provider: 'Provider' } as const satisfies Record<StackRole, string>;

export class ConfigurationAccess {
  readonly #calls: OperationCalls;

  constructor(transport: Transport) {
    this.#calls = new OperationCalls(transport);
  }

  names(family: Family, { signal }: AskOptions = {}): Promise<string[]> {
    return this.#calls.json(`listNamesOfConfigured${titleOf(family)}s`, {}, { signal });
  }

  list<F extends Family>(family: F, { names, signal }: NamesOption = {}): Promise<Record<string, FamilyObject[F]>> {
    return byNames(names, (list) =>
      this.#calls.collection(`listConfigured${titleOf(family)}s`, { names: list }, { signal }),
    );
  }

  get<F extends Family>(family: F, name: string, { signal }: AskOptions = {}): Promise<FamilyObject[F]> {
    return this.#calls.json(`getConfigured${titleOf(family)}`, { name }, { signal });
  }

  /** Creates the object, or replaces the one with this name. */
  put<F extends Family>(family: F, name: string, object: FamilyObject[F], options: AskOptions = {}): Promise<void> {
    return this.#calls.send(`putConfigured${titleOf(family)}`, { name }, { json: object, signal: options.signal });
  }

  delete(family: Family, name: string, { signal }: AskOptions = {}): Promise<void> {
    return this.#calls.send(`deleteConfigured${titleOf(family)}`, { name }, { signal });
  }

  /** Gives the object another name, under which its history goes on. Answers with what refers to it. */
  rename(family: ArchiveKind, from: string, to: string, options: ChangeOptions = {}): Promise<Renamed> {
    const { dryRun, render, comment, signal } = options;
    const operation = (
      { measurements: 'renameMeasurement', commands: 'renameCommand', alarms: 'renameAlarm' } as const
    )[family];
    return this.#calls.json(operation, { name: from, to, 'dry-run': dryRun, render, comment }, { signal });
  }

  /** Copies an object, or a connector with its points and their alarms, under new names and addresses. */
  copy(request: CopyRequest, { dryRun, render, comment, signal }: ChangeOptions = {}): Promise<CopyResult> {
    return this.#calls.json('copyObjects', { ...request, 'dry-run': dryRun, render, comment }, { signal });
  }

  /** Makes the objects of a type for each of its instances: all or none. */
  generate(request: GenerateRequest, options: GenerateOptions = {}): Promise<GenerateResult> {
    const { dryRun, render, comment, deleteMissing, overwrite, signal } = options;
    return this.#calls.json(
      'generateTypical',
      { 'dry-run': dryRun, render, comment, 'delete-missing': deleteMissing, overwrite },
      { json: request, signal },
    );
  }

  /** What an SVG would be in a picture, and what it loses: names of elements, and of attributes with a = at the end. */
  cleanPicture(svg: string, { signal }: AskOptions = {}): Promise<CleanedPicture> {
    return this.#calls.json('cleanPicture', {}, { json: { svg }, signal });
  }

  /** What was generated: from type to instance to objects. */
  typicals({ signal }: AskOptions = {}): Promise<Typicals> {
    return this.#calls.json('listTypicals', {}, { signal });
  }

  /** The schemas of the objects of each family, for forms: titles, help, groups, units, and what each field names. */
  schemas({ signal }: AskOptions = {}): Promise<FamilySchemas> {
    return this.#calls.json('getFamilySchemas', {}, { signal });
  }

  stackNames(role: StackRole, { signal }: AskOptions = {}): Promise<string[]> {
    return this.#calls.json(`listNamesOf${stacksOf[role]}Stacks`, {}, { signal });
  }

  stacks(role: StackRole, { names, signal }: NamesOption = {}): Promise<Record<string, Stack>> {
    return byNames(names, (list) => this.#calls.collection(`list${stacksOf[role]}Stacks`, { names: list }, { signal }));
  }

  stack(role: StackRole, name: string, { signal }: AskOptions = {}): Promise<Stack> {
    return this.#calls.json(`get${stacksOf[role]}Stack`, { name }, { signal });
  }

  /** All or none of the operations. */
  transaction(operations: readonly Operation[], options: TransactionOptions = {}): Promise<void> {
    const { commit, render, comment, signal } = options;
    return this.#calls.send('runTransaction', { commit, render, comment }, { json: { operations }, signal });
  }

  /** The objects of a family as a table: a row each. */
  table(family: Family, { columns, format, signal }: TableOptions = {}): Promise<Download> {
    return this.#calls.download(`get${titleOf(family)}Table`, { columns: columns?.join(','), format }, { signal });
  }

  /** Makes a family what a table says: all rows or none. */
  putTable(family: Family, body: Bytes, options: PutTableOptions = {}): Promise<TableResult> {
    const { dryRun, render, comment, deleteMissing, signal } = options;
    return this.#calls.json(
      `put${titleOf(family)}Table`,
      { 'dry-run': dryRun, render, comment, 'delete-missing': deleteMissing },
      { bytes: { body, type: bytesType }, signal },
    );
  }

  /** The whole configuration as an SQLite file. */
  downloadDatabase({ signal }: AskOptions = {}): Promise<Download> {
    return this.#calls.download('downloadDatabase', {}, { signal });
  }

  /** Replaces the whole configuration by the rows of an SQLite file. */
  uploadDatabase(body: Bytes, { render, comment, signal }: RenderOption = {}): Promise<void> {
    return this.#calls.send('uploadDatabase', { render, comment }, { bytes: { body, type: sqliteType }, signal });
  }

  /** Whether what runs equals the database. */
  async isUpToDate(options?: AskOptions): Promise<boolean> {
    return (await this.#renderStatus(options)).up_to_date === true;
  }

  /** What was acknowledged once and is not there, a sentence each, until somebody acknowledges it. */
  async missing(options?: AskOptions): Promise<readonly string[]> {
    return (await this.#renderStatus(options)).missing ?? [];
  }

  /** Acknowledges what is missing: it is no longer reported. */
  acknowledgeMissing({ signal }: AskOptions = {}): Promise<void> {
    return this.#calls.send('acknowledgeMissing', {}, { signal });
  }

  /** Checks the configuration as a whole and runs it. */
  render({ force, comment, signal }: RenderOptions = {}): Promise<void> {
    return this.#calls.send('render', { force, comment }, { signal });
  }

  /** The database against what runs. */
  async diff({ signal }: AskOptions = {}): Promise<Change[]> {
    const { changes } = await this.#calls.json<{ changes: Change[] }, 'getDifference'>('getDifference', {}, { signal });
    return changes;
  }

  /** Two configurations: revisions, what runs (`rendered`), or the database (`edited`). */
  async compare(
    from: number | 'rendered' | 'edited',
    to: number | 'rendered' | 'edited',
    { signal }: AskOptions = {},
  ): Promise<ComparedChange[]> {
    const input = { from: String(from), to: String(to) };
    const { changes } = await this.#calls.json<{ changes: ComparedChange[] }, 'compareConfigurations'>(
      'compareConfigurations',
      input,
      { signal },
    );
    return changes;
  }

  /** Who changed each field of an object last, as far as revisions are stored. */
  blame(family: Family, name: string, { signal }: AskOptions = {}): Promise<Blame> {
    return this.#calls.json('blameObject', { family, name }, { signal });
  }

  /** Makes the database, or what is named of it (`*` stands for any characters), what runs. Answers with what is discarded. */
  async discard(options: ObjectsOption & DryRunOption = {}): Promise<Change[]> {
    const { family, name, dryRun, signal } = options;
    const { changes } = await this.#calls.json<{ changes: Change[] }, 'discardEdits'>(
      'discardEdits',
      { family, name, 'dry-run': dryRun },
      { signal },
    );
    return changes;
  }

  /** The newest first. */
  revisions({ signal }: AskOptions = {}): Promise<RevisionSummary[]> {
    return this.#calls.json('listRevisions', {}, { signal });
  }

  revision(id: number, options: AskOptions & { readonly configuration?: boolean } = {}): Promise<RevisionDetails> {
    const { configuration, signal } = options;
    return this.#calls.json('getRevision', { id: Math.trunc(id), configuration }, { signal });
  }

  /** Makes the database, or an object of it by its name in the revision, what the revision was. */
  restore(id: number, options: RenderOption & ObjectsOption = {}): Promise<void> {
    const { family, name, render, comment, signal } = options;
    return this.#calls.send('restoreRevision', { id: Math.trunc(id), family, name, render, comment }, { signal });
  }

  executable(module: string, { signal }: AskOptions = {}): Promise<Download> {
    return this.#calls.download('getExecutable', { name: module }, { signal });
  }

  putExecutable(module: string, body: Bytes, { signal }: AskOptions = {}): Promise<void> {
    return this.#calls.send('putExecutable', { name: module }, { bytes: { body, type: bytesType }, signal });
  }

  deleteExecutable(module: string, { signal }: AskOptions = {}): Promise<void> {
    return this.#calls.send('deleteExecutable', { name: module }, { signal });
  }

  statExecutable(module: string, { signal }: AskOptions = {}): Promise<ExecutableStat> {
    return this.#calls.json('statExecutable', { name: module }, { signal });
  }

  #renderStatus({ signal }: AskOptions = {}): Promise<RenderStatus> {
    return this.#calls.json('getRenderStatus', {}, { signal });
  }
}
