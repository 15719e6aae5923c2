// What the nodes of a site tell each other about its configuration, as bytes: a change, or all there is. Lines of texts that have
// neither tabs nor newlines: a head, then a line an object that was put or deleted, and a line a step of what typicals have made.
import { createHash } from 'node:crypto';
import { type Family, type Fault, familyNames, isIdentifier, parseJson } from '@telltale/schema';
import { type MadeStep, madeColumns } from '../made-objects.ts';
import { readObject, type StoredObject } from '../read-objects.ts';
import type { WaitingRename } from '../renames.ts';
import { bytesOf, type RenderingBytes } from '../rendering.ts';
import type { Edit, RevisionHead } from '../revisions.ts';

/** As it is after its last edit; undefined: it was deleted. */
export interface EditedObject {
  readonly family: Family;
  readonly name: string;
  readonly text: string | undefined;
  readonly edit: Edit;
}

/** What a change of the database has done. */
export interface Done {
  readonly isEmpty: boolean;
  readonly objects: Iterable<EditedObject>;
  readonly made: readonly MadeStep[];
  /** The renames that wait to be rendered, or did before this rendering. */
  readonly waiting: readonly WaitingRename[];
  /** Undefined: nothing was rendered. */
  readonly rendering: { readonly edit: Edit; readonly waiting: readonly WaitingRename[] } | undefined;
}

export interface ChangeHead {
  /** The digests of the database. */
  readonly before: string;
  readonly after: string;
  readonly waiting: readonly WaitingRename[];
  /** It is rendered then. */
  readonly rendering?: Edit;
}

export interface WholeHead {
  readonly after: string;
  readonly waiting: readonly WaitingRename[];
  readonly revisions: readonly RevisionHead[];
  /** Of which key all of it is sealed, revisions as well; missing where that is not known. */
  readonly sealed?: string;
}

export type SiteStep = { readonly made: MadeStep } | { readonly object: StoredObject | Deleted; readonly edit: Edit };
export type Deleted = { readonly family: Family; readonly name: string; readonly text: undefined };

/** What is after its head. */
export interface SiteSteps<Head> {
  readonly head: Head;
  /** Throws where a line is none. */
  readonly steps: () => Generator<SiteStep>;
}

const [tab, newline] = ['\t', 0x0a];
const typicals = 'typicals';

/** Of whatever JSON has. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}

export function siteBytes(
  head: ChangeHead | WholeHead,
  objects: Iterable<EditedObject>,
  made: Iterable<MadeStep>,
): RenderingBytes {
  const lines = [JSON.stringify(head)];
  for (const { family, name, text, edit } of objects) {
    const { timeUs, author } = edit;
    lines.push([family, timeUs, JSON.stringify(author), text ?? name].join(tab));
  }
  for (const step of made)
    lines.push(typicals + tab + JSON.stringify(madeColumns.map((column) => step[column] ?? null)));
  return bytesOf(lines);
}

/** The head is taken as it is: who writes it has led. */
export function readSite<Head extends ChangeHead | WholeHead>(bytes: Uint8Array): SiteSteps<Head> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = buffer.indexOf(newline);
  const head = parseJson(buffer.toString('utf8', 0, end)) as Head;
  return { head, steps: () => readLines(buffer, end + 1) };
}

function* readLines(buffer: Buffer, from: number): Generator<SiteStep> {
  for (let at = from; at < buffer.length; ) {
    const end = buffer.indexOf(newline, at);
    const line = buffer.toString('utf8', at, end);
    at = end + 1;
    const [first = '', ...rest] = line.split(tab);
    yield first === typicals ? readMade(rest[0]) : readEdited(first, rest);
  }
}

function readEdited(family: string, [time, author, text = '']: string[]): SiteStep {
  const known = familyNames.find((each) => each === family);
  const [timeUs, name] = [Number(time), parseJson(author ?? '')];
  if (known === undefined || !Number.isSafeInteger(timeUs) || typeof name !== 'string') throw unreadable(family);
  const edit = { timeUs, author: name };
  if (isIdentifier(text)) return { object: { family: known, name: text, text: undefined }, edit };
  const object = parseJson(text) as { name?: unknown } | null;
  const faults: Fault[] = [];
  const stored = readObject(known, String(object?.name), object, '', faults);
  if (stored === undefined)
    throw unreadable(`${known}/${String(object?.name)}: ${faults[0]?.path} ${faults[0]?.message}`);
  return { object: stored, edit };
}

function readMade(text = ''): SiteStep {
  const row = parseJson(text) as unknown[];
  const step = Object.fromEntries(madeColumns.map((column, at) => [column, row[at] ?? undefined]));
  const isWhole = madeColumns.every((column) => typeof step[column] === 'string' || column === 'made');
  if (!isWhole || !familyNames.some((family) => family === step.family)) throw unreadable(typicals);
  return { made: step as unknown as MadeStep };
}

function unreadable(what: string): Error {
  return new Error(`another node has stored what this version does not understand: ${what.slice(0, 300)}`);
}
