// The configuration: what is in the database, what runs, and the changes that people make. The service checks everything;
// here its operations get the form that views need.
import { type ReadonlySignal, signal } from '@preact/signals';
import type { Blame, Change, ComparedChange, Fault, RevisionSummary, TableResult } from '@telltale/schema';
import { type ArchiveKind, type Family, familyNames } from '@telltale/schema/values';
import { readOverview } from './overview.ts';
import { addresses, client, TelltaleProblem } from './service.ts';
import { may } from './session.ts';

/** An object as the database has it. Read its fields by `fieldOf` alone: names and keys may be those of any object. */
export type ConfiguredObject = Readonly<Record<string, unknown>>;
export type WhichConfiguration = number | 'rendered' | 'edited';

const turn = signal(0);

/** Another number whenever this page has changed the configuration: what was read before is out of date. */
export const configurationTurn: ReadonlySignal<number> = turn;

/** Says that the configuration was changed: views read it again. */
export function noteChange(): void {
  turn.value++;
  void readOverview();
}

export function fieldOf(object: ConfiguredObject | undefined, field: string): unknown {
  return object !== undefined && Object.hasOwn(object, field) ? object[field] : undefined;
}

/** What a table has in the column of a field, or of a key of a map such as `vars.host`; undefined: not set. */
export function textIn(object: ConfiguredObject | undefined, column: string): string | undefined {
  const whole = fieldOf(object, column);
  if (Array.isArray(whole)) return JSON.stringify(whole);
  if (whole !== undefined && whole !== null && typeof whole !== 'object') return String(whole);
  const dot = column.indexOf('.');
  if (dot <= 0) return undefined;
  const map = fieldOf(object, column.slice(0, dot));
  if (typeof map !== 'object' || map === null) return undefined;
  const text = fieldOf(map as ConfiguredObject, column.slice(dot + 1));
  return text === undefined ? undefined : String(text);
}

export async function readObjects(family: Family, signal?: AbortSignal): Promise<Map<string, ConfiguredObject>> {
  return new Map<string, ConfiguredObject>(Object.entries(await client.configuration.list(family, { signal })));
}

export async function readSome(
  family: Family,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, ConfiguredObject>> {
  return new Map<string, ConfiguredObject>(Object.entries(await client.configuration.list(family, { names, signal })));
}

export async function countObjects(signal: AbortSignal): Promise<Map<Family, number>> {
  const counts = familyNames.map(
    async (family) => [family, (await client.configuration.names(family, { signal })).length] as const,
  );
  return new Map(await Promise.all(counts));
}

/** Of what is in the database for whom it renders. */
export interface TableCheck {
  readonly result: TableResult | undefined;
  readonly faults: readonly Fault[];
  /** The rows cannot be taken at all; without it, what is wrong only stands in the way of rendering. */
  readonly isRefused: boolean;
  readonly detail: string;
}

/** Problems that a dry run with rendering may have though the rows are right: then it is tried without rendering. */
const ofRenderingAlone = new Set(['not-allowed', 'reason-needed', 'signature-needed']);

/** Changes nothing. Throws what is no fault of the table, such as that there is no link. */
export async function checkTable(family: Family, body: Uint8Array<ArrayBuffer> | Blob): Promise<TableCheck> {
  const read = (render: boolean) => client.configuration.putTable(family, body, { dryRun: true, render });
  try {
    const result = await read(may('render')).catch((error: unknown) => {
      if (error instanceof TelltaleProblem && ofRenderingAlone.has(error.problem)) return read(false);
      throw error;
    });
    return { result, faults: [], isRefused: false, detail: '' };
  } catch (error) {
    if (!(error instanceof TelltaleProblem) || (error.errors.length === 0 && error.status !== 400)) throw error;
    if (error.problem !== 'render-refused') {
      return { result: undefined, faults: error.errors, isRefused: true, detail: error.message };
    }
    return { result: await read(false), faults: error.errors, isRefused: false, detail: error.message };
  }
}

export async function saveTable(
  family: Family,
  body: Uint8Array<ArrayBuffer> | Blob,
  { deleteMissing = false } = {},
): Promise<TableResult> {
  const result = await client.configuration.putTable(family, body, { deleteMissing });
  noteChange();
  return result;
}

export function tryTable(family: Family, body: Blob, deleteMissing: boolean): Promise<TableResult> {
  return client.configuration.putTable(family, body, { dryRun: true, deleteMissing });
}

/** What would be wrong with the configuration without these objects; nothing is changed. */
export async function faultsWithout(family: Family, names: readonly string[]): Promise<readonly Fault[]> {
  const operations = names.map((name) => ({ operation: 'delete', family, name }) as const);
  try {
    await client.configuration.transaction(operations, { commit: false, render: may('render') });
    return [];
  } catch (error) {
    if (error instanceof TelltaleProblem && error.problem === 'render-refused') return error.errors;
    if (error instanceof TelltaleProblem && ofRenderingAlone.has(error.problem)) return [];
    throw error;
  }
}

export async function deleteObjects(family: Family, names: readonly string[]): Promise<void> {
  await client.configuration.transaction(names.map((name) => ({ operation: 'delete', family, name }) as const));
  noteChange();
}

export function canRename(family: Family): family is ArchiveKind & Family {
  return family === 'measurements' || family === 'commands' || family === 'alarms';
}

/** Answers with what refers to the object. */
export async function rename(family: ArchiveKind, from: string, to: string, dryRun: boolean) {
  const { referrers } = await client.configuration.rename(family, from, to, { dryRun });
  if (!dryRun) noteChange();
  return referrers;
}

export type CopyRequest = Parameters<typeof client.configuration.copy>[0];

export async function copyObject(request: CopyRequest, dryRun: boolean) {
  const { copied } = await client.configuration.copy(request, { dryRun });
  if (!dryRun) noteChange();
  return copied;
}

export const readDifference = (signal?: AbortSignal): Promise<Change[]> => client.configuration.diff({ signal });
export const readRevisions = (signal?: AbortSignal): Promise<RevisionSummary[]> =>
  client.configuration.revisions({ signal });
export const readRevision = (id: number, signal?: AbortSignal) => client.configuration.revision(id, { signal });
export const readBlame = (family: Family, name: string, signal?: AbortSignal): Promise<Blame> =>
  client.configuration.blame(family, name, { signal });
export const compareConfigurations = (
  from: WhichConfiguration,
  to: WhichConfiguration,
  signal?: AbortSignal,
): Promise<ComparedChange[]> => client.configuration.compare(from, to, { signal });

/** Resolves where the configuration as it is could be rendered; throws what stands in the way. */
export const checkAll = (): Promise<void> => client.configuration.transaction([], { commit: false, render: true });

export async function renderAll(comment: string): Promise<void> {
  await client.configuration.render({ comment: comment === '' ? undefined : comment });
  noteChange();
}

/** Answers with what is discarded. */
export async function discardEdits(which: { readonly family?: Family; readonly name?: string }): Promise<Change[]> {
  const changes = await client.configuration.discard(which);
  noteChange();
  return changes;
}

export interface Restored {
  readonly family?: Family | undefined;
  readonly name?: string | undefined;
  readonly render?: boolean;
  readonly comment?: string | undefined;
}

export async function restoreRevision(id: number, options: Restored): Promise<void> {
  await client.configuration.restore(id, options);
  noteChange();
}

export const readMissing = (signal?: AbortSignal): Promise<readonly string[]> =>
  client.configuration.missing({ signal });

export async function acknowledgeMissing(): Promise<void> {
  await client.configuration.acknowledgeMissing();
  noteChange();
}

export async function uploadDatabase(body: Blob): Promise<void> {
  await client.configuration.uploadDatabase(body);
  noteChange();
}

export type GenerateRequest = Parameters<typeof client.configuration.generate>[0];
export type GenerateOptions = Parameters<typeof client.configuration.generate>[1];

export async function generate(request: GenerateRequest, options: NonNullable<GenerateOptions>) {
  const result = await client.configuration.generate(request, options);
  if (options.dryRun !== true) noteChange();
  return result;
}

export const readTypicals = (signal?: AbortSignal) => client.configuration.typicals({ signal });

export async function setSecret(of: 'connector' | 'provider', owner: string, secret: string, value: string) {
  await client.secrets.set(owner, secret, value, { of });
}

/** For links that download: the browser asks itself. */
export const downloads = {
  database: `${addresses.config}/cfgdb/database`,
  table: (family: Family, format: 'csv' | 'xlsx', columns: readonly string[] = []) => {
    const wanted = columns.length === 0 ? '' : `&columns=${encodeURIComponent(columns.join())}`;
    return `${addresses.config}/tables/${family}?format=${format}${wanted}`;
  },
};
